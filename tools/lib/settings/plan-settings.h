/* SPDX-License-Identifier: MIT */
/* Applies settings where plans are made. The shims read no settings: for them, a program without a plan is denied. */
#pragma once

#include "config/hosts.h"
#include "plan/build/build.h"
#include "profile/recordings/recordings.h"

/*
 * Fills in the settings where the options say nothing. The options then borrow from config. Root's plans are for
 * everybody, except those for an image.
 */
void plan_settings(const struct config *config, struct plan_options *options);

/* Prints how many files were left out because of who owns them, or because nothing of them stays cached, if any were. */
void plan_note_left_out(const struct plan_summary *summary, const char *program);

/* The rule of the program in `rule`, and in the options if it is a host (config/hosts.h). Reports mistakes in hosts.d. */
void plan_host(const char *program, char rule[ASKED_RULE_MAX], struct plan_options *options);

/* Finds out what recordings, of which there are some, asked for: the keys by which their plans are named now; as plan_find_asked(). */
void plan_find_keys(struct recordings *recordings, bool of_root);
