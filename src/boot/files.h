/* SPDX-License-Identifier: MIT */
/*
 * Where the plan and the recordings of boots lie, and which of them count. All are for root alone: they name what only root
 * may see, and root carries the plan out.
 *
 *     STATE/boot/plan    STATE/boot/profile    STATE/boot/timeline (of the last boot)    STATE: plan/store/store.h
 */
#pragma once

#define BOOT_PLAN     "plan"
#define BOOT_PROFILE  "profile"
#define BOOT_TIMELINE "timeline"
#define BOOT_NAME                                                                                            \
	"headstart-boot" /* of the processes that carry the plan out and record; their reads do not count */

/* *ret, the path of one of these, is the caller's to free. Returns 0, -ENOMEM, or -EPERM as store_folder(). */
int boot_path(const char *name, char **ret);

/* Makes the folder of that path, for root alone. Returns 0 or negative errno. */
int boot_make_folder(const char *path);

/*
 * Opens it to read. Returns a descriptor; -EPERM if somebody besides the user of this process, who is root, owns it or can
 * write to it; -ENOENT; or negative errno.
 */
int boot_open(const char *path);
