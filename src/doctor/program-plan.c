/* SPDX-License-Identifier: MIT */
/* Checks a program's plans: whether there are any, what of the recordings they still cover, and how much they read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "doctor/state.h"
#include "plan/asked/alias.h"
#include "plan/coverage.h"
#include "plan/lost.h"

static bool has_profile(const struct store *store, const char *program)
{
	_cleanup_free_ char *path = NULL;

	return store_look_up(store, STORE_PROFILE, program, &path) == 0;
}

static int find_plan(const struct doctor_host *host, const struct store *store, const char *program,
	struct state_plan *ret)
{
	_cleanup_free_ char *path = NULL;
	int r = store_look_up(store, STORE_PLAN, program, &path);

	return r < 0 ? r : state_plan_read(host, path, ret);
}

/* Says how to make the plan anew. */
static void mend_by_planning(const struct doctor_host *host, const struct doctor_program *program,
	const char *plan, struct doctor_report *report)
{
	const char *sudo = state_sudo(host, plan);

	if (state_is_renewable(host, plan, program->path))
		doctor_mend(report, "%sheadstart plan --program %s", sudo, program->path_word);
	else
		doctor_mend(report, "%sheadstart plan FILE   # the profile of which the plan was made", sudo);
}

static void say_none(const struct doctor_host *host, const struct doctor_program *program, bool profile,
	struct doctor_report *report)
{
	doctor_say(report, DOCTOR_NOTE, "plan",
		profile ? "it was recorded, but has no plan" : "the program was not recorded");
	doctor_consequence(report, "'headstart run' does nothing for it%s%s",
		profile ? " but make the plan" : "",
		doctor_program_heeds_audit(program)
			? "; the audit shim reads ahead in its libraries as they are mapped, which gains less"
			: "");
	if (profile)
		doctor_mend(report, "headstart plan --program %s", program->path_word);
	else
		doctor_mend_by_recording(host, program, report);
}

/*
 * Reports if settings keep headstart from the program, whose plan this is (NULL: it has none). Returns whether they do.
 */
static bool say_denied(const struct doctor_host *host, const struct doctor_program *program,
	const struct state_plan *plan, struct doctor_report *report)
{
	_cleanup_free_ char *why = host->denied ? host->denied(program->path) : NULL;

	if (!why)
		return false;
	doctor_say(report, DOCTOR_NOTE, "plan", "%s", why);
	if (!plan) {
		doctor_consequence(report, "nothing is read ahead for it");
	} else if (*state_sudo(host, plan->path)) {
		doctor_consequence(report,
			"'headstart run' does nothing for it, but the shims use root's plan, which serves "
			"everybody, until root's settings also deny it and are applied");
		doctor_mend(report, "sudo headstart config apply");
	} else {
		doctor_consequence(report,
			"'headstart run' reads nothing ahead for it, but the shims use its old plan until "
			"the settings are applied");
		doctor_mend(report, "headstart config apply");
	}
	return true;
}

static uint64_t count_pages(const struct plan_view *plan)
{
	uint64_t pages = 0;

	for (uint32_t i = 0; i < plan->extent_count; i++)
		pages += LE32(plan->extents[i].pages);
	return pages;
}

/* Without the folders and links that lead to them. */
static uint32_t count_files(const struct plan_view *plan)
{
	uint32_t files = 0;

	for (uint32_t i = 0; i < plan->file_count; i++)
		files += LE32(plan->files[i].kind) == PLAN_REGULAR;
	return files;
}

static void say_gain(
	const struct plan_view *plan, const struct plan_coverage *coverage, struct doctor_report *report)
{
	_cleanup_free_ char *guessed = NULL;
	const double megabytes = LE32(plan->header->page_size) / 1e6; /* of a page */
	uint32_t files = count_files(plan);

	if (coverage->guessed > 0 &&
		asprintf(&guessed,
			"; %.1f MB of them are guessed, in files that were updated since the recording",
			(double)coverage->guessed * megabytes) < 0)
		guessed = NULL;
	doctor_consequence(report,
		"a cold start reads %.1f MB of %u file%s in %u extent%s, in %s, instead of page by page%s; "
		"'headstart measure' says what that gains",
		(double)count_pages(plan) * megabytes, files, plural(files), plan->extent_count,
		plural(plan->extent_count),
		LE32(plan->header->order) == PLAN_ORDER_PHYSICAL ? "the order of the disk"
								 : "order of first touch",
		guessed ? guessed : "");
}

/*
 * Files that the start itself writes change with every start, and others with every package that is installed. A few of
 * them are nothing to care for: the next plan is made of what is there then.
 */
