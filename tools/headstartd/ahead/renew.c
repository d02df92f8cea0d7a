/* SPDX-License-Identifier: MIT */
#include "headstartd/ahead/renew.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"
#include "base/times.h"
#include "format/plan-view.h"
#include "headstartd/helpers/child.h"
#include "headstartd/learn/keep.h"
#include "lib/settings/settings.h"
#include "plan/store/each.h"
#include "plan/store/load.h"
#include "plan/store/store.h"
#include "prefetch/outdated.h"
#include "prefetch/stale-mark.h"
#include "profile/file/profile-file.h"
#include "verb.h"
#include "verbs/boot/boot.h"

#define RENEW_S     60      /* one plan takes so long at most */
#define GRACE_MS    5000    /* … and then it hangs: a disk may never answer */
#define AGAIN_MS    3600000 /* after a try that has failed */
#define MARK_SUFFIX STATE_PLAN_SUFFIX STATE_STALE_SUFFIX

int renew_init(struct renew *renew)
{
	*renew = (struct renew){0};
	return store_folder(&renew->folder);
}

void renew_release(struct renew *renew)
{
	free(renew->folder);
	free(renew->next);
	aside_release(&renew->failed);
}

/* Of the marked plans that were not tried lately, the first by name. */
static void find_next(struct renew *renew, uint64_t now_ms)
{
	_cleanup_closedir_ DIR *folder = opendir(renew->folder);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		_cleanup_free_ char *plan = NULL;
		int stem = (int)(strlen(entry->d_name) - strlen(STATE_STALE_SUFFIX));

		if (!ends_with(entry->d_name, MARK_SUFFIX) ||
			asprintf(&plan, "%s/%.*s", renew->folder, stem, entry->d_name) < 0)
			continue;
		if ((renew->next && strcmp(renew->next, plan) <= 0) ||
			aside_has(&renew->failed, plan, now_ms))
			continue;
		free(renew->next);
		renew->next = TAKE_PTR(plan);
	}
}

static bool has_changed(struct renew *renew)
{
	struct stat st;

	if (stat(renew->folder, &st) < 0 ||
		(st.st_mtim.tv_sec == renew->changed.tv_sec && st.st_mtim.tv_nsec == renew->changed.tv_nsec))
		return false;
	renew->changed = st.st_mtim;
	return true;
}

bool renew_look(struct renew *renew, uint64_t now_ms)
{
	if (!renew->child && !renew->next && (has_changed(renew) || now_ms >= renew->look_ms)) {
		renew->look_ms = now_ms + AGAIN_MS;
		find_next(renew, now_ms);
	}
	return renew->next;
}

/* An older plan does not say in our words whose it is, nor does a damaged one. The profile beside it does. */
static bool read_program_of_profile(const char *plan, char ret[PATH_MAX])
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	enum profile_fault fault;
	char path[PATH_MAX];

	return store_profile_of_plan(plan, path) && recordings_load(path, &recordings, &fault) == 0 &&
		recordings.n > 0 && snprintf(ret, PATH_MAX, "%s", recordings.items[0].program) < PATH_MAX;
}

static bool read_program(const char *path, char ret[PATH_MAX])
{
	_cleanup_(loaded_plan_releasep) struct loaded_plan plan = {0};
	enum plan_fault fault = PLAN_GOOD;
	int r = store_plan_is_own(path) ? plan_load_path(path, &plan, &fault) : -EPERM;

	if (r == -EBADMSG && fault != PLAN_NEWER)
		return read_program_of_profile(path, ret);
	return r == 0 && !plan_is_snapshot(&plan.view) &&
		snprintf(ret, PATH_MAX, "%s", plan_program(&plan.view)) < PATH_MAX;
}

static const char *reason_of(const char *path)
{
	_cleanup_(loaded_plan_releasep) struct loaded_plan plan = {0};
	enum plan_fault fault = PLAN_GOOD;

	if (plan_load_path(path, &plan, &fault) != -EBADMSG)
		return "its files had changed";
	return fault == PLAN_OLDER ? "an older headstart had made it" : "it was damaged";
}

/* For the child. The mark goes with the old plan; while it is locked, no prefetcher starts a planner of its own. */
static bool make_anew(const char *path, bool quiet)
{
	char program[PATH_MAX];
	int lock = plan_mark_lock(path); /* held until we end */
	const char *reason = reason_of(path);

	if (lock == -ENOENT)
		return true; /* somebody has done it */
	if (lock < 0 || !read_program(path, program) || !settings_permit(program, false).prefetch ||
		keep_make_plans(program) < 0 || store_plan_is_stale(path))
		return false;
	if (!quiet)
		verb_note("made the plan of '%s' anew: %s", program, reason);
	return true;
}

/* For the child, too: a hundred plans are a hundred reads. */
static int mark_older(void *context, const char *plan)
{
	if (plan_is_older(plan))
		(void)plan_mark_stale(plan);
	return 0;
}

/* That of boots has no mark, and no start finds it. */
static void renew_boots(bool quiet)
{
	_cleanup_(config_releasep) struct config config = {0};
	bool made = false;

	settings_read(&config, false, true);
	if (boot_make_anew(&config, true, &made) == 0 && made && !quiet)
		verb_note("made the plan of boots anew: an older headstart had made it");
}

bool renew_start(struct renew *renew, bool quiet)
{
	pid_t daemon = getpid();

	renew->give_up_ms = monotonic_ms() + RENEW_S * 1000 + GRACE_MS;
	renew->child = fork();
	if (renew->child == 0) {
		child_begin(daemon, SIGKILL, RENEW_S);
		child_keep_only(-1);
		child_become_idle(RENEW_S);
		if (renew->next)
			_exit(make_anew(renew->next, quiet) ? 0 : 1);
		(void)store_each(renew->folder, STATE_PLAN_SUFFIX, mark_older, NULL);
		renew_boots(quiet);
		_exit(0);
	}
	if (renew->child < 0)
		renew->child = 0;
	return renew->child > 0;
}

void renew_ended(struct renew *renew, int status, uint64_t now_ms)
{
	renew->child = 0;
	renew->look_ms = now_ms; /* there may be more */
	if (!renew->next) {
		renew->marked = true;
		return;
	}
	if (status == 0)
		renew->count++;
	else
		(void)aside_put(&renew->failed, renew->next, now_ms + AGAIN_MS, now_ms);
	free(TAKE_PTR(renew->next));
}
