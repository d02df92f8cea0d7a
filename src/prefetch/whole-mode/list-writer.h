/* SPDX-License-Identifier: MIT */
/* Finds the writer of a list of mapped objects (format/object-list.h). */
#pragma once

#include <limits.h>

/*
 * The path of the program that has written the list, while it runs: /proc/PID/exe. Returns 0; -ENODATA if the file is
 * too short for a list; or negative errno.
 */
int object_list_writer(int fd, char ret[PATH_MAX]);
