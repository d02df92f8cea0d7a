/* SPDX-License-Identifier: MIT */
/*
 * The mount namespaces besides ours in which recorded programs open files: those of sandboxes and containers, and those
 * that `unshare --mount` makes.
 *
 * Whoever made such a namespace chose what lies where in it. So a name in our own namespace counts only if it leads to
 * the very file that was opened, and names inside count only if the namespace belongs to our own user namespace: only
 * somebody with our rights could make that.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/inode-map.h"
#include "record/events/trace.h"
#include "record/names/mounts.h"

struct view {
	uint64_t id;               /* of the namespace: the inode number of /proc/PID/ns/mnt */
	int32_t pid;               /* that we saw there last */
	int namespace;             /* owned; keeps the mounts, also when the last process there has ended */
	int mountinfo;             /* owned; of a process there: can be read when that has ended, too */
	int root;                  /* owned; the root of the process that we saw there last */
	bool trusted;              /* belongs to our user namespace */
	bool crowded;              /* it does not, and has too many mounts: none is noted */
	bool outdated;             /* `mounts` is to be read again */
	uint64_t read_until;       /* reading it is paid for then; monotonic_ns() */
	struct mounts mounts;      /* all that we saw there */
	struct record_files files; /* opened there, by their names there */
	struct inode_map known;    /* (st_dev, inode) to the index in files */
};

struct views {
	struct view *items; /* owned */
	size_t count, capacity;
	uint64_t ours; /* our own namespace; 0 until it is known */
	bool trusted_only; /* others are not looked at: whoever made them may mount without end, for us to read each time */
};

/*
 * Finds the view with this mount, which `pid` has used; looks at the namespace of that process if no view has the
 * mount. *ret is NULL if there is none: the process has ended meanwhile, or the mount is in our own namespace. It points
 * to the view until the next call. Returns 0 or -ENOMEM.
 */
int views_find(struct views *views, uint64_t mount_id, int32_t pid, struct view **ret);

/* Looks at the namespace of the process again: a sandbox that is being made changes its root. Returns 0 or -ENOMEM. */
int views_look_at(struct views *views, int32_t pid);

/*
 * Lets go of the views whose process has ended or left. Others could not unmount anything there, or remove its disk, as long as we
 * have it open. If another process is left there, the namespace is looked at anew when that one opens something.
 */
void views_let_go(struct views *views);

/*
 * Reads the mounts of the view again if they have changed; of a namespace that is not trusted only about once a second, and then later.
 * Returns 1 if it has read them, 0 or -ENOMEM.
 */
int view_refresh(struct view *view);

/*
 * Opens the root of a mount in the view (O_PATH), without waiting for any file system. Returns a descriptor, or negative
 * errno: -ENOENT if the mount is covered by another one, or gone.
 */
int view_open_mount(const struct view *view, const struct mount *mount);

void views_release(struct views *views);