static void say_changes(const struct doctor_host *host, const struct doctor_program *program,
	const struct state_plan *plan, const struct plan_coverage *coverage, struct doctor_report *report)
{
	bool stale = plan_coverage_is_stale(coverage);

	doctor_say(report, stale ? DOCTOR_NOTE : DOCTOR_OK, "plan",
		"'%s': of %u file%s %u changed, %u gone%s", plan->path, plan->loaded.view.file_count,
		plural(plan->loaded.view.file_count), coverage->changed, coverage->gone,
		coverage->outdated_program ? "; the program itself is among them" : "");
	if (stale)
		mend_by_planning(host, program, plan->path, report);
}

static void say_fresh(
	const struct state_plan *plan, const struct plan_coverage *coverage, struct doctor_report *report)
{
	unsigned long long recorded = coverage->recorded, lost = coverage->lost, guessed = coverage->guessed;

	if (coverage->hidden > 0)
		doctor_say(report, DOCTOR_OK, "plan",
			"'%s': %u of %u files not checked, because this user may not look at them; the others are "
			"as they were",
			plan->path, coverage->hidden, plan->loaded.view.file_count);
	else if (lost > 0)
		doctor_say(report, plan_coverage_is_worn(coverage) ? DOCTOR_NOTE : DOCTOR_OK, "plan",
			"'%s' covers %llu of %llu recorded pages (%.0f %%)", plan->path, recorded - lost,
			recorded, 100.0 * (double)(recorded - lost) / (double)recorded);
	else if (guessed > 0)
		doctor_say(report, DOCTOR_OK, "plan", "'%s' covers every recorded file", plan->path);
	else
		doctor_say(report, DOCTOR_OK, "plan", "'%s', every file is as it was", plan->path);
}

/* "'/usr/bin/python3' itself, '/usr/lib/a.so' and 3 more". The caller frees it; NULL if memory runs out. */
static char *names_of(const struct lost_files *lost)
{
	size_t n = lost->changed + lost->gone, size;
	char *text = NULL;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	for (size_t i = 0; i < lost->n_named; i++) {
		const char *before = i == 0 ? "" : i + 1 == n ? " and " : ", ";

		fprintf(stream, "%s'%s'%s", before, lost->named[i], i == 0 && lost->program ? " itself" : "");
	}
	if (n > lost->n_named)
		fprintf(stream, " and %zu more", n - lost->n_named);
	return fclose(stream) == 0 ? text : NULL;
}

/* Reports which of the recorded files no plan has. */
static void say_lost(const struct lost_files *lost, struct doctor_report *report)
{
	_cleanup_free_ char *names = names_of(lost);
	bool much = lost->program || lost->lost > lost->pages / 10;
	uint64_t left = lost->pages - lost->lost;

	doctor_say(report, much ? DOCTOR_NOTE : DOCTOR_OK, "coverage",
		"of %zu recorded file%s %zu %s changed and %zu %s gone: %s", lost->files, plural(lost->files),
		lost->changed, plural_of(lost->changed, "has", "have"), lost->gone,
		plural_of(lost->gone, "is", "are"), names ? names : "");
	doctor_consequence(report,
		"the plans cover %llu of %llu recorded pages, %.1f of %.1f MB; the rest is read as without headstart",
		(unsigned long long)left, (unsigned long long)lost->pages,
		(double)(left * lost->page_size) / 1e6, (double)(lost->pages * lost->page_size) / 1e6);
}

/* The plans of single starts, beside the one for all others. */
static void say_starts(const struct doctor_host *host, const struct doctor_program *program,
	const struct state_plan *starts, size_t n, struct doctor_report *report)
{
	size_t stale = 0, bad = 0;

	for (size_t i = 0; i < n; i++) {
		struct plan_coverage coverage;

		if (starts[i].fault != PLAN_GOOD)
			bad++;
		else if (plan_coverage_of(&starts[i].loaded.view, host->root, &coverage) == 0)
			stale += plan_coverage_is_stale(&coverage);
	}
	if (bad > 0)
		doctor_say(report, DOCTOR_PROBLEM, "starts",
			"%zu of %zu plans of single starts cannot be used", bad, n);
	else if (stale > 0)
		doctor_say(report, DOCTOR_NOTE, "starts",
			"%zu of %zu plans of single starts %s stale: much has changed since", stale, n,
			plural_of(stale, "is", "are"));
	else
		doctor_say(report, DOCTOR_OK, "starts", "%zu recorded start%s ha%s a plan of %s own", n,
			plural(n), plural_of(n, "s", "ve"), plural_of(n, "its", "their"));
	doctor_consequence(report, "'headstart list %s' shows them", program->path_word);
	if (bad + stale > 0)
		mend_by_planning(host, program, starts->path, report);
}

