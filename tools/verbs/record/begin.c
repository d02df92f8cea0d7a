/* SPDX-License-Identifier: MIT */
#include "verbs/record/begin.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/search.h"
#include "base/run/wrapper.h"
#include "base/strings.h"
#include "lib/programs/named-program.h"
#include "plan/store/store.h"
#include "record/command/caller.h"
#include "record/command/window-watcher.h"
#include "verb.h"
#include "verbs/record/functions.h"
#include "verbs/record/report.h"

void record_choose_backend(struct record_job *job)
{
	job->refused = record_probe_events();
	job->no_ptrace = job->refused < 0 ? record_probe_ptrace() : 0;
	job->record.backend = job->refused == 0 ? RECORD_BACKEND_EVENTS
		: job->no_ptrace == 0           ? RECORD_BACKEND_PTRACE
						: RECORD_BACKEND_PAGEMAP;
}

/* sudo gives root another PATH than the user's, in which the user's own programs are not found. */
static int find_in_users_path(const char *name, const char *user, char **ret)
{
	const struct passwd *entry = user ? getpwnam(user) : NULL;
	_cleanup_(caller_releasep) struct caller caller = {0};
	const char *folders =
		entry && caller_find(entry->pw_uid, &caller) == 0 ? caller_value(&caller, "PATH") : NULL;
	char path[PATH_MAX];

	if (!folders || !*name || strchr(name, '/') ||
		search_folders(folders, name, wrapper_check_program, NULL, path) < 0 || path[0] != '/')
		return -ENOENT;
	*ret = strdup(path);
	return *ret ? 0 : -ENOMEM;
}

int record_find_command(struct record_job *job)
{
	const char *name = job->record.argv[0];
	int err = store_find_command(name, &job->path);

	if (err == -ENOENT)
		err = find_in_users_path(name, job->record.user, &job->path);
	if (err)
		return program_refusal(err, name);
	job->program = realpath(job->path, NULL);
	if (!job->program)
		return program_refusal(-errno, name);
	job->record.path = job->path;
	job->record.program = job->program;
	return 0;
}

/* The user who called sudo. */
static bool sudo_user(uid_t *ret)
{
	const char *text = getenv("SUDO_UID");
	unsigned long long uid;

	if (!text || !verb_parse_u64(text, &uid) || uid == 0 || uid >= UINT_MAX)
		return false;
	*ret = (uid_t)uid;
	return true;
}

/*
 * Under sudo the command runs as the user who called sudo, so that it starts with that user's settings and damages
 * none. As root it might.
 */
static int default_user(char **ret)
{
	const struct passwd *user;
	uid_t uid;

	*ret = NULL;
	if (!sudo_user(&uid))
		return 0;
	user = getpwuid(uid);
	if (!user)
		return verb_fail(
			"user %u, who called sudo, is not known here: give --user NAME, or --user root", uid);
	*ret = strdup(user->pw_name);
	return *ret ? 0 : verb_fail_errno(-ENOMEM, "cannot find the user who called sudo");
}

/* The users besides root who may mark: the one whom the command runs as, and the one who called sudo. */
static void choose_markers(struct markers *markers, const char *name)
{
	const struct passwd *user = name ? getpwnam(name) : NULL;
	uid_t uid;

	if (user)
		markers->users[markers->n_users++] = user->pw_uid;
	if (geteuid() != 0)
		markers->users[markers->n_users++] = geteuid();
	else if (sudo_user(&uid))
		markers->users[markers->n_users++] = uid;
}

int record_choose_user(struct record_job *job)
{
	int r = job->record.user ? 0 : default_user(&job->caller);

	if (!job->record.user)
		job->record.user = job->caller;
	if (job->record.user && streq(job->record.user, "root"))
		job->record.user = NULL;
	return r;
}

static bool take_mark(void *context)
{
	struct record_job *job = context;
	uid_t stranger = (uid_t)-1;
	bool marked = mark_take(job->mark, &job->markers, &stranger);

	if (stranger != (uid_t)-1 && !job->told_stranger) {
		verb_note("ignored a mark from user %u: only root and the users of the recording may mark",
			stranger);
		job->told_stranger = true;
	}
	return marked;
}

int record_begin(struct record_job *job)
{
	if (job->record.until.kind == MILESTONE_WINDOW) {
		int r = window_watcher_start(job->record.user, &job->record.window);

		if (r < 0)
			return record_report_no_window(r, job);
	}
	job->mark = mark_listen(job->record.timeout, job->recording);
	if (job->mark < 0)
		return verb_fail_errno(job->mark, "cannot listen for 'headstart mark'");
	job->record.mark = job->mark;
	job->record.marked = take_mark;
	job->record.context = job;
	job->record.recording = job->recording;
	choose_markers(&job->markers, job->record.user);
	return 0;
}

void record_job_release(struct record_job *job)
{
	if (job->record.window >= 0)
		close(job->record.window);
	if (job->mark >= 0)
		close(job->mark);
	free(job->path);
	free(job->program);
	free(job->caller);
	record_inside_release(&job->inside);
	record_functions_release(&job->functions);
	free(job->folder);
}
