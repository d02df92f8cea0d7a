/* SPDX-License-Identifier: MIT */
/* Whose list of mapped objects it is (format/object-list.h). */
#pragma once

#include <limits.h>

/*
 * The path of the program that has written the list, while it runs: /proc/PID/exe. Returns 0; -ENODATA for what is too short to
 * be a list; or negative errno.
 */
int object_list_writer(int fd, char ret[PATH_MAX]);
