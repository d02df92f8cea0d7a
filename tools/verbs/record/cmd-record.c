/* SPDX-License-Identifier: MIT */
/* headstart record: records what a cold start touches. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/search.h"
#include "base/strings.h"
#include "base/wrapper.h"
#include "lib/output.h"
#include "lib/plan-settings.h"
#include "lib/stranger-refusal.h"
#include "plan/asked/asked.h"
#include "plan/store/store.h"
#include "record/command/caller.h"
#include "record/command/terminal.h"
#include "record/command/window-watcher.h"
#include "verb.h"
#include "verbs/record/keep.h"
#include "verbs/record/report.h"

static const char help[] =
	"usage: headstart record [OPTION…] [--] COMMAND [ARGUMENT…]\n"
	"Starts COMMAND from a cold page cache and records what it and everything that it starts touch.\n"
	"Without --output it stores the profile and makes a plan of it.\n"
	"\n"
	"options:\n"
	"  -o, --output FILE         write the profile to FILE, and nothing else\n"
	"  -u, --until MILESTONE     exit: the command and everything it started have ended (default)\n"
	"                            window: its first window is on the screen (X11 and Xwayland)\n"
	"                            mark: 'headstart mark' was run\n"
	"                            idle:SECONDS: it has touched nothing new for this long\n"
	"                            time:SECONDS: this long after the start\n"
	"  -t, --timeout SECONDS     end the recording after this time (default: 120)\n"
	"  -k, --kill                end the command when the recording has ended\n"
	"  -m, --merge               merge with the earlier recording of the same start\n"
	"  -f, --force               keep the recording even if COMMAND failed, was killed, or touched much\n"
	"                            less than at the earlier recording of the same start\n"
	"      --user NAME           run COMMAND as this user, with a terminal and an environment of its own,\n"
	"                            and also make a plan of this user's\n"
	"                            (default: the user who called sudo)\n"
	"      --no-drop             leave the page cache as it is\n"
	"      --keep-read-ahead     leave read-ahead on: faster, less exact\n"
	"      --page-cache-events   record what enters the page cache, as on Linux before 6.12\n"
	"  -q, --quiet               print nothing but errors\n"
	"      --json                print the summary as one JSON object\n"
	"  -h, --help                print this\n";

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

/* Returns 0, or an exit status after printing the reason. */
static int find_command(struct record_job *job)
{
	const char *name = job->record.argv[0];
	int err = store_find_command(name, &job->path);

	if (err == -ENOENT)
		err = find_in_users_path(name, job->record.user, &job->path);
	if (err == -ENOENT)
		return verb_fail("command '%s' not found", name), NOT_FOUND;
	if (err)
		return verb_fail_errno(err, "'%s' cannot be run", name), NOT_EXECUTABLE;
	job->program = realpath(job->path, NULL);
	if (!job->program)
		return verb_fail_errno(errno, "'%s' cannot be run", name), NOT_EXECUTABLE;
	job->record.path = job->path;
	job->record.program = job->program;
	return 0;
}

