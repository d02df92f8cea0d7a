/* SPDX-License-Identifier: MIT */
/* One mount. Internal to src/device and its tests. */
#pragma once

struct mount {
	char *root;    /* owned; the part of the file system that is mounted here: "/" */
	char *point;   /* owned; where */
	char *type;    /* owned; "ext4" */
	char *source;  /* owned; "/dev/sda1", "server:/path" */
	char *options; /* owned; of the file system, escapes kept: "rw,lowerdir=…" */
};

void mount_release(struct mount *mount);

static inline void mount_releasep(struct mount *mount)
{
	mount_release(mount);
}

/*
 * The mount with this id in the file `mountinfo` ("/proc/self/mountinfo"; tests bring their own). The caller releases
 * *ret. Returns 0, -ENOENT, or negative errno.
 */
int mount_find(const char *mountinfo, unsigned long long id, struct mount *ret);
