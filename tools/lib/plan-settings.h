/* SPDX-License-Identifier: MIT */
/* Settings where plans are made. The shims read no settings: for them, what has no plan is denied. */
#pragma once

#include "config/config.h"
#include "plan/build.h"

/*
 * Puts the settings where the options say nothing; they borrow from config. Root's plans are for everybody, but those for an
 * image.
 */
void plan_settings(const struct config *config, struct plan_options *options);

/* Says what was left out of a plan for everybody, if anything was. */
void plan_tell_others(const struct plan_summary *summary);

/* Removes the plan that this user's store has of the program, if any. Returns 0 or negative errno. */
int plan_withdraw(const char *program);
