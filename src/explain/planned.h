/* SPDX-License-Identifier: MIT */
/* What a plan has of a file and of a page; and why it has nothing. */
#pragma once

#include <stdbool.h>

#include "format/plan-view.h"
#include "profile/profile.h"

enum explain_why {
	EXPLAIN_NOT_PLANNED,
	EXPLAIN_TOUCHED,
	EXPLAIN_GAP,     /* no start touched it, but reading it is cheaper than skipping it */
	EXPLAIN_GUESSED, /* the file was updated, and landmarks say that a touched page has moved there */
};

/* Pages of a file in a plan. `touched` and `gap` are those of the recorded build, `guessed` those of today's. */
struct explain_planned {
	bool file;    /* the plan opens the file */
	bool guessed; /* some of its pages are guessed */
	uint64_t pages;
	uint64_t gaps; /* of them, those that no start touched */
};

struct explain_planned explain_planned_of(const struct plan_view *plan, const char *path);

/* `file` is that of the profile, or NULL if the profile does not have the path. */
enum explain_why explain_page_of(
	const struct plan_view *plan, const char *path, const struct profile_file *file, uint64_t page);

/* Why a plan has nothing of a file that a start touched, in the order in which plans are made (plan/build/select/select.c). */
enum explain_absence {
	EXPLAIN_OTHERS,    /* a plan for everybody names no file that others than root can change */
	EXPLAIN_GONE,      /* or replaced by something of another kind, or not readable */
	EXPLAIN_CHANGED,   /* and nothing of the new build could be guessed */
	EXPLAIN_IN_MEMORY, /* it lies on a file system in memory */
	EXPLAIN_UNCACHED,  /* its file system keeps nothing of it in memory */
	EXPLAIN_CHOICE, /* none of these: the budget, --min-runs, or the recordings that the plan is made of */
};

/* `shared`: the plan is for everybody. */
enum explain_absence explain_absence_of(const struct profile_file *file, bool shared);
