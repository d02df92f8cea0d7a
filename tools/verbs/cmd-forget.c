/* SPDX-License-Identifier: MIT */
/* headstart forget: removes recordings, and the plans that were made of them. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/lock-file.h"
#include "base/plural.h"
#include "headstartd/users/owners.h"
#include "lib/files/input.h"
#include "lib/files/no-state-folder.h"
#include "lib/files/store-turn.h"
#include "lib/files/stranger-refusal.h"
#include "lib/options/options.h"
#include "lib/programs/named-program.h"
#include "lib/settings/plan-settings.h"
#include "lib/settings/settings.h"
#include "plan/asked/asked.h"
#include "plan/publish.h"
#include "plan/store/each.h"
#include "plan/store/store.h"
#include "profile/file/profile-file.h"
#include "verb.h"

static const char help[] =
	"usage: headstart forget [OPTION…] PROGRAM [ARGUMENT…]\n"
	"       headstart forget --learnt\n"
	"Removes this user's recordings of PROGRAM, and its plans. With ARGUMENTs, or with --start, removes\n"
	"only the recording of that start.\n"
	"\n"
	"options:\n"
	"      --learnt  what headstartd has learnt of all programs, and nothing else: for this user, or\n"
	"                as root for everybody\n"
	"  -s, --start   only the recording of PROGRAM with these ARGUMENTs, even if there are none\n"
	"  -h, --help    print this\n";

/* The place of the recording of this start, or recordings->n. */
static size_t find_start(struct recordings *recordings, const char *rule, char **argv)
{
	_cleanup_(profile_releasep) struct profile start = {0};
	struct profile *found;
	struct asked asked;

	for (size_t i = 0; i < recordings->n; i++)
		(void)plan_find_asked(&recordings->items[i], rule, false);
	asked_by_arguments(rule, (const char *const *)argv, AT_FDCWD, &asked);
	start.asked = asked.key;
	if (profile_set_arguments(&start, (const char *const *)argv) < 0)
		return recordings->n;
	found = recordings_find(recordings, &start);
	return found ? (size_t)(found - recordings->items) : recordings->n;
}

/* Removes all plans, and then the profile: as long as that is there, forgetting can be repeated. */
static int forget_all(const char *program, const char *path, size_t n)
{
	int r = plan_remove(program);

	if (r == 0 && unlink(path) < 0)
		r = -errno;
	if (r < 0)
		return verb_fail_errno(r, "cannot forget '%s'", program);
	verb_note("forgot %zu recording%s of '%s'", n, plural(n), program);
	return 0;
}

static int nothing_recorded(const char *program)
{
	_cleanup_free_ char *roots = NULL;
	int r = store_find(STORE_PROFILE, program, &roots);

	if (r == 0 || r == -EACCES)
		return verb_fail(
			"you have recorded nothing of '%s', but root has: 'sudo headstart forget %s' removes that",
			program, program);
	return verb_fail("nothing is recorded of '%s'; 'headstart list' shows what is", program);
}

/* Removes what 'headstart plan FILE' has made of a profile that lies elsewhere. */
static int forget_plan(const char *program, bool start)
{
	_cleanup_free_ char *path = NULL;
	int r = store_path_for_writing(STORE_PLAN, program, &path);

	if (start || r < 0 || access(path, F_OK) < 0)
		return nothing_recorded(program);
	r = plan_remove(program);
	if (r < 0)
		return verb_fail_errno(r, "cannot forget '%s'", program);
	verb_note("forgot the plan of '%s'", program);
	return 0;
}

/* Makes the plans of the recordings that are left. */
static int plan_rest(struct recordings *recordings, struct plan_options *options)
{
	_cleanup_(config_releasep) struct config config = {0};
	struct plan_summary summary = {0};
	int r;

	settings_read(&config, true, false);
	plan_settings(&config, options);
	r = plan_publish(recordings, options, &summary);
	if (r == -ENODATA)
		r = plan_remove(recordings->items->program);
	return r < 0 ? verb_fail_errno(r, "cannot make the plans of '%s' anew", recordings->items->program)
		     : 0;
}

/* Before its recording: as long as that is there, forgetting can be repeated. */
static int remove_plan_of(const struct profile *recording)
{
	_cleanup_free_ char *path = NULL;
	char suffix[STATE_ASKED_SIZE];
	int r;

	if (!recording->asked)
		return 0;
	state_asked_suffix(recording->asked, suffix);
	r = store_plan_for_writing(recording->program, suffix, &path);
	return r < 0 ? r : store_remove_plan(path);
}

static int forget_start(struct recordings *recordings, const char *path, char **argv)
{
	const char *program = recordings->items->program;
	struct plan_options options = {0};
	char rule[ASKED_RULE_MAX];
	struct stat st;
	size_t index;
	int r;

	plan_host(program, rule, &options);
	index = find_start(recordings, rule, argv);
	if (index == recordings->n)
		return verb_fail(
			"'%s' was not recorded with these arguments; 'headstart list' shows what was",
			program);
	if (recordings->n == 1)
		return forget_all(program, path, 1);
	r = remove_plan_of(&recordings->items[index]);
	if (r < 0)
		return verb_fail_errno(r, "cannot remove the plan of this start of '%s'", program);
	recordings_remove(recordings, index);
	program = recordings->items->program;
	r = recordings_save(recordings, path, stat(path, &st) == 0 ? st.st_mode & 0777 : store_mode());
	if (r < 0)
		return verb_fail_errno(r, "cannot write '%s'", path);
	r = plan_rest(recordings, &options);
	if (r == 0)
		verb_note("forgot 1 recording of '%s'", program);
	return r;
}

