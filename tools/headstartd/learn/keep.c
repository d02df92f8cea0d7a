/* SPDX-License-Identifier: MIT */
#include "headstartd/learn/keep.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/paths/hidden.h"
#include "base/paths/stranger.h"
#include "format/asked.h"
#include "lib/settings/plan-settings.h"
#include "lib/settings/settings.h"
#include "plan/publish.h"
#include "plan/refresh.h"
#include "plan/store/each.h"
#include "plan/store/lock.h"
#include "plan/store/store.h"
#include "profile/file/profile-file.h"
#include "profile/recordings/recordings.h"

#define TURN_MS 3000 /* a process that was stopped may have the turn for ever */

int keep_lock(void)
{
	return store_lock_within(TURN_MS);
}

static char *folder_name(int folder)
{
	char path[PATH_MAX];

	return path_of_fd(folder, path) == 0 ? strdup(path) : NULL;
}

int keep_name_start(struct profile *profile, const char *const *argv, int folder)
{
	int r = profile_set_arguments(profile, argv);

	free(profile->folder);
	profile->folder = folder_name(folder);
	return r;
}

/* *ret_asked is filled in either way. */
static int describe_start(struct profile *profile, const char *const *argv, const struct asked_place *place,
	struct asked *ret_asked)
{
	struct plan_options options = {0};
	char rule[ASKED_RULE_MAX];
	int r;

	plan_host(profile->program, rule, &options);
	asked_by_arguments_at(rule, argv, place, ret_asked);
	r = keep_name_start(profile, argv, place->folder);
	free(profile->rule);
	free(profile->asked_path);
	profile->rule = strdup(rule);
	profile->asked_path = strdup(ret_asked->text);
	profile->asked = ret_asked->key;
	return profile->rule && profile->asked_path ? r : -ENOMEM;
}

int keep_describe_start(struct profile *profile, const char *const *argv, const struct asked_place *place)
{
	struct asked asked;

	return describe_start(profile, argv, place, &asked);
}

/* 0 if there is no such file. */
static uint64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Of the plan of the start with this key, or if it has none, of any start. 0 if there is no such plan. */
static uint64_t size_of_plan(const char *program, uint64_t key)
{
	_cleanup_free_ char *path = NULL;
	char suffix[STATE_ASKED_SIZE] = STATE_PLAN_SUFFIX;

	if (key)
		state_asked_suffix(key, suffix);
	return store_plan_for_writing(program, suffix, &path) == 0 ? size_of(path) : 0;
}

/* Of the profile, the program's plan, and that of the start. */
uint64_t keep_size(const char *program, uint64_t key)
{
	uint64_t bytes = key ? size_of_plan(program, key) : 0;

	for (enum store_what what = STORE_PROFILE; what <= STORE_PLAN; what++) {
		_cleanup_free_ char *path = NULL;

		if (store_path_for_writing(what, program, &path) == 0)
			bytes += size_of(path);
	}
	return bytes;
}

/*
 * Adds it to those learnt before. If somebody has recorded the program, that is better. A start that is there without its plan stays
 * as it is: a daemon was killed before it had made or removed both, and the plan is still to be made.
 */
static int store(const char *path, struct profile *profile, uint64_t key)
{
	_cleanup_(recordings_releasep) struct recordings stored = {0};
	enum profile_fault fault;
	int r = recordings_load(path, &stored, &fault);

	if (r < 0 && r != -ENOENT)
		return r; /* it may be a recording of a newer version, or be readable again later */
	if (!recordings_all_learnt(&stored) || (key && stored.n == 0))
		return -EEXIST;
	if (recordings_find(&stored, profile))
		return size_of_plan(profile->program, key) > 0 ? -EEXIST : 0;
	r = recordings_add(&stored, profile);
	return r < 0 ? r : recordings_save(&stored, path, 0600);
}

int keep_make_plans_in_turn(const char *program)
{
	_cleanup_(config_releasep) struct config config = {0};
	struct plan_options options = {0};
	struct plan_summary summary = {0};
	char rule[ASKED_RULE_MAX];

	settings_read(&config, true, true);
	plan_settings(&config, &options);
	plan_host(program, rule, &options);
	return plan_refresh(program, &options, &summary);
}

int keep_make_plans(const char *program)
{
	_cleanup_close_ int lock = keep_lock();

	return lock < 0 ? lock : keep_make_plans_in_turn(program);
}

/* What was learnt, if nobody has recorded the program. Returns 0 or negative errno; *ret_path is the caller's to free. */
static int load_learnt(const char *program, struct recordings *ret, char **ret_path)
{
	_cleanup_(recordings_releasep) struct recordings stored = {0};
	_cleanup_free_ char *path = NULL;
	enum profile_fault fault;
	int r = store_find(STORE_PROFILE, program, &path);

	if (r == 0)
		r = recordings_load(path, &stored, &fault);
	if (r < 0)
		return r;
	if (!recordings_all_learnt(&stored))
		return -EEXIST;
	*ret = stored;
	stored = (struct recordings){0};
	*ret_path = TAKE_PTR(path);
	return 0;
}

bool keep_is_host(const char *program)
{
	struct plan_options options = {0};
	char rule[ASKED_RULE_MAX];

	plan_host(program, rule, &options);
	return options.rule != NULL;
}

/* Nothing is there, or somebody has recorded the program. */
static bool is_not_ours(int r)
{
	return r == -ENOENT || r == -EEXIST;
}

int keep_forget_in_turn(const char *program)
{
	_cleanup_(recordings_releasep) struct recordings stored = {0};
	_cleanup_free_ char *path = NULL;
	int r = load_learnt(program, &stored, &path);

	if (r < 0)
		return is_not_ours(r) ? 0 : r;
	r = plan_remove(program);
	return unlink(path) < 0 && errno != ENOENT ? -errno : r;
}

