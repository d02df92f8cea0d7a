/* SPDX-License-Identifier: MIT */
/*
 * The plan that serves any start is published after those that it leads to, and removed before them, so that it never
 * leads to a plan that is yet to come.
 */
#include "plan/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/paths/hidden.h"
#include "base/paths/stranger.h"
#include "base/strings.h"
#include "plan/asked/asked.h"
#include "plan/asked/certain.h"
#include "plan/asked/documents.h"
#include "plan/store/signs.h"
#include "plan/store/store.h"
#include "profile/edit.h"

static int set_text(char **to, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

static int open_folder(const struct profile *recording, bool of_root)
{
	const char *folder = recording->folder && *recording->folder ? recording->folder : "/";
	struct stranger stranger;

	if (of_root && stranger_find_unasked(folder, &stranger) < 0)
		return -1;
	return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* What the arguments of a recording ask for. *ret_folder, the folder in which it was started, is the caller's to close. */
static void ask(
	const struct profile *recording, const char *rule, bool of_root, struct asked *ret, int *ret_folder)
{
	const char *const *arguments = (const char *const *)recording->arguments;

	*ret_folder = open_folder(recording, of_root);
	if (of_root)
		asked_by_arguments_of_root(rule, arguments, *ret_folder, ret);
	else
		asked_by_arguments(rule, arguments, *ret_folder, ret);
}

static int find_asked(struct profile *recording, const char *rule, bool of_root)
{
	_cleanup_close_ int folder = -1;
	struct asked asked;
	int r;

	if (recording->n_arguments == 0 || (recording->rule && streq(recording->rule, rule)))
		return 0;
	ask(recording, rule, of_root, &asked, &folder);
	r = set_text(&recording->rule, rule);
	if (r == 0)
		r = set_text(&recording->asked_path, asked.text);
	if (r == 0)
		recording->asked = asked.key;
	return r;
}

int plan_find_asked(struct profile *recording, const char *rule, bool of_root)
{
	return find_asked(recording, rule, of_root);
}

static void leave_out_documents(struct profile *recording, bool of_root)
{
	_cleanup_close_ int folder = -1;
	struct asked asked;

	if (recording->n_arguments == 0)
		return;
	ask(recording, recording->rule, of_root, &asked, &folder);
	documents_leave_out(recording, &asked, folder, of_root);
}

/*
 * Root's plans serve everybody, but no other user starts what somebody else's file says; and the name of the plan would
 * say that this file exists.
 */
static bool is_for_others(const struct profile *recording, const struct plan_options *options)
{
	struct stranger stranger;
	int r;

	if (!options->shared || !recording->asked_path || !*recording->asked_path)
		return true;
	r = stranger_find(recording->asked_path, &stranger);
	return r == 0 || r == -ENOENT; /* in a container it has a name of its own */
}

/* Nobody else can start a program that only root can reach, and its plan may name what only root can see. */
static mode_t mode_of(const char *program)
{
	return geteuid() == 0 && closed_to_others(program) ? 0600 : store_mode();
}

/* Of what others can change nothing is asked: a server of a user's may never answer. The plan leaves it out in any case. */
static int is_shown(void *context, struct profile_file *file)
{
	struct stranger stranger;

	return stranger_find_unasked(file->path, &stranger) == 0 && may_show_of(context, file->path);
}

/*
 * While root alone can reach a program, what the daemon learns of it names files that others cannot see. The plan must not name these any
 * more once others can reach the program.
 */
static int leave_out_hidden(struct profile *recording, const struct plan_options *options)
{
	return options->shared && recording->bias & PROFILE_BIAS_LEARNT
		? profile_keep_files(recording, is_shown, recording->program)
		: 0;
}

int plan_leave_public(struct profile *recording)
{
	int r = profile_keep_files(recording, is_shown, recording->program);

	if (r == 0)
		leave_out_documents(recording, true);
	return r;
}

/*
 * Publishes one plan of the program, under the name with that suffix. One that leads to others may have nothing to read itself, if there are
 * `others`. Returns 0; -ENODATA, and nothing was published; or negative errno.
 */
static int publish_one(const struct profile *profile, const struct plan_options *options, const char *suffix,
	size_t others, struct plan_summary *ret_summary)
{
	_cleanup_free_ void *data = NULL;
	_cleanup_free_ char *path = NULL;
	size_t size;
	int r = plan_build(profile, options, &data, &size, ret_summary);

	if (r == 0 && ret_summary->extents == 0 && others == 0)
		return -ENODATA;
	if (r == 0)
		r = store_plan_for_writing(profile->program, suffix, &path);
	return r < 0 ? r : store_publish_plan(path, mode_of(profile->program), data, size);
}

/* Publishes the plan of a recording for starts like it. *ret_done: there was something to read. */
static int publish_start(
	const struct profile *recording, const struct plan_options *options, size_t *others, bool *ret_done)
{
	struct plan_options of_start = *options;
	struct plan_summary summary = {0};
	char suffix[STATE_ASKED_SIZE];
	int r;

	*ret_done = false;
	if (recording->asked == 0 || !is_for_others(recording, options))
		return 0;
	of_start.asked = recording->asked;
	of_start.rule = NULL;
	state_asked_suffix(recording->asked, suffix);
	r = publish_one(recording, &of_start, suffix, 0, &summary);
	if (summary.others > *others)
		*others = summary.others;
	*ret_done = r == 0;
	return r == -ENODATA ? 0 : r;
}

/* Removes the program's plans of certain starts, but for the `n` that `kept` lists. */
static int remove_others(const char *program, const uint64_t *kept, size_t n)
{
	_cleanup_closedir_ DIR *folder = NULL;
	_cleanup_free_ char *path = NULL;
	char name[PLAN_NAME_SIZE];
	struct dirent *entry;
	int r = store_folder(&path);

	if (r < 0)
		return r;
	folder = opendir(path);
	if (!folder)
		return errno == ENOENT ? 0 : -errno;
	plan_name(program, "@", name);
	while ((entry = readdir(folder))) {
		const char *rest = after_prefix(entry->d_name, name);
		bool keep = false;

		for (size_t i = 0; rest && i < n; i++) {
			char suffix[STATE_ASKED_SIZE];

			state_asked_suffix(kept[i], suffix);
			keep |= after_prefix(rest, suffix + 1) != NULL;
		}
		if (rest && !keep && unlinkat(dirfd(folder), entry->d_name, 0) < 0 && errno != ENOENT)
			r = -errno; /* another process may plan the same program */
	}
	return r;
}

static int remove_plan(const char *program)
{
	_cleanup_free_ char *path = NULL;
	int r = store_path_for_writing(STORE_PLAN, program, &path);

	return r < 0 ? r : store_remove_plan(path);
}

int plan_remove(const char *program)
{
	int r = remove_plan(program);

	if (r == 0)
		r = remove_others(program, NULL, 0);
	return r < 0 ? r : signs_withdraw(program);
}

/* The starts do not differ: one plan for all of them, of all recordings together. */
static int publish_for_all(
	const struct recordings *recordings, const struct plan_options *options, struct plan_summary *summary)
{
	_cleanup_(profile_releasep) struct profile all = {0};
	int r = recordings_merge(recordings, &all);

	if (r == 0)
		r = publish_one(&all, options, STATE_PLAN_SUFFIX, 0, summary);
	return r < 0 ? r : remove_others(recordings->items->program, NULL, 0);
}

/* A plan for each recorded start, and one that leads to them and serves the others. */
static int publish_for_each(
	const struct recordings *recordings, const struct plan_options *options, struct plan_summary *summary)
{
	_cleanup_(profile_releasep) struct profile certain = {0};
	uint64_t done[RECORDINGS_MAX];
	size_t n = 0, others = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < recordings->n; i++) {
		bool published;

		r = publish_start(&recordings->items[i], options, &others, &published);
		if (published)
			done[n++] = recordings->items[i].asked;
	}
	if (r == 0)
		r = certain_of(recordings, options->rule, options->shared, &certain);
	if (r == 0)
		r = publish_one(&certain, options, STATE_PLAN_SUFFIX, n, summary);
	if (others > summary->others)
		summary->others = others;
	summary->starts = n;
	return r < 0 ? r : remove_others(recordings->items->program, done, n);
}

int plan_publish(
	struct recordings *recordings, const struct plan_options *options, struct plan_summary *ret_summary)
{
	const char *rule = options->rule ? options->rule : ASKED_RULE_ALL;
	struct plan_options of_rule = *options;
	int r = recordings->n > 0 ? 0 : -ENODATA;

	of_rule.rule = rule;
	for (size_t i = 0; r == 0 && i < recordings->n; i++) {
		/* A server of a user's may never answer. */
		r = find_asked(&recordings->items[i], rule, options->shared);
		if (r == 0)
			r = leave_out_hidden(&recordings->items[i], options);
		if (r == 0)
			leave_out_documents(&recordings->items[i], options->shared);
	}
	if (r < 0)
		return r;
	r = options->rule || recordings->n > 1 ? publish_for_each(recordings, &of_rule, ret_summary)
					       : publish_for_all(recordings, options, ret_summary);
	/* What was there may name what others own by now. If only the limits left nothing to read, they are a mistake. */
	if (r == -ENODATA && ret_summary->others > 0 && !ret_summary->limited)
		(void)plan_remove(recordings->items->program);
	if (r == 0)
		(void)signs_publish(recordings->items->program); /* a missing sign only costs a wait */
	return r;
}
