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
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/links.h"
#include "base/plural.h"
#include "base/quote.h"
#include "base/strings.h"
#include "plan/coverage.h"

#define PLANS_MAX 4096u /* files of a folder that are looked at, at most */
#define NAMED_MAX 4u    /* plans that a command names, at most */

void state_plan_release(struct state_plan *plan)
{
	loaded_plan_release(&plan->loaded);
	*plan = (struct state_plan){0};
}

const char *state_sudo(const struct doctor_host *host, const char *path)
{
	const struct store store = host_store(host);
	const char *rest = after_prefix(path, HEADSTART_STATE_DIR);

	return host->user != 0 && !state_variable_set(store.environment.state) && rest && *rest == '/'
		? "sudo "
		: "";
}

int state_plan_read(const struct doctor_host *host, const char *path, struct state_plan *ret)
{
	_cleanup_(state_plan_releasep) struct state_plan plan = {0};
	const struct store store = host_store(host);
	char full[PATH_MAX];
	int r;

	if (!host_path(host, path, full))
		return -ENAMETOOLONG;
	strcpy(plan.path, path);
	r = store_check(&store, path);
	if (r == 0)
		r = plan_load_path(full, &plan.loaded, &plan.fault);
	if (r < 0 && r != -EBADMSG)
		return r;
	*ret = plan;
	plan = (struct state_plan){0};
	return 0;
}

int state_plans_of_starts(
	const struct doctor_host *host, const char *path, struct state_plan **ret, size_t *ret_n)
{
	_cleanup_closedir_ DIR *folder = NULL;
	struct state_plan *plans = NULL;
	size_t n = 0, capacity = 0, length = strlen(path) - strlen(STATE_PLAN_SUFFIX);
	char full[PATH_MAX], start[PATH_MAX];
	size_t base = (size_t)(strrchr(path, '/') + 1 - path);
	struct dirent *entry;

	snprintf(start, sizeof(start), "%.*s", (int)base, path);
	if (!host_path(host, start, full) || !(folder = opendir(full)))
		return -ENOENT;
	while ((entry = readdir(folder)) && n < PLANS_MAX) {
		if (strncmp(entry->d_name, path + base, length - base) != 0 ||
			entry->d_name[length - base] != '@' || !ends_with(entry->d_name, STATE_PLAN_SUFFIX) ||
			snprintf(start, sizeof(start), "%.*s%s", (int)base, path, entry->d_name) >= PATH_MAX)
			continue;
		if (ARRAY_RESERVE(plans, capacity, n + 1) < 0)
			break;
		plans[n] = (struct state_plan){.fault = PLAN_DAMAGED};
		(void)state_plan_read(host, start, &plans[n++]);
	}
	*ret = plans;
	*ret_n = n;
	return 0;
}

/* Whether a look at a file failed because a folder on the way is closed to this user. The file may well be there. */
static bool is_hidden(int error)
{
	return error == EACCES;
}

/* `roots`: it is the one that serves everybody. `required`: it should exist. */
static void check_folder(const struct doctor_host *host, const char *folder, bool roots, bool required,
	struct doctor_report *report)
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
		doctor_mend(report, "%sheadstart record -- PROGRAM", roots ? "sudo " : "");
	} else if (!S_ISDIR(st.st_mode)) {
		doctor_say(report, DOCTOR_PROBLEM, "state", "'%s' is not a folder", folder);
		doctor_consequence(report, "headstart cannot store profiles or plans");
		doctor_mend(report, "sudo rm %s", quoted);
	} else if ((st.st_mode & 022) != 0 || (st.st_uid != 0 && st.st_uid != host->user)) {
		doctor_say(report, DOCTOR_PROBLEM, "state", "others than root and you can write to '%s'",
			folder);
		doctor_consequence(report,
			"they can remove plans or put old ones back; headstart ignores plans that they own");
		doctor_mend(report, "sudo chown %u %s && sudo chmod 755 %s", roots ? 0 : host->user, quoted,
			quoted);
	} else {
		doctor_say(report, DOCTOR_OK, "state", "'%s' exists, and only its owner can write to it",
			folder);
	}
}

