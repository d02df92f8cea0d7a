/* SPDX-License-Identifier: MIT */
/* Moves runs of pages of one file, and proves that its bytes are the same. */
#pragma once

#include <stdint.h>

#include "place/disk.h"

/*
 * Moves the runs in file->moved of the file that is open for reading as `fd` into the area, from file->at on, in that way. To be shared,
 * they must have been copied there, and that must be on the disk (place/share.h).
 * While a file is exchanged it is open for writing, and if it is a program it cannot be executed; so its pages are read into
 * memory first. Fills in the status of the file: PLACE_MOVED, PLACE_REFUSED, or PLACE_FAILED. Returns 0; -ENOMEM; -EBADMSG
 * if the bytes differ though nobody has written to the file; or -EIO if the disk did not take them at their new place, and the
 * file lies where it was. After either of these nothing more should be moved.
 */
int place_move(struct place_file *file, int fd, enum place_way way, const struct place_area *area,
	uint32_t page_size);

/* Whether it is still the file that was looked at: same inode, size and times. */
bool place_is_same(const struct place_file *file, int fd);
