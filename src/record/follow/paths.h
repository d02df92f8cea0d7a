/* SPDX-License-Identifier: MIT */
/* What a path means to a followed thread. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/follow/calls.h"
#include "record/follow/pages/touched.h"

/* The folder that a call means by this descriptor, as a path of ours. */
void follow_path_folder(int32_t tid, int folder, char ret[64]);

/*
 * Names that mean something else to each process, and would mean us: /proc/self, /proc/thread-self, and the links to its
 * descriptors in /dev. Returns whether the path is one of them, and then what it means to the thread.
 */
bool follow_path_own(const struct follow_stop *stop, const char *path, char ret[PATH_MAX + 64]);

/*
 * Opens an absolute path, in the root of the process or in ours, with O_PATH, and asks no file system for anything. Returns a
 * descriptor, or negative errno: -EAGAIN if the kernel has not cached the name.
 */
int follow_path_open_known(const struct follow_process *process, const char *path);

/*
 * Opens what the path means to the thread, with O_PATH, if it is a regular file or a folder; "" is the descriptor
 * `folder`. Notes in touched->serves if it is the device by which a process serves files. Returns a descriptor, or
 * negative errno: with `only_new` -EEXIST for a file that is known, and -EAGAIN if looking might wait for a followed
 * process.
 */
int follow_path_open(
	struct touched *touched, const struct follow_stop *stop, int folder, const char *path, bool only_new);
