/* SPDX-License-Identifier: MIT */
/* Compiles the recordings of a program into its plans, and puts these into the store. */
#pragma once

#include "plan/build/build.h"
#include "profile/recordings/recordings.h"

/*
 * Publishes the plan of the program, and one for each recorded start where starts differ: if the program is a host
 * (options->rule), or was recorded with different arguments. Removes its plans of other starts. What the recordings asked
 * for is found out again if the rule has changed since. Returns 0; -ENODATA if there is nothing to read on this machine,
 * and nothing was published (*ret_summary is filled in all the same), and what was there has stayed unless it may name what others own by now and
 * it was not the options' limits that left nothing; or negative errno.
 */
int plan_publish(
	struct recordings *recordings, const struct plan_options *options, struct plan_summary *ret_summary);

/*
 * Finds out by this rule what a recording asked for, if it knows its arguments and another rule has said so before. `of_root`: by what only
 * root can change (asked_by_arguments_of_root()). Returns 0 or -ENOMEM.
 */
int plan_find_asked(struct profile *recording, const char *rule, bool of_root);

/*
 * Leaves of a recording what everybody's plan of it would name: neither what others than root can change or not everybody can see, unless
 * root alone can reach the program, nor documents. Returns 0 or -ENOMEM.
 */
int plan_leave_public(struct profile *recording);

/* Removes this user's plans of the program, and their signs, from the store. Returns 0 or negative errno. */
int plan_remove(const char *program);
