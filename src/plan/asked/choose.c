/* SPDX-License-Identifier: MIT */
/* Reads plans from the store until one fits the start. */
#include "plan/asked/choose.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "plan/asked/alias.h"
#include "plan/asked/guess.h"

void chosen_plan_release(struct chosen_plan *chosen)
{
	free(chosen->path);
	loaded_plan_release(&chosen->loaded);
	free(chosen->alias_of);
	*chosen = (struct chosen_plan){0};
}

/* Reads the program's plan with that suffix in the n-th folder. Returns 0, -ENOENT if none is trusted, or negative
 * errno. */
static int read_plan(const struct store *store, unsigned n, const char *suffix, const char *program,
	struct chosen_plan *ret)
{
	_cleanup_(chosen_plan_releasep) struct chosen_plan plan = {0};
	_cleanup_free_ char *full = NULL;
	int r = store_look_in(store, n, suffix, program, &plan.path);

	if (r < 0)
		return r;
	if (asprintf(&full, "%s%s", store->root, plan.path) < 0)
		return -ENOMEM;
	r = plan_load_path(full, &plan.loaded, &plan.fault);
	if (r < 0 && r != -EBADMSG)
		return r;
	*ret = plan;
	plan = (struct chosen_plan){0};
	return 0;
}

/* Reads the plan of the n-th folder for starts with this key. Returns as read_plan(). */
static int read_plan_with(
	const struct store *store, unsigned n, const char *program, uint64_t key, struct chosen_plan *ret)
{
	char suffix[STATE_ASKED_SIZE];
	int r;

	state_asked_suffix(key, suffix);
	r = read_plan(store, n, suffix, program, ret);
	if (r < 0 || (ret->fault == PLAN_GOOD && LE64(ret->loaded.view.header->asked) == key))
		return r;
	chosen_plan_release(ret);
	return -ENOENT;
}

static bool is_here(const struct asked_place *place)
{
	return place->folder == AT_FDCWD && place->root < 0 && place->viewer == 0;
}

/* Reads the plan for that start to which this plan of the n-th folder leads. Returns as read_plan(). */
static int read_plan_of_start(const struct store *store, unsigned n, const struct chosen_plan *any,
	const char *program, const char *const *argv, const struct asked_place *place,
	struct chosen_plan *ret)
{
	const char *rule = plan_head_rule(any->loaded.data);
	struct asked asked;

	if (!rule || !argv)
		return -ENOENT;
	if (is_here(place) && asked_guess(rule, argv, &asked) &&
		read_plan_with(store, n, program, asked.key, ret) == 0)
		return 0;
	if (!asked_by_arguments_at(rule, argv, place, &asked))
		return -ENOENT;
	return read_plan_with(store, n, program, asked.key, ret);
}

/* The best plan of the n-th folder. Returns as read_plan(). */
static int choose_in(const struct store *store, unsigned n, const char *program, const char *const *argv,
	const struct asked_place *place, struct chosen_plan *ret)
{
	_cleanup_(chosen_plan_releasep) struct chosen_plan any = {0};
	int r = read_plan(store, n, STATE_PLAN_SUFFIX, program, &any);

	if (r < 0)
		return r;
	if (any.fault == PLAN_GOOD && read_plan_of_start(store, n, &any, program, argv, place, ret) == 0)
		return 0;
	*ret = any;
	any = (struct chosen_plan){0};
	return 0;
}

/* Whether no later folder can have a better plan: this one is of the start, or leads to no others, or is faulty. */
static bool is_final(const struct chosen_plan *plan)
{
	return plan->fault != PLAN_GOOD || !plan_head_rule(plan->loaded.data);
}

int plan_choose_at(const struct store *store, const char *program, const char *const *argv,
	const struct asked_place *place, struct chosen_plan *ret)
{
	_cleanup_(chosen_plan_releasep) struct chosen_plan first = {0};
	int failed = -ENOENT;

	for (unsigned n = 0; n < STATE_FOLDERS_MAX; n++) {
		_cleanup_(chosen_plan_releasep) struct chosen_plan next = {0};
		int r = choose_in(store, n, program, argv, place, &next);

		if (r < 0) {
			failed = failed == -ENOENT ? r : failed;
			continue;
		}
		if (first.path && !LE64(next.loaded.view.header ? next.loaded.view.header->asked : 0))
			break; /* it is for any start, as the first one is */
		chosen_plan_release(&first);
		first = next;
		next = (struct chosen_plan){0};
		if (is_final(&first))
			break;
	}
	if (!first.path)
		return failed;
	*ret = first;
	first = (struct chosen_plan){0};
	return 0;
}

int plan_choose(
	const struct store *store, const char *program, const char *const *argv, struct chosen_plan *ret)
{
	return plan_choose_at(store, program, argv, &(struct asked_place)ASKED_PLACE_HERE, ret);
}

int plan_choose_for_run(
	const struct store *store, const char *program, const char *const *argv, struct chosen_plan *ret)
{
	_cleanup_(alias_releasep) struct alias alias = {0};
	int r = plan_choose(store, program, argv, ret);

	if (r != -ENOENT)
		return r;
	r = alias_of(program, argv, &alias);
	if (r == 0)
		r = plan_choose(store, alias.program, (const char *const *)alias.argv, ret);
	if (r == 0)
		ret->alias_of = TAKE_PTR(alias.program);
	return r;
}
