/* SPDX-License-Identifier: MIT */
/*
 * The folders in which headstart looks for profiles and plans, and which files in them it believes. Freestanding: the
 * shim and the tools must agree.
 *
 *     $HEADSTART_STATE, where set: only that one
 *     $XDG_STATE_HOME/headstart or $HOME/.local/state/headstart: a user's own, serves only that user
 *     HEADSTART_STATE_DIR (config.h): root's, serves everybody
 *
 * The user's own comes first: it may name what the user owns, which root's plans never do.
 *
 * A plan that is for starts with a certain key (format/asked.h) lies beside the plan that has the rule, under its name
 * with the key: soffice-90da9565207489e4@0123456789abcdef.plan.
 *
 * In place of a plan there may be a symbolic link to another one in the same folder: the sign that this path is a link
 * to the planned program (src/plan/store/signs.h). The shim does not believe where a sign points; it resolves the program's
 * path.
 *
 * A variable that is not an absolute path counts as not set (XDG Base Directory Specification 0.8).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/plan-name.h"

#define STATE_FOLDERS_MAX    2
#define STATE_PLAN_SUFFIX    ".plan"
#define STATE_PROFILE_SUFFIX ".profile"
#define STATE_DISK_SUFFIX    ".disk"
#define STATE_FAST_SUFFIX    ".fast"  /* format/fast-disk.h */
#define STATE_STALE_SUFFIX   ".stale" /* after the name of a plan: some of its files have changed */

/* Values of the environment, NULL where not set. */
struct state_environment {
	const char *state;          /* HEADSTART_STATE */
	const char *xdg_state_home; /* XDG_STATE_HOME */
	const char *home;           /* HOME */
	bool root;                  /* whether the effective user is root */
};

static inline bool state_variable_set(const char *value)
{
	return value && value[0] == '/';
}

/* Appends text at *at, which stays below size; false if the text and a NUL do not fit. */
static inline bool state_append(char *path, size_t size, size_t *at, const char *text)
{
	for (; *text; text++) {
		if (*at + 1 >= size)
			return false;
		path[(*at)++] = *text;
	}
	path[*at] = '\0';
	return true;
}

/*
 * Writes the n-th folder to look in (n < STATE_FOLDERS_MAX, in order of precedence) to path. False if there is none or
 * it does not fit; a later one may still exist.
 */
static inline bool state_folder(
	const struct state_environment *environment, unsigned n, char *path, size_t size)
{
	bool own = !environment->root &&
		(state_variable_set(environment->xdg_state_home) || state_variable_set(environment->home));
	size_t at = 0;

	if (state_variable_set(environment->state))
		return n == 0 && state_append(path, size, &at, environment->state);
	if (n == (own ? 1 : 0))
		return state_append(path, size, &at, HEADSTART_STATE_DIR);
	if (n != 0)
		return false;
	if (state_variable_set(environment->xdg_state_home))
		return state_append(path, size, &at, environment->xdg_state_home) &&
			state_append(path, size, &at, "/headstart");
	return state_append(path, size, &at, environment->home) &&
		state_append(path, size, &at, "/.local/state/headstart");
}

/*
 * The same for the program's file in that folder: its plan with STATE_PLAN_SUFFIX, its profile with
 * STATE_PROFILE_SUFFIX. Both lie in one folder: on a cold rotating disk each level above the plan costs a seek for its
 * inode and one for its entries.
 */
static inline bool state_file(const struct state_environment *environment, unsigned n, const char *suffix,
	const char *program, char *path, size_t size)
{
	char name[PLAN_NAME_SIZE];
	size_t at = 0;

	if (!state_folder(environment, n, path, size))
		return false;
	while (path[at])
		at++;
	plan_name(program, suffix, name);
	return state_append(path, size, &at, "/") && state_append(path, size, &at, name);
}

#define STATE_ASKED_SIZE (1 + 16 + sizeof(STATE_PLAN_SUFFIX)) /* bytes */

/* Writes the suffix of the plan for starts with that key, in place of STATE_PLAN_SUFFIX. */
static inline void state_asked_suffix(uint64_t key, char suffix[STATE_ASKED_SIZE])
{
	size_t n = 0;

	suffix[n++] = '@';
	for (int shift = 60; shift >= 0; shift -= 4)
		suffix[n++] = "0123456789abcdef"[(key >> shift) & 15];
	for (size_t i = 0; i < sizeof(STATE_PLAN_SUFFIX); i++)
		suffix[n++] = STATE_PLAN_SUFFIX[i];
}

/*
 * Whether a file with this owner and mode (st_mode, of the opened file) may be believed by `user`: a regular
 * file of root's or the user's own that nobody else can write.
 */
static inline bool state_file_trusted(uint32_t owner, uint32_t mode, uint32_t user)
{
	return (mode & 0170000) == 0100000 && (owner == 0 || owner == user) && (mode & 022) == 0;
}
