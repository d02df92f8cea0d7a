/* SPDX-License-Identifier: MIT */
/*
 * Keeps the profiles of programs that were started in a mount namespace of their own, with the plans that were compiled
 * there, so that `headstart run` finds them inside.
 *
 *     record_inside_init()      before the recording
 *     record_inside_take()      in the child process inside, which cannot write to the state folder of this namespace
 *     record_inside_keep()      here again
 */
#pragma once

#include <stdbool.h>

#include "profile/profile.h"

struct record_inside {
	int results; /* owned; a file in memory, in which each child leaves a profile and a plan; -1: none */
	/* Of the state folder here. If a program inside sees another folder, it would never find what is kept here. */
	dev_t state_device;
	ino_t state_inode;
	char *state; /* owned */
};

/* Returns 0 or negative errno. The caller calls record_inside_release() in any case. */
int record_inside_init(struct record_inside *inside);

/* Returns an exit status: 0 also where there is nothing to keep. */
int record_inside_take(const struct record_inside *inside, const struct profile *profile);

/*
 * Stores everything, and says so unless `quiet`. What another user's start touched (`for_user`) is in profiles for root alone. Returns 0,
 * negative errno, or an exit status after printing who has the turn.
 */
int record_inside_keep(const struct record_inside *inside, bool for_user, bool quiet);

void record_inside_release(struct record_inside *inside);
