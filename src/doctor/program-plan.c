/* SPDX-License-Identifier: MIT */
/* Checks a program's plan: whether there is one, whether it is still valid, and how much it reads. */
#include <string.h>

#include "base/cleanup.h"
#include "doctor/state.h"

#define LOST_SHARE 10 /* percent: a plan that has lost more of its pages is worth a new recording */

static bool has_profile(const struct store *store, const char *program)
{
	_cleanup_free_ char *path = NULL;

	return store_look_up(store, STORE_PROFILE, program, &path) == 0;
}

/* Finds the plan as 'headstart run' does. */
static int find_plan(const struct doctor_host *host, const struct store *store, const char *program,
	struct state_plan *ret)
{
	_cleanup_free_ char *path = NULL;
	int r = store_look_up(store, STORE_PLAN, program, &path);

	return r < 0 ? r : state_plan_read(host, path, ret);
}

static void say_none(const struct doctor_program *program, bool profile, struct doctor_report *report)
{
	doctor_say(report, DOCTOR_NOTE, "plan",
		profile ? "it was recorded, but has no plan" : "it was not recorded");
	doctor_consequence(report, "'headstart run' does nothing for it%s%s",
		profile ? " but make the plan" : "",
		doctor_program_heeds_audit(program)
			? "; the audit shim reads its libraries whole as they are mapped, which gains less"
			: "");
	if (profile)
		doctor_mend(report, "headstart plan --program %s", program->path_word);
	else
		doctor_mend(report, "sudo headstart record -- %s", program->command_word);
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

static void say_gain(const struct plan_view *plan, struct doctor_report *report)
{
	uint64_t pages = count_pages(plan);

	doctor_consequence(report,
		"a cold start reads %llu KiB of %u files in %u extents, in %s, instead of page by page; "
		"bench/coldstart measures the gain",
		(unsigned long long)(pages * LE32(plan->header->page_size) / 1024), plan->file_count,
		plan->extent_count,
		LE32(plan->header->order) == PLAN_ORDER_PHYSICAL ? "the order of the disk"
								 : "order of first touch");
}

/*
 * Files that the start itself writes change with every start. Another recording would not help, but a plan without them
 * does. If more pages are lost, files were updated.
 */
static void say_changes(const struct doctor_host *host, const struct doctor_program *program,
	const struct state_plan *plan, const struct plan_changes *changes, struct doctor_report *report)
{
	doctor_say(report, DOCTOR_NOTE, "plan", "'%s': of %u files %u changed, %u gone", plan->path,
		plan->view.file_count, changes->changed, changes->gone);
	if (changes->pages > count_pages(&plan->view) / LOST_SHARE)
		doctor_mend(report, "sudo headstart record -- %s", program->command_word);
	else
		doctor_mend(report, "%sheadstart plan --program %s", state_sudo(host, plan->path),
			program->path_word);
}

/* Reports a plan whose order is for another class of disk. */
static void check_order(const struct doctor_host *host, const struct doctor_program *program,
	const struct state_plan *plan, struct doctor_report *report)
{
	bool physical = LE32(plan->view.header->order) == PLAN_ORDER_PHYSICAL;
	struct device device;

	if (host->device(host, program->path, &device) < 0 || physical == (device.class == DEVICE_ROTATIONAL))
		return;
	doctor_say(report, DOCTOR_NOTE, "plan", "its order is for %s disk, and the program lies on '%s' (%s)",
		physical ? "a rotating" : "a solid-state", device.name, device_class_name(device.class));
	doctor_consequence(report,
		"reads come in the wrong order, unless the plan was made so on purpose (plan --device)");
	doctor_mend(
		report, "%sheadstart plan --program %s", state_sudo(host, plan->path), program->path_word);
}

void check_plan(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report)
{
	_cleanup_(state_plan_releasep) struct state_plan plan = {0};
	const struct store store = state_store(host);
	struct plan_changes changes;
	bool found;

	found = find_plan(host, &store, program->path, &plan) == 0;
	if (say_denied(host, program, found ? &plan : NULL, report))
		return;
	if (!found) {
		say_none(program, has_profile(&store, program->path), report);
		return;
	}
	if (plan.fault != PLAN_GOOD) {
		doctor_say(report, DOCTOR_PROBLEM, "plan", "'%s' %s", plan.path, plan_fault_text(plan.fault));
		doctor_consequence(report, "it is not used: the program starts as without headstart");
		doctor_mend(report, "%sheadstart plan --program %s", state_sudo(host, plan.path),
			program->path_word);
		return;
	}
	changes = state_plan_changes(host, &plan.view);
	if (changes.changed + changes.gone == 0 && changes.hidden > 0)
		doctor_say(report, DOCTOR_OK, "plan",
			"'%s': %u of %u files not checked, because this user may not look at them; the others are "
			"as they were",
			plan.path, changes.hidden, plan.view.file_count);
	else if (changes.changed + changes.gone == 0)
		doctor_say(report, DOCTOR_OK, "plan", "'%s', every file is as it was", plan.path);
	else
		say_changes(host, program, &plan, &changes, report);
	say_gain(&plan.view, report);
	check_order(host, program, &plan, report);
}