static int forget(char **argv, bool start)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	_cleanup_free_ char *program = NULL, *path = NULL;
	_cleanup_close_ int lock = -1;
	int r = refuse_strange_state();

	if (r == 0)
		r = program_named(argv[0], &program);
	if (r)
		return r;
	r = store_path_for_writing(STORE_PROFILE, program, &path);
	if (r < 0)
		return no_state_folder(r, NULL);
	r = store_turn_take(&lock);
	if (r)
		return r;
	if (access(path, F_OK) < 0)
		return forget_plan(program, start);
	if (!start) {
		r = input_recordings(path, &recordings);
		return forget_all(program, path, r ? 1 : recordings.n);
	}
	r = input_recordings(path, &recordings);
	return r ? r : forget_start(&recordings, path, argv);
}

/* Forgets the program whose profile that is, if nobody has recorded it. Returns 0, or an exit status after printing the reason. */
static int forget_if_learnt(const char *path, size_t *forgotten)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	enum profile_fault fault;
	int r;

	if (recordings_load(path, &recordings, &fault) < 0 || !recordings_all_learnt(&recordings))
		return 0;
	r = plan_remove(recordings.items->program);
	if (r == 0 && unlink(path) < 0)
		r = -errno;
	if (r < 0)
		return verb_fail_errno(r, "cannot forget '%s'", recordings.items->program);
	if (geteuid() == 0)
		owners_forget(recordings.items->program);
	++*forgotten;
	return 0;
}

struct forgetting {
	size_t forgotten;
	int status; /* of the last that failed */
};

static int forget_next(void *context, const char *path)
{
	struct forgetting *forgetting = context;

	forgetting->status = forget_if_learnt(path, &forgetting->forgotten) ?: forgetting->status;
	return 0;
}

/*
 * headstartd keeps a list of what it has learnt for everybody, and of the hours in which programs are started, so it must not run meanwhile; *ret_lock keeps it from that. Without the
 * list the next daemon finds by itself what could not be removed.
 */
static int remove_list(const char *state, int *ret_lock, bool *ret_habits)
{
	_cleanup_free_ char *list = NULL, *habits = NULL, *lock = NULL;

	if (asprintf(&list, "%s/learn/known", state) < 0 || asprintf(&habits, "%s/learn/habits", state) < 0 ||
		asprintf(&lock, "%s/learn/lock", state) < 0)
		return verb_fail_errno(ENOMEM, "cannot forget what was learnt");
	*ret_lock = lock_file(lock);
	if (*ret_lock == -EBUSY)
		return verb_fail(
			"headstartd is running, and would learn on: stop it first, with 'sudo systemctl "
			"stop headstartd'");
	if (*ret_lock < 0 && *ret_lock != -ENOENT)
		return verb_fail_errno(*ret_lock, "cannot open '%s'", lock);
	if (unlink(list) < 0 && errno != ENOENT)
		return verb_fail_errno(errno, "cannot remove '%s'", list);
	*ret_habits = unlink(habits) == 0;
	if (!*ret_habits && errno != ENOENT)
		return verb_fail_errno(errno, "cannot remove '%s'", habits);
	return 0;
}

static int forget_learnt(void)
{
	_cleanup_close_ int daemon = -1, turn = -1;
	_cleanup_free_ char *folder = NULL;
	bool everybody = geteuid() == 0, habits = false;
	struct forgetting all = {0};
	int r = refuse_strange_state();

	if (r)
		return r;
	r = store_folder(&folder);
	if (r < 0)
		return verb_fail_errno(r, "cannot find the folder of profiles");
	if (everybody)
		r = remove_list(folder, &daemon, &habits);
	if (r)
		return r;
	r = store_turn_take(&turn);
	if (r)
		return r;
	r = store_each(folder, STATE_PROFILE_SUFFIX, forget_next, &all);
	if (r < 0)
		all.status = verb_fail_errno(r, "cannot read '%s'", folder);
	if (all.status == 0 && all.forgotten == 0 && !habits)
		return verb_fail("nothing was learnt for %s", everybody ? "everybody" : "this user");
	if (all.forgotten > 0)
		verb_note("forgot what was learnt of %zu program%s", all.forgotten, plural(all.forgotten));
	else if (habits)
		verb_note("forgot at which hours programs are started");
	return all.status;
}

int cmd_forget(int argc, char **argv)
{
	bool start = false, learnt = false;
	const struct option_row options[] = {
		{"learnt", .flag = &learnt}, {"start", 's', .flag = &start}, {0}};
	int status = options_parse_before_command(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (learnt && (start || optind < argc))
		return verb_usage("forget", "--learnt takes no program and no other option");
	if (learnt)
		return forget_learnt();
	if (optind == argc)
		return verb_usage("forget", "no program given");
	return forget(argv + optind, start || optind + 1 < argc);
}
