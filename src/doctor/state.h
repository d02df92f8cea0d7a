/* SPDX-License-Identifier: MIT */
/* The folders of profiles and plans, below the root. Internal to src/doctor and its tests. */
#pragma once

#include "doctor/checks.h"
#include "plan/store/load.h"
#include "plan/store/store.h"

/* A plan that was read. */
struct state_plan {
	char path[PATH_MAX];       /* below the root */
	struct loaded_plan loaded; /* if the fault is PLAN_GOOD */
	enum plan_fault fault;
};

void state_plan_release(struct state_plan *plan);

static inline void state_plan_releasep(struct state_plan *plan)
{
	state_plan_release(plan);
}

/*
 * Reads a plan as headstart would find it. Returns 0, also if its content is wrong; -EPERM if it is not trusted
 * (format/state-folder.h: state_file_trusted()); or negative errno.
 */
int state_plan_read(const struct doctor_host *host, const char *path, struct state_plan *ret);

/* Whether 'headstart plan --program', of the plan's owner, can make the plan anew: its profile is stored. */
bool state_is_renewable(const struct doctor_host *host, const char *plan, const char *program);

/* "sudo " if a command that writes to this folder of plans needs it, because it is root's; else "". */
const char *state_sudo(const struct doctor_host *host, const char *path);

/*
 * The plans of single starts to which the program's plan at `path` leads, read as state_plan_read() does. Those that
 * cannot be used have a fault. *ret, malloc()ed, and each of the *ret_n plans are the caller's to release. Returns 0 or
 * negative errno.
 */
int state_plans_of_starts(
	const struct doctor_host *host, const char *path, struct state_plan **ret, size_t *ret_n);
