/* SPDX-License-Identifier: MIT */
/* Settings where plans are made. The shims read no settings: for them, what has no plan is denied. */
#pragma once

#include "config/config.h"
#include "plan/build.h"

/* Puts the settings where the options say nothing; they borrow from config. */
void plan_settings(const struct config *config, struct plan_options *options);

/* Removes the plan that this user's store has of the program, if any. Returns 0 or negative errno. */
int plan_withdraw(const char *program);
