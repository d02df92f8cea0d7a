/* SPDX-License-Identifier: MIT */
/* Where files cannot be moved, and why. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "place/disk.h"

/* A refusal, with what strerror(3) says of the error. */
#define PLACE_NOT_TAKEN                                                                                      \
	"does not take what is written to its free blocks (%s): the disk is worn out, or what it is stored " \
	"on is full"

/*
 * Why a loss of power might lose what lies in blocks that are exchanged on this file system: a static text that follows its
 * name; NULL: it loses nothing.
 * - Without a journal the kernel may write that a block is exchanged before it writes the block.
 * - A fast commit, which fsync(2) makes if ext4 has the feature fast_commit, tells the journal of no exchange before upstream
 *   690558921d9f ("ext4: mark move extents fast-commit ineligible"); a kernel with that names it in
 *   /proc/fs/ext4/DEVICE/fc_info. The donor must have blocks that were not on the disk yet.
 * Returns 0 or negative errno.
 */
int place_find_danger(int donor, const char **ret);

/* How files of the file system of this open file are moved, if it is one on which they can be. Returns 0 or negative errno. */
int place_find_way(int fd, enum place_way *ret);

/*
 * Why files of this file system cannot be moved: the end of a sentence that begins with its name; NULL: they can be, in that
 * way. *ret is the caller's to free. Tries it with two files without names. Returns 0 or negative errno.
 */
int place_check_file_system(const char *folder, uint32_t page_size, enum place_way *ret_way, char **ret);

/*
 * The same of one open regular file. If it is to be exchanged, it is opened for writing for a moment; not for a dry run, which so
 * cannot know whether it is a running program, or leased. Returns 0, with a static text in *ret or NULL; or negative errno.
 */
int place_check_file(int fd, enum place_way way, bool dry_run, const char **ret);
