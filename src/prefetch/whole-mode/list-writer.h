/* SPDX-License-Identifier: MIT */
/* Who has written a list of mapped objects (format/object-list.h), and what the writer says of itself. */
#pragma once

#include <limits.h>

#include "format/object-list.h"

/*
 * The path of the program that has written the list, while it runs: /proc/PID/exe. Returns 0; -ENODATA if the file is
 * too short for a list; or negative errno.
 */
int object_list_writer(int fd, char ret[PATH_MAX]);

/*
 * The state folder of the start, as the writer says: an absolute path. Returns 0; -ENODATA if the list has none, or the file is too
 * short for a list; or negative errno.
 */
int object_list_folder(int fd, char ret[OBJECT_STATE_SIZE]);