/* What of the recordings the plan and those of single starts cover. */
static void check_coverage(const struct doctor_host *host, const struct doctor_program *program,
	const struct state_plan *plan, struct doctor_report *report)
{
	_cleanup_(lost_files_releasep) struct lost_files lost = {0};
	_cleanup_free_ struct plan_view *views = NULL;
	const struct store store = host_store(host);
	struct state_plan *starts = NULL;
	size_t n = 0, n_views = 0;

	(void)state_plans_of_starts(host, plan->path, &starts, &n);
	views = calloc(n + 1, sizeof(*views));
	if (views) {
		views[n_views++] = plan->loaded.view;
		for (size_t i = 0; i < n; i++)
			if (starts[i].fault == PLAN_GOOD)
				views[n_views++] = starts[i].loaded.view;
		if (lost_files_find(&store, program->path, views, n_views, &lost) == 0 &&
			lost.changed + lost.gone > 0)
			say_lost(&lost, report);
	}
	if (n > 0)
		say_starts(host, program, starts, n, report);
	for (size_t i = 0; i < n; i++)
		state_plan_release(&starts[i]);
	free(starts);
}

/* Reports a plan whose order is for another class of disk. */
static void check_order(const struct doctor_host *host, const struct doctor_program *program,
	const struct state_plan *plan, struct doctor_report *report)
{
	bool physical = LE32(plan->loaded.view.header->order) == PLAN_ORDER_PHYSICAL;
	struct device device;

	if (host->device(host, program->path, &device) < 0 || physical == (device.class == DEVICE_ROTATIONAL))
		return;
	doctor_say(report, DOCTOR_NOTE, "plan", "its order is for %s disk, and the program lies on '%s' (%s)",
		physical ? "a rotating" : "a solid-state", device.name, device_class_name(device.class));
	doctor_consequence(report,
		"reads come in the wrong order, unless the plan was made so on purpose (plan --device)");
	mend_by_planning(host, program, plan->path, report);
}

/* The program has this plan. */
static void check_found(const struct doctor_host *host, const struct doctor_program *program,
	const struct state_plan *plan, struct doctor_report *report)
{
	struct plan_coverage coverage;

	if (plan->fault != PLAN_GOOD) {
		doctor_say(
			report, DOCTOR_PROBLEM, "plan", "'%s' %s", plan->path, plan_fault_text(plan->fault));
		doctor_consequence(report, "it is not used: the program starts as without headstart");
		mend_by_planning(host, program, plan->path, report);
		return;
	}
	if (plan_coverage_of(&plan->loaded.view, host->root, &coverage) < 0)
		return;
	if (coverage.changed + coverage.gone > 0)
		say_changes(host, program, plan, &coverage, report);
	else
		say_fresh(plan, &coverage, report);
	if (plan_coverage_is_worn(&coverage) && !plan_coverage_is_stale(&coverage))
		doctor_mend_by_recording(host, program, report);
	say_gain(&plan->loaded.view, &coverage, report);
	check_coverage(host, program, plan, report);
	check_order(host, program, plan, report);
}

/* Finds the program that the script does nothing but execute, if 'headstart run' uses the plan of that one instead. */
static bool find_alias(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_program *ret)
{
	const char *const argv[] = {program->command, NULL};
	_cleanup_(alias_releasep) struct alias alias = {0};
	_cleanup_free_ char *plan = NULL;
	const struct store store = host_store(host);

	/* Below another root there is nothing that could be executed. */
	return !*host->root && alias_of(program->path, argv, &alias) == 0 &&
		store_look_up(&store, STORE_PLAN, alias.program, &plan) == 0 &&
		doctor_program_find(host, alias.program, ret) == 0;
}

/* Returns false if there is nothing to report: no plan, and no settings that deny one. */
static bool check_plan_of(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report)
{
	_cleanup_(state_plan_releasep) struct state_plan plan = {0};
	const struct store store = host_store(host);
	bool found = find_plan(host, &store, program->path, &plan) == 0;

	if (say_denied(host, program, found ? &plan : NULL, report))
		return true;
	if (found)
		check_found(host, program, &plan, report);
	return found;
}

void check_plan(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report)
{
	_cleanup_(doctor_program_releasep) struct doctor_program executed = {0};
	const struct store store = host_store(host);

	if (check_plan_of(host, program, report))
		return;
	if (find_alias(host, program, &executed)) {
		doctor_say(report, DOCTOR_OK, "plan",
			"'headstart run' uses that of '%s', which is all that it executes", executed.path);
		(void)check_plan_of(host, &executed, report);
	} else {
		say_none(host, program, has_profile(&store, program->path), report);
	}
}
