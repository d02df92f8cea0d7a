/* SPDX-License-Identifier: MIT */
/*
 * Where profiles and plans are kept.
 *
 *     STATE/NAME.profile    STATE/NAME.plan      NAME: format/plan-name.h
 *     STATE/NAME.disk                            what was measured of a disk; NAME is of its identity
 *     STATE/NAME.fast                            the mark of a fast disk: format/fast-disk.h
 *
 * STATE is $HEADSTART_STATE if that is set. Otherwise it is, for a user, $XDG_STATE_HOME/headstart or
 * ~/.local/state/headstart (for that user alone), and /var/lib/headstart (root's, for everybody). The rule itself,
 * which the shim shares, is in format/state-folder.h.
 *
 * For root, all functions that follow this rule return -EPERM if HEADSTART_STATE names a folder that others can change
 * (base/paths/stranger.h).
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "format/state-folder.h"

enum store_what { STORE_PROFILE, STORE_PLAN, STORE_DISK, STORE_FAST_DISK };

/*
 * The folders in which a user's programs find plans, below a root: another system's tree, or a test's. Functions
 * without this parameter use this process and its own root.
 */
struct store {
	const char *root;                     /* borrowed: a folder in front of all paths, or "" */
	struct state_environment environment; /* borrowed */
	uid_t user;                           /* effective */
};

/* The folder this user writes to. *ret is the caller's to free. Returns 0, -ENOENT (no home), or -ENOMEM. */
int store_folder(char **ret);

/*
 * The n-th folder, from 0, in which this user's programs find plans, in the order of format/state-folder.h. *ret is the
 * caller's to free. Returns 0, -ENOENT (there are fewer), or -ENOMEM.
 */
int store_search_folder(unsigned n, char **ret);

/*
 * The path to which a program's profile or plan is written; makes its folders. *ret, malloc()ed, is the caller's.
 * Returns 0, -ENOENT (no home), or negative errno.
 */
int store_path_for_writing(enum store_what what, const char *program, char **ret);

/* The same for a plan with another suffix than STATE_PLAN_SUFFIX: see state_asked_suffix(). */
int store_plan_for_writing(const char *program, const char *suffix, char **ret);

/* The mode of such a file: everybody may read root's, and only the user a user's. */
mode_t store_mode(void);

/* Of the path of a plan in the store that of the profile beside it, of which it was made. Returns whether it fits. */
bool store_profile_of_plan(const char *plan, char ret[PATH_MAX]);

/* Publishes a plan with this mode, and removes the mark of a stale plan. Returns 0 or negative errno. */
int store_publish_plan(const char *path, mode_t mode, const void *data, size_t size);

/* Removes a plan and its mark, if they are there. Returns 0 or negative errno. */
int store_remove_plan(const char *path);

/*
 * Whether the plan is this user's own, so that this user compiles it anew when it is stale; only root compiles root's
 * plans. And whether a plan is marked as stale.
 */
bool store_plan_is_own(const char *path);
bool store_plan_is_stale(const char *path);

/*
 * Finds a program's profile or plan, in the order of format/state-folder.h. Skips files of users other than root and
 * this one, and files that others may write. Returns 0; -EACCES if there is none but one that this user may not read;
 * -ENOENT; or negative errno.
 */
int store_find(enum store_what what, const char *program, char **ret);

/* The folders in which this process finds plans. Returns 0, or -EPERM as above. What *ret borrows is never freed. */
int store_of_process(struct store *ret);

/*
 * A trusted file of the program, with that suffix, in the n-th folder of `store`. *ret is a path below its root, and the
 * caller's to free. Returns 0, -ENOENT, or negative errno.
 */
int store_look_in(const struct store *store, unsigned n, const char *suffix, const char *program, char **ret);

/* The same in the folders of `store`. *ret is a path below its root, and the caller's to free. */
int store_look_up(const struct store *store, enum store_what what, const char *program, char **ret);

/*
 * Whether a file, at `path` below the root, is trusted and can be read: 0; -EPERM (others may have written it, see
 * state_file_trusted()); or negative errno.
 */
int store_check(const struct store *store, const char *path);

/* store_plan_is_stale() below the root. */
bool store_is_stale(const struct store *store, const char *path);

/*
 * The path of a command as the shell would find it: by $PATH unless it has a slash; but there the wrappers of `headstart
 * install --app` (base/run/wrapper.h) are left out. Links are not resolved, because scripts look at their own name. Returns 0, -ENOENT, -EACCES or negative errno.
 */
int store_find_command(const char *command, char **ret);

/* The same with links resolved. */
int store_program_path(const char *command, char **ret);
