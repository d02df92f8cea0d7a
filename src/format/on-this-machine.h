/* SPDX-License-Identifier: MIT */
/*
 * Whether a file lies on this machine, by what statx(2) knows without asking (AT_STATX_DONT_SYNC): on a block device, or on a file system that
 * has the flag of chattr(1) "d", as btrfs, zfs, tmpfs and overlayfs have, and no network's nor FUSE. Freestanding: the shims leave a user's
 * plans elsewhere, since a server may not answer, and doctor says so.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Of struct statx: stx_dev_major and stx_attributes_mask. */
static inline bool on_this_machine(uint32_t device_major, uint64_t attributes_mask)
{
	enum {
		ATTR_NODUMP = 0x40
	}; /* STATX_ATTR_NODUMP of <linux/stat.h>, which does not go together with libc's headers */

	return device_major != 0 || attributes_mask & ATTR_NODUMP;
}
