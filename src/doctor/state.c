/* SPDX-License-Identifier: MIT */
/* Checks the folders of profiles and plans: who can write them, which plans they have, and which plans are useless. */
#include "doctor/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/links.h"
#include "base/quote.h"
#include "base/strings.h"
#include "base/times.h"

#define PLANS_MAX 4096u /* files of a folder that are looked at, at most */
#define NAMED_MAX 4u    /* plans that a command names, at most */

struct store state_store(const struct doctor_host *host)
{
	struct store store = {.root = host->root, .user = host->user};

	store.environment = (struct state_environment){
		.state = host->variable("HEADSTART_STATE"),
		.xdg_state_home = host->variable("XDG_STATE_HOME"),
		.home = host->variable("HOME"),
		.root = host->user == 0,
	};
	return store;
}

void state_plan_release(struct state_plan *plan)
{
	free(plan->data);
	*plan = (struct state_plan){0};
}

const char *state_sudo(const struct doctor_host *host, const char *path)
{
	const struct store store = state_store(host);
	const char *rest = after_prefix(path, HEADSTART_STATE_DIR);

	return host->user != 0 && !state_variable_set(store.environment.state) && rest && *rest == '/'
		? "sudo "
		: "";
}

int state_plan_read(const struct doctor_host *host, const char *path, struct state_plan *ret)
{
	_cleanup_(state_plan_releasep) struct state_plan plan = {0};
	const struct store store = state_store(host);
	char full[PATH_MAX];
	size_t size;
	int r;

	if (!host_path(host, path, full))
		return -ENAMETOOLONG;
	strcpy(plan.path, path);
	r = store_check(&store, path);
	if (r == 0)
		r = read_file(full, PLAN_FILE_MAX, &plan.data, &size);
	if (r < 0)
		return r;
	plan.fault = plan_view_init(&plan.view, plan.data, size, checksum64);
	plan.marked_stale = store_is_stale(&store, path);
	*ret = plan;
	plan.data = NULL;
	return 0;
}

enum standing { SAME, CHANGED, GONE, HIDDEN };

/* Whether lstat(2) failed because a folder on the way is closed to this user. The file may well be there. */
static bool is_hidden(int error)
{
	return error == EACCES;
}

static enum standing file_standing(
	const struct doctor_host *host, const struct plan_view *plan, uint32_t index)
{
	const struct plan_file *file = &plan->files[index];
	char full[PATH_MAX];
	struct stat st;

	if (!host_path(host, plan_file_path(plan, index), full))
		return GONE;
	if (lstat(full, &st) < 0)
		return is_hidden(errno) ? HIDDEN : GONE;
	if ((st.st_mode & S_IFMT) != plan_file_type(file))
		return GONE;
	return plan_file_is_fresh(file, (uint64_t)st.st_size, nanoseconds(st.st_mtim)) ? SAME : CHANGED;
}

struct plan_changes state_plan_changes(const struct doctor_host *host, const struct plan_view *plan)
{
	struct plan_changes changes = {0};

	for (uint32_t i = 0; i < plan->file_count; i++) {
		enum standing standing = file_standing(host, plan, i);

		changes.changed += standing == CHANGED;
		changes.gone += standing == GONE;
		changes.hidden += standing == HIDDEN;
	}
	for (uint32_t i = 0; changes.changed + changes.gone > 0 && i < plan->extent_count; i++) {
		enum standing standing = file_standing(host, plan, LE32(plan->extents[i].file));

		if (standing == CHANGED || standing == GONE)
			changes.pages += LE32(plan->extents[i].pages);
	}
	return changes;
}

