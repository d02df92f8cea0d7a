/* SPDX-License-Identifier: MIT */
/*
 * Where profiles and plans are kept.
 *
 *     STATE/NAME.profile    STATE/NAME.plan      NAME: format/plan-name.h
 *
 * STATE is $HEADSTART_STATE where set; else, for a user, $XDG_STATE_HOME/headstart or ~/.local/state/headstart (serves
 * that user alone), and /var/lib/headstart (root's: serves everybody). The rule itself, which the
 * shim shares: format/state-folder.h.
 *
 * For root, all functions that go by it return -EPERM where HEADSTART_STATE names a folder that others can change
 * (base/stranger.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "format/state-folder.h"

enum store_what { STORE_PROFILE, STORE_PLAN };

/*
 * The folders in which a user's programs find plans, below a root: another tree, or a test. Functions without
 * this parameter go by this process and its own root.
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
 * caller's to free. Returns 0, -ENOENT (there are not so many), or -ENOMEM.
 */
int store_search_folder(unsigned n, char **ret);

/*
 * The file a program's profile or plan is written to; folders are made. *ret, malloc()ed, is the caller's.
 * Returns 0, -ENOENT (no home), or negative errno.
 */
int store_path_for_writing(enum store_what what, const char *program, char **ret);

/* The mode such a file is published with: root's is for everybody to read, a user's for that user alone. */
mode_t store_mode(void);

/*
 * Publishes a plan with this mode, and takes away the mark that the one before it was stale. Returns 0 or
 * negative errno.
 */
int store_publish_plan(const char *path, mode_t mode, const void *data, size_t size);

/*
 * Whether the plan is this user's own, to be compiled anew when it is stale: root's is root's to compile. And whether it is
 * marked as stale.
 */
bool store_plan_is_own(const char *path);
bool store_plan_is_stale(const char *path);

/*
 * The file in which a program's profile or plan is found, in the order of format/state-folder.h. A file of a user who
 * is neither root nor this one, or that others may write, is passed over. Returns 0, -ENOENT, or negative
 * errno.
 */
int store_find(enum store_what what, const char *program, char **ret);

/* The same in the folders of `store`. *ret is a path below its root, and the caller's to free. */
int store_look_up(const struct store *store, enum store_what what, const char *program, char **ret);

/*
 * Whether a file, at `path` below the root, is to be believed and can be read: 0; -EPERM (others may have
 * written it, see state_file_trusted()); or negative errno.
 */
int store_check(const struct store *store, const char *path);

/* store_plan_is_stale() below the root. */
bool store_is_stale(const struct store *store, const char *path);

/*
 * The path of a command as the shell would find it: by $PATH unless it has a slash. Links are not resolved:
 * scripts look at their own name. Returns 0, -ENOENT, -EACCES or negative errno.
 */
int store_find_command(const char *command, char **ret);

/* The same, canonical: links resolved. */
int store_program_path(const char *command, char **ret);
