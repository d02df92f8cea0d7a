/* SPDX-License-Identifier: MIT */
/*
 * Exchanges blocks of two files of an ext4, with EXT4_IOC_MOVE_EXT (fs/ext4/ext4.h and move_extent.c of the kernel), and
 * makes the donors for that: files without a name, which disappear with their descriptor, however the process ends.
 *
 * The kernel gives a file the donor's blocks and copies the file's pages to them, and gives the donor the file's blocks.
 * Other processes may read, write and map the file meanwhile: its bytes stay the same, and so do mtime and ctime. The
 * journal makes each step of it happen as a whole or not at all.
 */
#pragma once

#include <stdint.h>

#include "device/device.h"

/*
 * An unnamed file with `bytes` allocated bytes, on the file system of the folder. Returns a descriptor, -ENOSPC if there is
 * no room, or another negative errno.
 */
int place_donor(const char *folder, uint64_t bytes);

/*
 * How many bytes a donor may have: some are left to others, and so are the blocks that the file system reserves for root, which
 * the kernel would give to root's donor too.
 */
uint64_t place_free_bytes(const char *folder);

/*
 * Pages [page, page + pages) of the open file, and as many of `donor` from `donor_page` on. A program cannot be executed while
 * it is open for writing; so the file is opened for writing only for a moment at a time, and not while this waits for the
 * kernel to write a page. Returns 0 or negative errno. *ret_done is how many of the pages were exchanged, the first ones, also
 * after a failure.
 */
int place_exchange(int fd, int donor, uint64_t page, uint64_t donor_page, uint64_t pages, uint64_t *ret_done);

/*
 * Opens a file that is open as `fd` again, for writing and reading, or with other flags, and with O_NOATIME if `fd` has that.
 * Returns a descriptor or negative errno: -ETXTBSY for a program that runs.
 */
int place_reopen(int fd, int flags);
