/* SPDX-License-Identifier: MIT */
/* The mounted file systems whose pages come from a disk or a server. A cold start waits for these. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mount {
	uint64_t id;     /* as statx(2) and mountinfo number it */
	uint32_t device; /* of the superblock: major << 20 | minor */
	char *root;      /* owned; the part of the file system that is mounted */
	char *point;     /* owned; as seen from the root of the process whose mounts these are */
	char *type;      /* owned; "ext4", "overlay" */
	char *options;   /* owned; of an overlay, as base/paths/overlay.h wants them; NULL for other types */
};

struct mounts {
	struct mount *items; /* owned */
	size_t count, capacity;
};

/* Parses text in the format of /proc/PID/mountinfo (proc(5)), which it overwrites. Returns 0 or negative errno. */
int mounts_parse(char *mountinfo, struct mounts *ret);

/*
 * Reads the mounts of this process. In a chroot whose root is not a mount point, mountinfo leaves the root out; this
 * adds it. Returns 0, -ENOENT if /proc is not mounted, or negative errno.
 */
int mounts_read(struct mounts *ret);
void mounts_release(struct mounts *mounts);

static inline void mounts_releasep(struct mounts *mounts)
{
	mounts_release(mounts);
}

const struct mount *mounts_find(const struct mounts *mounts, uint64_t id);

/* Whether a file system with this device is mounted. */
bool mounts_has_device(const struct mounts *mounts, uint32_t device);

/* Whether a process or another machine answers for its files, and may not answer. */
bool mount_is_served(const struct mount *mount);

/*
 * The mount points of our own namespace, / and /usr excepted, at which a server or an automounter has to answer: what lay there before is covered.
 * As of mountinfo_points().
 */
int mounts_to_be_asked(char **ret);

static inline uint32_t mounts_pack_device(unsigned device_major, unsigned device_minor)
{
	return device_major << 20 | (device_minor & 0xfffff);
}
