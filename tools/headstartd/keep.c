/* SPDX-License-Identifier: MIT */
#include "headstartd/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "format/asked.h"
#include "lib/plan-settings.h"
#include "lib/settings.h"
#include "plan/asked/asked.h"
#include "plan/publish.h"
#include "plan/refresh.h"
#include "plan/store/store.h"
#include "profile/recordings.h"

static char *folder_name(int folder)
{
	char link[32], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = 0;
	return path[0] == '/' ? strdup(path) : NULL;
}

static int describe_start(struct profile *profile, const char *const *argv, int folder)
{
	struct plan_options options = {0};
	char rule[ASKED_RULE_MAX];
	struct asked asked;
	int r;

	plan_host(profile->program, rule, &options);
	asked_by_arguments(rule, argv, folder, &asked);
	r = profile_set_arguments(profile, argv);
	profile->folder = folder_name(folder);
	profile->rule = strdup(rule);
	profile->asked_path = strdup(asked.text);
	profile->asked = asked.key;
	return profile->rule && profile->asked_path ? r : -ENOMEM;
}

/* 0 if there is no such file. */
static uint64_t size_of(enum store_what what, const char *program)
{
	_cleanup_free_ char *path = NULL;
	struct stat st;

	return store_find(what, program, &path) == 0 && stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static bool all_learnt(const struct recordings *recordings)
{
	for (size_t i = 0; i < recordings->n; i++)
		if (!(recordings->items[i].bias & PROFILE_BIAS_LEARNT))
			return false;
	return true;
}

/* Adds it to those learnt before. If somebody has recorded the program, that is better. */
static int store(struct profile *profile)
{
	_cleanup_(recordings_releasep) struct recordings stored = {0};
	_cleanup_free_ char *path = NULL;
	enum profile_fault fault;
	int r = store_path_for_writing(STORE_PROFILE, profile->program, &path);

	if (r < 0)
		return r;
	if (recordings_load(path, &stored, &fault) < 0)
		stored = (struct recordings){0};
	if (!all_learnt(&stored) || recordings_find(&stored, profile))
		return -EEXIST;
	r = recordings_add(&stored, profile);
	return r < 0 ? r : recordings_save(&stored, path, 0600);
}

static int make_plan(const char *program)
{
	_cleanup_(config_releasep) struct config config = {0};
	struct plan_options options = {0};
	struct plan_summary summary = {0};
	char rule[ASKED_RULE_MAX];

	settings_read(&config, false, true);
	plan_settings(&config, &options);
	plan_host(program, rule, &options);
	return plan_refresh(program, &options, &summary);
}

uint64_t keep_start(struct profile *profile, const char *const *argv, int folder)
{
	_cleanup_free_ char *program = strdup(profile->program);

	if (!program || describe_start(profile, argv, folder) < 0 || store(profile) < 0)
		return 0;
	if (make_plan(program) < 0) {
		keep_forget(program);
		return 0;
	}
	return size_of(STORE_PROFILE, program) + size_of(STORE_PLAN, program);
}

void keep_forget(const char *program)
{
	_cleanup_(recordings_releasep) struct recordings stored = {0};
	_cleanup_free_ char *path = NULL;
	enum profile_fault fault;

	if (store_find(STORE_PROFILE, program, &path) < 0 || recordings_load(path, &stored, &fault) < 0 ||
		!all_learnt(&stored))
		return;
	(void)plan_remove(program);
	unlink(path);
}