/* What the command is asked for, found out before it changes anything. */
static void find_asked(struct record_job *job)
{
	struct plan_options options = {0};

	plan_host(job->program, job->rule, &options);
	job->folder = realpath(".", NULL);
	asked_by_arguments(job->rule, (const char *const *)job->record.argv, AT_FDCWD, &job->asked);
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
 * none.
 */
static char *default_user(void)
{
	const struct passwd *user;
	uid_t uid;

	if (!sudo_user(&uid))
		return NULL;
	user = getpwuid(uid);
	return user ? strdup(user->pw_name) : NULL;
}

/* The users besides root who may mark: the one whom the command runs as, and the one who called sudo. */
static void choose_markers(struct markers *markers, const char *name)
{
	const struct passwd *user = name ? getpwnam(name) : NULL;
	uid_t uid;

	if (user)
		markers->users[markers->n_users++] = user->pw_uid;
	if (sudo_user(&uid))
		markers->users[markers->n_users++] = uid;
}

enum { OPTION_USER = 256, OPTION_NO_DROP, OPTION_KEEP_READ_AHEAD, OPTION_PAGE_CACHE_EVENTS, OPTION_JSON };

static int take_option(struct record_job *job, int option)
{
	switch (option) {
	case 'o':
		job->output = optarg;
		return 0;
	case 'u':
		if (!milestone_parse(optarg, &job->record.until))
			return verb_usage("record",
				"unknown milestone '%s': use exit, window, mark, idle:SECONDS or time:SECONDS",
				optarg);
		return 0;
	case 't':
		if (!milestone_parse_seconds(optarg, &job->record.timeout))
			return verb_usage("record", "'%s' is not a number of seconds", optarg);
		return 0;
	case 'k':
		job->kill = true;
		return 0;
	case 'm':
		job->merge = true;
		return 0;
	case 'f':
		job->force = true;
		return 0;
	case 'q':
		job->quiet = true;
		return 0;
	case OPTION_USER:
		job->record.user = optarg;
		return 0;
	case OPTION_NO_DROP:
		job->record.keep_cache = true;
		return 0;
	case OPTION_KEEP_READ_AHEAD:
		job->record.keep_read_ahead = true;
		return 0;
	case OPTION_PAGE_CACHE_EVENTS:
		job->record.page_cache_events = true;
		return 0;
	case OPTION_JSON:
		job->json = true;
		return 0;
	}
	return -1;
}

/* Returns 0, an exit status after printing the reason, or -1 after printing the help. */
static int parse(int argc, char **argv, struct record_job *job)
{
	static const struct option longs[] = {
		{"output", required_argument, NULL, 'o'},
		{"until", required_argument, NULL, 'u'},
		{"timeout", required_argument, NULL, 't'},
		{"kill", no_argument, NULL, 'k'},
		{"merge", no_argument, NULL, 'm'},
		{"force", no_argument, NULL, 'f'},
		{"user", required_argument, NULL, OPTION_USER},
		{"no-drop", no_argument, NULL, OPTION_NO_DROP},
		{"keep-read-ahead", no_argument, NULL, OPTION_KEEP_READ_AHEAD},
		{"page-cache-events", no_argument, NULL, OPTION_PAGE_CACHE_EVENTS},
		{"quiet", no_argument, NULL, 'q'},
		{"json", no_argument, NULL, OPTION_JSON},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int c, r;

	while ((c = verb_option(argc, argv, "+:o:u:t:kmfqh", longs)) != -1) {
		if (c == 'h') {
			fputs(help, stdout);
			return -1;
		}
		if (c == '?')
			return VERB_USAGE;
		r = take_option(job, c);
		if (r)
			return r;
	}
	if (optind == argc)
		return verb_usage("record", "no command given");
	if (job->merge && job->output)
		return verb_usage("record",
			"--merge works on the stored profile: leave out -o, or use 'headstart merge'");
	job->record.argv = argv + optind;
	return 0;
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

static int record(struct record_job *job)
{
	const bool show = !job->quiet && isatty(STDERR_FILENO);
	_cleanup_free_ char *path = NULL;
	struct record_result result;
	enum record_step step;
	int err, r;

	if (job->record.until.kind == MILESTONE_MARK && !job->quiet)
		verb_note(
			"recording '%s': to end it, run 'headstart mark' in the command, or elsewhere with "
			"this name",
			job->recording);
	job->record.sound_disks = !job->output && !job->record.keep_cache;
	job->record.progress = show ? record_report_progress : NULL;
	err = record_run(&job->record, &result, &step);
	if (err)
		return record_report_failure(step, err, job);
	terminal_end_line(result.terminal);
	r = record_keep(job, &result, &path);
	if (r == 0 && job->json)
		r = record_report_json(job, &result, path);
	else if (r == 0 && !job->quiet)
		record_report_text(job, &result, path);
	fflush(stdout);
	if (result.running && !job->quiet && !job->kill)
		verb_note("the recording has ended; '%s' goes on", job->record.argv[0]);
	err = record_wait(&result, job->kill);
	if (!err && !job->quiet && !job->kill)
		record_report_status(&result, job->record.argv[0]);
	profile_release(&result.profile);
	record_disks_release(&result.disks);
	return r;
}

/* A recording takes long, so this reports in advance if its profile cannot be kept. */
static int check_place(const struct record_job *job)
{
	_cleanup_free_ char *stored = NULL;
	int err;

	if (job->output)
		return output_check(job->output);
	err = refuse_strange_state();
	if (err)
		return err;
	err = store_path_for_writing(STORE_PROFILE, job->program, &stored);
	return err ? verb_fail_errno(err, "cannot find a place for the profile") : output_check(stored);
}

static void record_job_releasep(struct record_job *job)
{
	free(job->path);
	free(job->program);
	free(job->caller);
	record_inside_release(&job->inside);
	free(job->folder);
}

int cmd_record(int argc, char **argv)
{
	_cleanup_(record_job_releasep) struct record_job job = {
		.record = {.timeout = 120, .until = {MILESTONE_EXIT}}, .inside = {.results = -1}};
	_cleanup_close_ int mark = -1, window = -1;
	int r = parse(argc, argv, &job);

	if (r)
		return r < 0 ? 0 : r;
	if (geteuid() != 0)
		return verb_fail(
			"recording reads the kernel's trace events and needs root: sudo headstart record …");
	if (!job.record.user)
		job.record.user = job.caller = default_user();
	if (job.record.user && streq(job.record.user, "root"))
		job.record.user = NULL;
	r = find_command(&job);
	if (r == 0)
		r = check_place(&job);
	if (r)
		return r;
	find_asked(&job);
	if (job.record.until.kind == MILESTONE_WINDOW) {
		r = window_watcher_start(job.record.user, &window);
		if (r < 0)
			return record_report_no_window(r, &job);
		job.record.window = window;
	}
	mark = mark_listen(job.recording);
	if (mark < 0)
		return verb_fail_errno(mark, "cannot listen for 'headstart mark'");
	job.record.mark = job.mark = mark;
	job.record.marked = take_mark;
	job.record.context = &job;
	job.record.recording = job.recording;
	choose_markers(&job.markers, job.record.user);
	if (!job.output && record_inside_init(&job.inside) == 0)
		job.record.inside = record_keep_inside_take;
	return record(&job);
}
