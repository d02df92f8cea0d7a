/* SPDX-License-Identifier: MIT */
/* What a path means to a followed thread. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/follow/calls.h"
#include "record/follow/pages/touched.h"

#define FOLLOW_LINK_MAX 64

/*
 * Where a path begins for the thread: a link in /proc that the kernel has for this very thread, or "" for an absolute path. Names that mean
 * something else to each process, and would mean us, begin there as well: /proc/self, /proc/thread-self, and the links to its descriptors
 * in /dev. Returns the rest of the path, which may be "".
 */
const char *follow_path_begin(
	const struct follow_stop *stop, int folder, const char *path, char ret[FOLLOW_LINK_MAX]);

/*
 * Opens an absolute path, in the root of the process or in ours, with O_PATH, and asks no file system for anything. Returns a
 * descriptor, or negative errno: -EAGAIN if the kernel has not cached the name.
 */
int follow_path_open_known(const struct follow_process *process, const char *path);

/*
 * Opens what the path means to the thread, with O_PATH, if it is a regular file or a folder; "" is the descriptor
 * `folder`. Of the kernel's own links in /proc (cwd, root, exe, fd/N) only that is followed at which the path begins. Notes
 * in `touched` if it is a device by which a process serves files or memory. Returns a descriptor, or negative errno: with
 * `only_new` -EEXIST for a file that is known, -ELOOP if such a link lies on the way, and -EAGAIN if looking might wait for
 * a followed process.
 */
int follow_path_open(
	struct touched *touched, const struct follow_stop *stop, int folder, const char *path, bool only_new);
