/* SPDX-License-Identifier: MIT */
/* The folders of profiles and plans, below the root. Internal to src/doctor and its tests. */
#pragma once

#include "doctor/checks.h"
#include "format/plan-view.h"
#include "plan/store.h"

/* Where the user's plans are, as this host has it. */
struct store state_store(const struct doctor_host *host);

/* A plan that was read. */
struct state_plan {
	char path[PATH_MAX]; /* below the root */
	char *data;          /* owned */
	enum plan_fault fault;
	struct plan_view view; /* where PLAN_GOOD */
	bool marked_stale;
};

void state_plan_release(struct state_plan *plan);

static inline void state_plan_releasep(struct state_plan *plan)
{
	state_plan_release(plan);
}

/*
 * Reads a plan as headstart would find it. Returns 0, whatever is wrong with its content; -EPERM for one that
 * is not to be believed (format/state-folder.h: state_file_trusted()); or negative errno.
 */
int state_plan_read(const struct doctor_host *host, const char *path, struct state_plan *ret);

/* "sudo ", with which a command must begin that writes to root's folder of plans: else "". */
const char *state_sudo(const struct doctor_host *host, const char *path);

/* Files of the plan that are no longer what they were, and the pages that it has of them. */
struct plan_changes {
	uint32_t changed, gone;
	uint64_t pages;
};

struct plan_changes state_plan_changes(const struct doctor_host *host, const struct plan_view *plan);
