/* SPDX-License-Identifier: MIT */
/*
 * Moves pages of files by FIDEDUPERANGE (ioctl_fideduperange(2)), on file systems whose files can share blocks: XFS.
 *
 * A copy of the pages is written into the area. Then the kernel compares it with the file, and if both have the same bytes, the file
 * gets the blocks of the copy. Nothing is opened for writing but the area: programs that run can be moved. The blocks stay when the
 * area, a file without a name, is closed. Bytes, mtime and ctime of the file stay the same, whatever happens at any step.
 */
#pragma once

#include <stdint.h>

#include "place/area.h"
#include "place/disk.h"

/*
 * Writes the runs in file->moved of the open file into the area, from file->at on. All files of an area are written before the first one
 * is shared. Returns 0, or negative errno if the area cannot be written. A file that cannot be read or
 * has changed gets a status: PLACE_FAILED or PLACE_REFUSED.
 */
int place_copy(struct place_file *file, int fd, const struct place_area *area, uint32_t page_size);

/* Puts all copies on the disk, and out of memory, so that the kernel compares what the disk gives back. Returns 0 or negative errno. */
int place_settle(const struct place_area *area);

/*
 * Has the file share the blocks of its copy. *ret_done is how many of its pages do, also after a failure. The last page of a file that is
 * not full can be shared only as the end of the area, which is cut there: so the files of an area are shared in the order from its end to
 * its beginning. Returns 0; -ESTALE if the file has other bytes than its copy; or another negative errno.
 */
int place_share(const struct place_file *file, int fd, const struct place_area *area, uint32_t page_size,
	uint64_t *ret_done);