static int remove_plan_of_start(const char *program, uint64_t key)
{
	_cleanup_free_ char *path = NULL;
	char suffix[STATE_ASKED_SIZE];
	int r;

	state_asked_suffix(key, suffix);
	r = store_plan_for_writing(program, suffix, &path);
	return r < 0 ? r : store_remove_plan(path);
}

static int forget_start(const char *program, uint64_t key)
{
	_cleanup_(recordings_releasep) struct recordings stored = {0};
	_cleanup_free_ char *path = NULL;
	int r = load_learnt(program, &stored, &path);
	size_t at = 0;

	if (r < 0)
		return is_not_ours(r) ? 0 : r;
	while (at < stored.n && stored.items[at].asked != key)
		at++;
	if (at == stored.n || stored.n == 1)
		return 0;
	recordings_remove(&stored, at);
	r = recordings_save(&stored, path, 0600);
	/* If no plans can be made of the others, those that are there stay. */
	if (r == 0 && keep_make_plans_in_turn(program) < 0)
		r = remove_plan_of_start(program, key);
	return r;
}

/*
 * The plan of a start has a name that everybody can list, made of what was asked for, which we have looked for with root's rights. A user
 * could ask for whatever name in a folder of root's, and see whether there is such a plan. And what counts besides what was asked for (`also`)
 * may be a text of the user's, at which others could test guesses. Of later starts both are found out before they are traced
 * (headstartd/carry/carry.c).
 */
static int forget_secret(struct profile *profile, const struct asked *asked)
{
	struct stranger stranger;

	if (!asked->also &&
		(!asked->text[0] || stranger_find(asked->text, &stranger) < 0 ||
			!hidden_from_others(asked->text)))
		return 0;
	free(profile->asked_path);
	profile->asked_path = strdup("");
	profile->asked = 0;
	/* Nor is it asked for again when the rule changes. */
	return profile->asked_path ? profile_set_arguments(profile, (const char *const[]){NULL}) : -ENOMEM;
}

struct kept keep_start(struct profile *profile, const char *const *argv, const struct asked_place *place,
	uint64_t key, uid_t user, uint64_t most)
{
	_cleanup_free_ char *program = strdup(profile->program), *path = NULL;
	_cleanup_close_ int lock = -1;
	struct kept kept = {0};
	uint64_t before, after, start, grown;
	struct asked asked;
	bool made;

	if (!program || describe_start(profile, argv, place, &asked) < 0 ||
		(user != 0 && forget_secret(profile, &asked) < 0) || (key && profile->asked != key))
		return kept;
	if (store_path_for_writing(STORE_PROFILE, program, &path) < 0 || (lock = keep_lock()) < 0)
		return kept;
	start = profile->asked; /* also the first start of a host has a plan of its own */
	before = keep_size(program, start);
	if (store(path, profile, key) < 0)
		return kept;
	made = keep_make_plans_in_turn(program) >= 0 && (!key || size_of_plan(program, key));
	after = keep_size(program, start);
	grown = after > before ? after - before : 1;
	if (!made || grown > most) {
		if (key)
			forget_start(program, key);
		else
			keep_forget_in_turn(program);
		return kept;
	}
	kept.bytes = key ? grown : after;
	kept.key = keep_is_host(program) ? start : 0;
	return kept;
}

bool keep_has(const char *program)
{
	_cleanup_free_ char *path = NULL;

	return store_find(STORE_PROFILE, program, &path) != -ENOENT ||
		store_find(STORE_PLAN, program, &path) != -ENOENT;
}

bool keep_has_start(const char *program, uint64_t key)
{
	_cleanup_free_ char *path = NULL;
	char suffix[STATE_ASKED_SIZE];

	state_asked_suffix(key, suffix);
	return store_plan_for_writing(program, suffix, &path) < 0 || access(path, F_OK) == 0 ||
		errno != ENOENT;
}

uint64_t keep_find(const char *program)
{
	_cleanup_(recordings_releasep) struct recordings stored = {0};
	_cleanup_free_ char *path = NULL, *plan = NULL;

	if (store_find(STORE_PLAN, program, &plan) < 0 || load_learnt(program, &stored, &path) < 0)
		return 0;
	return keep_size(program, 0);
}

int keep_forget(const char *program)
{
	_cleanup_close_ int lock = keep_lock();

	return lock < 0 ? lock : keep_forget_in_turn(program);
}

int keep_forget_start(const char *program, uint64_t key)
{
	_cleanup_close_ int lock = keep_lock();

	return lock < 0 ? lock : forget_start(program, key);
}

struct taking {
	void (*take)(void *context, const char *program, uint64_t key, uint64_t bytes);
	void *context;
};

static int take_profile(void *context, const char *path)
{
	const struct taking *to = context;
	_cleanup_(recordings_releasep) struct recordings stored = {0};
	enum profile_fault fault;
	const char *program;

	if (recordings_load(path, &stored, &fault) < 0 || stored.n == 0)
		return 0;
	program = stored.items->program;
	if (keep_find(program) == 0)
		return 0;
	to->take(to->context, program, 0, keep_size(program, 0));
	for (size_t i = 0; i < stored.n && keep_is_host(program); i++)
		if (stored.items[i].asked)
			to->take(to->context, program, stored.items[i].asked,
				size_of_plan(program, stored.items[i].asked));
	return 0;
}

int keep_each(void (*take)(void *context, const char *program, uint64_t key, uint64_t bytes), void *context)
{
	_cleanup_free_ char *state = NULL;
	int r = store_folder(&state);

	return r < 0 ? r
		     : store_each(state, STATE_PROFILE_SUFFIX, take_profile, &(struct taking){take, context});
}