/* Elsewhere than in a home, or for root, the shims use plans wherever they lie. */
static void check_server(const struct doctor_host *host, const char *folder, struct doctor_report *report)
{
	if (host->user == 0 || !host->is_served || !host->is_served(host, folder))
		return;
	doctor_say(report, DOCTOR_NOTE, "state", "a server has '%s'", folder);
	doctor_consequence(report,
		"only 'headstart run' uses the plans there; the shims leave them, because the server may not answer");
}

void check_state(const struct doctor_host *host, struct doctor_report *report)
{
	const struct store store = host_store(host);
	const struct state_environment *environment = &store.environment;
	char folder[PATH_MAX];

	if (environment->state && !state_variable_set(environment->state)) {
		doctor_say(report, DOCTOR_NOTE, "state", "HEADSTART_STATE is not an absolute path");
		doctor_consequence(report, "it counts as not set");
		doctor_mend(report, "unset HEADSTART_STATE");
	}
	for (unsigned n = 0; n < STATE_FOLDERS_MAX; n++) {
		bool roots;

		if (!state_folder(environment, n, folder, sizeof(folder)))
			continue;
		roots = streq(folder, HEADSTART_STATE_DIR);
		check_folder(host, folder, roots, roots || state_variable_set(environment->state), report);
		if (!roots && !state_variable_set(environment->state))
			check_server(host, folder, report);
	}
}

/* Plans with the same fault. */
struct tally {
	size_t n;
	char *last;  /* owned: what was counted last */
	char *words; /* owned: the first names, quoted for a command; each once */
	size_t named, names;
};

/* Of one folder. */
struct tallies {
	size_t all, starts; /* plans of programs, and of single starts */
	size_t hidden;      /* this user may not read the plan, or not find out about a file of it */
	size_t older;       /* of a format that nobody reads any more, with their profiles */
	size_t fewer;       /* that cover a little less than was recorded */
	const char *sudo;   /* the beginning of commands that change something there */
	struct tally stale, foreign, worn, gone, bad, untrusted; /* foreign: stale, and not renewable */
};

static void tally_release(struct tally *tally)
{
	free(tally->last);
	free(tally->words);
}

/* The plans of one program come one after the other. */
static void count(struct tally *tally, const char *word)
{
	_cleanup_free_ char *quoted = quoted_shell(word);
	bool again = tally->last && streq(tally->last, word);
	char *words;

	tally->n++;
	if (again)
		return;
	free(tally->last);
	tally->last = strdup(word);
	tally->names++;
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

/* Whether the program is gone for certain; *ret_hidden: it may be there, in a closed folder. */
static bool is_gone(const struct doctor_host *host, const char *program, bool *ret_hidden)
{
	char full[PATH_MAX];
	bool there = host_path(host, program, full) && access(full, F_OK) == 0;

	*ret_hidden = !there && is_hidden(errno);
	return !there && !*ret_hidden;
}

static bool has_profile(const struct doctor_host *host, const char *plan)
{
	char profile[PATH_MAX], full[PATH_MAX];

	return store_profile_of_plan(plan, profile) && host_path(host, profile, full) &&
		access(full, F_OK) == 0;
}

/* Users also compile root's profiles for themselves; root only its own. */
bool state_is_renewable(const struct doctor_host *host, const char *plan, const char *program)
{
	const struct store store = host_store(host);
	_cleanup_free_ char *profile = NULL;

	return has_profile(host, plan) ||
		(!*state_sudo(host, plan) && store_look_up(&store, STORE_PROFILE, program, &profile) == 0);
}

static void count_read_plan(
	const struct doctor_host *host, const struct state_plan *plan, struct tallies *tallies)
{
	const char *program = plan_program(&plan->loaded.view);
	struct plan_coverage coverage;
	bool hidden;

	if (is_gone(host, program, &hidden))
		count(&tallies->gone, plan->path);
	else if (hidden || plan_coverage_of(&plan->loaded.view, host->root, &coverage) < 0)
		tallies->hidden++;
	else if (plan_coverage_is_stale(&coverage))
		count(state_is_renewable(host, plan->path, program) ? &tallies->stale : &tallies->foreign,
			program);
	else if (plan_coverage_is_worn(&coverage))
		count(&tallies->worn, program);
	else if (coverage.hidden > 0)
		tallies->hidden++;
	else
		tallies->fewer += coverage.lost + coverage.changed + coverage.gone > 0;
}

static void count_plan(const struct doctor_host *host, const char *path, struct tallies *tallies)
{
	_cleanup_(state_plan_releasep) struct state_plan plan = {0};
	int r = state_plan_read(host, path, &plan);

	if (strchr(strrchr(path, '/'), '@'))
		tallies->starts++;
	else
		tallies->all++;
	tallies->sudo = state_sudo(host, path);
	if (!may_read(host, path))
		tallies->hidden++;
	else if (r == -EPERM)
		count(&tallies->untrusted, path);
	else if (r == 0 && plan.fault == PLAN_OLDER && has_profile(host, path))
		tallies->older++;
	else if (r < 0 || plan.fault != PLAN_GOOD)
		count(&tallies->bad, path);
	else
		count_read_plan(host, &plan, tallies);
}

static int is_plan(const struct dirent *entry)
{
	return ends_with(entry->d_name, STATE_PLAN_SUFFIX);
}

static void count_folder(const struct doctor_host *host, const char *folder, struct tallies *tallies)
{
	_cleanup_close_ int fd = -1;
	struct dirent **entries = NULL;
	char full[PATH_MAX], path[PATH_MAX];
	int n;

	if (!host_path(host, folder, full) || (n = scandir(full, &entries, is_plan, alphasort)) < 0)
		return;
	fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < n; i++) {
		if (tallies->all + tallies->starts < PLANS_MAX && fd >= 0 &&
			!links_to_neighbour(fd, entries[i]->d_name) &&
			snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) < PATH_MAX)
			count_plan(host, path, tallies);
		free(entries[i]);
	}
	free(entries);
}

