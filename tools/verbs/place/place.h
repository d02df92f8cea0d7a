/* SPDX-License-Identifier: MIT */
/* What the parts of 'headstart place' share: the command line. */
#pragma once

#include <stdbool.h>

#include "place/place.h"
#include "place/planned.h"

struct place_arguments {
	char **programs; /* borrowed: those that the user named */
	size_t n_programs;
	const char **profiles; /* owned: files given by --profile, which are borrowed */
	size_t n_profiles, profiles_capacity;
	const char *tree; /* or NULL, also for "/" once it was entered */
	char *root;       /* owned: the canonical folder of that; "" for the running system */
	enum device_class class;
	bool all_plans, dry_run, undo, refresh, force, json;
};

/* Adds the recordings that the user named to the job. Returns 0, or an exit status after printing the reason. */
int place_add_programs(
	const struct place_arguments *arguments, const struct place_record *record, struct place_job *job);

/*
 * Adds those programs of which a plan of this user names a file of the record. And compiles the plans of such programs anew, and that of a
 * boot.
 * Return 0, or an exit status after printing the reason.
 */
int place_find_plans(const struct place_record *record, struct place_programs *ret);
int place_plan_anew(const struct place_programs *programs);

/* Print the results. Return an exit status. */
int place_report(const struct place_arguments *arguments, const struct place_job *job);
int place_report_returned(
	const struct place_arguments *arguments, const struct place_returned *returned, size_t n);