static void check_folder(
	const struct doctor_host *host, const char *folder, bool required, struct doctor_report *report)
{
	_cleanup_free_ char *quoted = quoted_shell(folder);
	char full[PATH_MAX];
	struct stat st;

	if (!quoted || !host_path(host, folder, full))
		return;
	if (stat(full, &st) < 0) {
		if (!required)
			return;
		doctor_say(report, DOCTOR_NOTE, "state", "'%s' does not exist: nothing has been recorded",
			folder);
		doctor_mend(report, "sudo headstart record -- PROGRAM");
	} else if (!S_ISDIR(st.st_mode)) {
		doctor_say(report, DOCTOR_PROBLEM, "state", "'%s' is not a folder", folder);
		doctor_consequence(report, "headstart cannot store profiles or plans");
		doctor_mend(report, "sudo rm %s", quoted);
	} else if ((st.st_mode & 022) != 0 || (st.st_uid != 0 && st.st_uid != host->user)) {
		doctor_say(report, DOCTOR_PROBLEM, "state", "others than root and you can write to '%s'",
			folder);
		doctor_consequence(report,
			"they can remove plans or put old ones back; headstart ignores plans that they own");
		doctor_mend(report, "sudo chown %u %s && sudo chmod 755 %s", required ? 0 : host->user,
			quoted, quoted);
	} else {
		doctor_say(report, DOCTOR_OK, "state", "'%s' exists, and only its owner can write to it",
			folder);
	}
}

/* Whether this is the folder that serves everybody, to which a recorder that is root writes. */
static bool is_roots(const struct state_environment *environment, const char *folder)
{
	return state_variable_set(environment->state) || streq(folder, HEADSTART_STATE_DIR);
}

void check_state(const struct doctor_host *host, struct doctor_report *report)
{
	const struct store store = state_store(host);
	const struct state_environment *environment = &store.environment;
	char folder[PATH_MAX];

	if (environment->state && !state_variable_set(environment->state)) {
		doctor_say(report, DOCTOR_NOTE, "state", "HEADSTART_STATE is not an absolute path");
		doctor_consequence(report, "it counts as not set");
		doctor_mend(report, "unset HEADSTART_STATE");
	}
	for (unsigned n = 0; n < STATE_FOLDERS_MAX; n++)
		if (state_folder(environment, n, folder, sizeof(folder)))
			check_folder(host, folder, is_roots(environment, folder), report);
}

/* Plans with the same fault. */
struct tally {
	size_t n;
	char *words; /* owned: their names, quoted for a command */
	size_t named;
};

/* Of one folder. */
struct tallies {
	size_t all, hidden; /* hidden: this user may not read the plan, or not find out about a file of it */
	const char *sudo;   /* the beginning of commands that change something there */
	struct tally stale, gone, bad, untrusted;
};

static void count(struct tally *tally, const char *word)
{
	_cleanup_free_ char *quoted = quoted_shell(word);
	char *words;

	tally->n++;
	if (!quoted || tally->named == NAMED_MAX ||
		asprintf(&words, "%s%s%s", tally->words ? tally->words : "", tally->words ? " " : "",
			quoted) < 0)
		return;
	free(tally->words);
	tally->words = words;
	tally->named++;
}

static bool may_read(const struct doctor_host *host, const char *path)
{
	char full[PATH_MAX];

	return host_path(host, path, full) &&
		(faccessat(AT_FDCWD, full, R_OK, AT_EACCESS) == 0 || !is_hidden(errno));
}

static enum standing program_standing(const struct doctor_host *host, const char *program)
{
	char full[PATH_MAX];

	if (!host_path(host, program, full))
		return GONE;
	if (access(full, F_OK) == 0)
		return SAME;
	return is_hidden(errno) ? HIDDEN : GONE;
}

static void count_read_plan(
	const struct doctor_host *host, const struct state_plan *plan, struct tallies *tallies)
{
	const char *program = plan_program(&plan->view);
	enum standing standing = program_standing(host, program);
	struct plan_changes changes = state_plan_changes(host, &plan->view);

	if (standing == GONE)
		count(&tallies->gone, plan->path);
	else if (standing == SAME && (plan->marked_stale || changes.changed + changes.gone > 0))
		count(&tallies->stale, program);
	else if (standing == HIDDEN || changes.hidden > 0)
		tallies->hidden++;
}

static void count_plan(const struct doctor_host *host, const char *path, struct tallies *tallies)
{
	_cleanup_(state_plan_releasep) struct state_plan plan = {0};
	int r = state_plan_read(host, path, &plan);

	tallies->all++;
	tallies->sudo = state_sudo(host, path);
	if (!may_read(host, path))
		tallies->hidden++;
	else if (r == -EPERM)
		count(&tallies->untrusted, path);
	else if (r < 0 || plan.fault != PLAN_GOOD)
		count(&tallies->bad, path);
	else
		count_read_plan(host, &plan, tallies);
}