/* What to add to a finding whose command does not name all. */
static const char *only_some(const struct tally *tally)
{
	return tally->names > tally->named ? "; the command is for the first four" : "";
}

static void say_foreign(const struct tallies *tallies, struct doctor_report *report)
{
	const struct tally *foreign = &tallies->foreign;

	if (foreign->n == 0)
		return;
	doctor_say(report, DOCTOR_NOTE, "plans",
		"%zu stale, made of %s that %s not stored: the program, or more than a tenth of the pages, has "
		"changed since%s",
		foreign->n, plural_of(foreign->n, "a profile", "profiles"),
		plural_of(foreign->n, "is", "are"), only_some(foreign));
	doctor_consequence(report, "headstart leaves these files out until the profile is compiled again");
	doctor_mend(report, "%sheadstart plan FILE   # the profile of %s", tallies->sudo,
		foreign->words ? foreign->words : "");
}

static void say_changes(const struct tallies *tallies, struct doctor_report *report)
{
	const struct tally *stale = &tallies->stale, *worn = &tallies->worn;

	if (stale->n > 0) {
		doctor_say(report, DOCTOR_NOTE, "plans",
			"%zu stale: the program, or more than a tenth of the pages, has changed since%s",
			stale->n, only_some(stale));
		doctor_consequence(report, "headstart leaves these files out%s",
			*tallies->sudo ? "" : ", and compiles the plans again after the next cold start");
		doctor_mend(report, "for p in %s; do %sheadstart plan --program \"$p\"; done",
			stale->words ? stale->words : "", tallies->sudo);
	}
	if (worn->n > 0) {
		doctor_say(report, DOCTOR_NOTE, "plans", "%zu for %s changed much since %s recorded%s",
			worn->n, plural_of(worn->n, "a program that has", "programs that have"),
			plural_of(worn->n, "it was", "they were"), only_some(worn));
		doctor_consequence(report,
			"what has changed is read as without headstart; 'headstart list' shows how the programs "
			"were recorded");
		doctor_mend(report, "for p in %s; do headstart list \"$p\"; done",
			worn->words ? worn->words : "");
	}
}

static void say_older(const struct tallies *tallies, struct doctor_report *report)
{
	if (tallies->older == 0)
		return;
	doctor_say(report, DOCTOR_PROBLEM, "plans", "%zu made by an older headstart", tallies->older);
	doctor_consequence(report,
		"their programs start as without headstart until the plans are made anew, by this command, by "
		"'headstart run', or, if they are root's, by headstartd while the machine is quiet");
	doctor_mend(report, "%sheadstart config apply --older", tallies->sudo);
}

