/* SPDX-License-Identifier: MIT */
/* Finds the plan of a start, as the shims do (ldpreload/plan/plan.c). */
#pragma once

#include "plan/asked/asked.h"
#include "plan/store/load.h"
#include "plan/store/store.h"

struct chosen_plan {
	char *path;                /* owned: below the root of the store */
	struct loaded_plan loaded; /* if fault is PLAN_GOOD */
	enum plan_fault fault;
	char *alias_of; /* owned: the program whose plan it is, if the start is one of an alias (asked/alias.h); or NULL */
};

void chosen_plan_release(struct chosen_plan *chosen);

static inline void chosen_plan_releasep(struct chosen_plan *chosen)
{
	chosen_plan_release(chosen);
}

/*
 * The plan of a start of the program with these arguments, argv[0] first, in the current folder: the one for such starts,
 * or else the one for any start. In the order of format/state-folder.h; a plan of the start in any folder goes before the
 * others. With argv NULL only plans for any start count. A plan that is found but cannot be used is returned with its
 * fault. Returns 0; -ENOENT if there is none; or negative errno.
 */
int plan_choose(
	const struct store *store, const char *program, const char *const *argv, struct chosen_plan *ret);

/* The same for arguments of a process in another folder, and perhaps in another mount namespace; `program` is a name in ours. */
int plan_choose_at(const struct store *store, const char *program, const char *const *argv,
	const struct asked_place *place, struct chosen_plan *ret);

/*
 * As plan_choose(), but if the program has no plan and is an alias, the plan of what it executes: this is what 'headstart run' carries out.
 * Whether settings deny ret->alias_of is for the caller to find out.
 */
int plan_choose_for_run(
	const struct store *store, const char *program, const char *const *argv, struct chosen_plan *ret);