static void count_folder(const struct doctor_host *host, const char *folder, struct tallies *tallies)
{
	_cleanup_closedir_ DIR *dir = NULL;
	char full[PATH_MAX], path[PATH_MAX];

	if (!host_path(host, folder, full) || !(dir = opendir(full)))
		return;
	for (struct dirent *entry; (entry = readdir(dir)) && tallies->all < PLANS_MAX;) {
		size_t length = strlen(entry->d_name), suffix = strlen(STATE_PLAN_SUFFIX);

		if (length > suffix && streq(entry->d_name + length - suffix, STATE_PLAN_SUFFIX) &&
			!links_to_neighbour(dirfd(dir), entry->d_name) &&
			snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) < PATH_MAX)
			count_plan(host, path, tallies);
	}
}

static void say_faults(const struct tallies *tallies, struct doctor_report *report)
{
	const struct tally *stale = &tallies->stale, *gone = &tallies->gone, *bad = &tallies->bad;

	if (stale->n > 0) {
		doctor_say(report, DOCTOR_NOTE, "plans", "%zu stale: some of their files have changed",
			stale->n);
		doctor_consequence(report,
			"headstart leaves these files out%s; if most have changed, record again",
			*tallies->sudo ? "" : " and compiles the plans again after the next cold start");
		doctor_mend(report, "for p in %s; do %sheadstart plan --program \"$p\"; done",
			stale->words ? stale->words : "", tallies->sudo);
	}
	if (gone->n > 0) {
		doctor_say(report, DOCTOR_NOTE, "plans", "%zu for programs that do not exist here", gone->n);
		doctor_consequence(report, "they only take up space, unless the programs exist in a sandbox");
		doctor_mend(report, "%srm %s", tallies->sudo, gone->words ? gone->words : "");
	}
	if (bad->n > 0) {
		doctor_say(report, DOCTOR_PROBLEM, "plans", "%zu damaged, unreadable or of another version",
			bad->n);
		doctor_consequence(report,
			"their programs start as without headstart; 'headstart run' compiles the plans "
			"again if there are profiles");
		doctor_mend(report, "%srm %s", tallies->sudo, bad->words ? bad->words : "");
	}
	if (tallies->untrusted.n > 0) {
		doctor_say(report, DOCTOR_PROBLEM, "plans", "%zu that others may have written",
			tallies->untrusted.n);
		doctor_consequence(report,
			"headstart ignores them: a plan must be a regular file that root or the user owns "
			"and nobody else can write");
		doctor_mend(report, "%srm %s", tallies->sudo,
			tallies->untrusted.words ? tallies->untrusted.words : "");
	}
}

/* Adds the numbers of a folder to *all and *hidden. */
static void check_plans_in(const struct doctor_host *host, const char *folder, struct doctor_report *report,
	size_t *all, size_t *hidden)
{
	struct tallies tallies = {0};

	count_folder(host, folder, &tallies);
	say_faults(&tallies, report);
	free(tallies.stale.words);
	free(tallies.gone.words);
	free(tallies.bad.words);
	free(tallies.untrusted.words);
	*all += tallies.all;
	*hidden += tallies.hidden;
}

void check_plans(const struct doctor_host *host, struct doctor_report *report)
{
	const struct store store = state_store(host);
	char folder[PATH_MAX];
	size_t before = report->n, all = 0, hidden = 0;

	for (unsigned n = 0; n < STATE_FOLDERS_MAX; n++)
		if (state_folder(&store.environment, n, folder, sizeof(folder)))
			check_plans_in(host, folder, report, &all, &hidden);
	if (hidden > 0)
		doctor_say(report, DOCTOR_OK, "plans",
			"%zu not checked, because this user may not read them or look at their files",
			hidden);
	else if (report->n == before && all > 0)
		doctor_say(report, DOCTOR_OK, "plans", "%zu, all fresh", all);
	else if (report->n == before)
		doctor_say(report, DOCTOR_OK, "plans", "none yet");
}