static void say_faults(const struct tallies *tallies, struct doctor_report *report)
{
	const struct tally *gone = &tallies->gone, *bad = &tallies->bad;

	if (gone->n > 0) {
		doctor_say(report, DOCTOR_NOTE, "plans", "%zu for %s not exist here%s", gone->n,
			plural_of(gone->n, "a program that does", "programs that do"), only_some(gone));
		doctor_consequence(report, "%s up space, unless the %s in a sandbox",
			plural_of(gone->n, "it only takes", "they only take"),
			plural_of(gone->n, "program exists", "programs exist"));
		doctor_mend(report, "%srm %s", tallies->sudo, gone->words ? gone->words : "");
	}
	if (bad->n > 0) {
		doctor_say(report, DOCTOR_PROBLEM, "plans", "%zu damaged, unreadable or of another version%s",
			bad->n, only_some(bad));
		doctor_consequence(report,
			"their programs start as without headstart; 'headstart run' compiles the plans "
			"again if there are profiles");
		doctor_mend(report, "%srm %s", tallies->sudo, bad->words ? bad->words : "");
	}
	if (tallies->untrusted.n > 0) {
		doctor_say(report, DOCTOR_PROBLEM, "plans", "%zu that others may have written%s",
			tallies->untrusted.n, only_some(&tallies->untrusted));
		doctor_consequence(report,
			"headstart ignores them: a plan must be a regular file that root or the user owns "
			"and nobody else can write");
		doctor_mend(report, "%srm %s", tallies->sudo,
			tallies->untrusted.words ? tallies->untrusted.words : "");
	}
}

static void add_up(struct tallies *sum, const struct tallies *folder)
{
	sum->all += folder->all;
	sum->starts += folder->starts;
	sum->hidden += folder->hidden;
	sum->fewer += folder->fewer;
}

static void tallies_release(struct tallies *tallies)
{
	tally_release(&tallies->stale);
	tally_release(&tallies->foreign);
	tally_release(&tallies->worn);
	tally_release(&tallies->gone);
	tally_release(&tallies->bad);
	tally_release(&tallies->untrusted);
}

void doctor_count_plans(const struct doctor_host *host, const char *folder, struct doctor_plans *ret)
{
	struct tallies tallies = {0};

	count_folder(host, folder, &tallies);
	*ret = (struct doctor_plans){tallies.all, tallies.starts, tallies.stale.n + tallies.foreign.n,
		tallies.worn.n, tallies.older};
	tallies_release(&tallies);
}

static void check_plans_in(
	const struct doctor_host *host, const char *folder, struct tallies *sum, struct doctor_report *report)
{
	struct tallies tallies = {0};

	count_folder(host, folder, &tallies);
	say_changes(&tallies, report);
	say_foreign(&tallies, report);
	say_older(&tallies, report);
	say_faults(&tallies, report);
	tallies_release(&tallies);
	add_up(sum, &tallies);
}

/* There is nothing wrong with the plans. */
static void say_good(const struct tallies *tallies, struct doctor_report *report)
{
	_cleanup_free_ char *starts = NULL;

	if (tallies->all == 0) {
		doctor_say(report, DOCTOR_OK, "plans", "none yet");
		return;
	}
	if (tallies->starts > 0 && asprintf(&starts, " and %zu of single starts", tallies->starts) < 0)
		starts = NULL;
	if (tallies->fewer > 0)
		doctor_say(report, DOCTOR_OK, "plans",
			"%zu%s, all fresh but for a few files that %zu do without", tallies->all,
			starts ? starts : "", tallies->fewer);
	else
		doctor_say(
			report, DOCTOR_OK, "plans", "%zu%s, all fresh", tallies->all, starts ? starts : "");
}

void check_plans(const struct doctor_host *host, struct doctor_report *report)
{
	const struct store store = host_store(host);
	struct tallies sum = {0};
	char folder[PATH_MAX];
	size_t before = report->n;

	for (unsigned n = 0; n < STATE_FOLDERS_MAX; n++)
		if (state_folder(&store.environment, n, folder, sizeof(folder)))
			check_plans_in(host, folder, &sum, report);
	if (sum.hidden > 0)
		doctor_say(report, DOCTOR_OK, "plans",
			"%zu not checked, because this user may not read them or look at their files",
			sum.hidden);
	else if (report->n == before)
		say_good(&sum, report);
}
