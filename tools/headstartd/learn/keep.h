/* SPDX-License-Identifier: MIT */
/*
 * Keeps what a start touched, beside what `headstart record` keeps, so that `list`, `show`, `forget` and `plan` know it.
 * The profile says what another user did, and is for root alone to read. The plan serves everybody, and names only files
 * that only root can change.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan/asked/asked.h"
#include "profile/profile.h"

/*
 * Takes the turn to change what is stored (plan/store/lock.h). The functions below that change something take it by themselves, and change nothing
 * if others have it for too long. Returns a descriptor that ends the turn when it is closed, or negative errno.
 */
int keep_lock(void);

struct kept {
	uint64_t bytes; /* that this start takes more; 0: nothing is kept of it */
	uint64_t key;   /* of the start, if the program is a host; or 0 */
};

/*
 * Adds the profile to the program's stored ones, unless the start is recorded already, and makes the plans. `argv` is of the
 * start, and `place` where its paths lie. With `key`, of another start of the program
 * that has been learnt, this must be the start's key still. If it was another `user` than root who started it, nobody is told of a file that
 * only root can see, nor of an argument that counts besides what was asked for. Nothing is kept if there is nothing to read for
 * everybody, if it took more than `most` bytes, or for an error; what was kept before stays.
 */
struct kept keep_start(struct profile *profile, const char *const *argv, const struct asked_place *place,
	uint64_t key, uid_t user, uint64_t most);

/* Gives the profile the arguments of its start, and the name of its working folder. Returns 0 or negative errno. */
int keep_name_start(struct profile *profile, const char *const *argv, int folder);

/* The same, and finds out what they ask for. */
int keep_describe_start(struct profile *profile, const char *const *argv, const struct asked_place *place);

/*
 * Makes the program's plans of its stored profile, by the settings. Returns as plan_refresh(), or -EBUSY as keep_lock(). The other is for who has
 * the turn.
 */
int keep_make_plans(const char *program);
int keep_make_plans_in_turn(const char *program);

/* Whether starts of the program are told apart by their arguments. */
bool keep_is_host(const char *program);

/* Bytes of the profile, of the program's plan, and of that of the start with this key, which may be 0. */
uint64_t keep_size(const char *program, uint64_t key);

/* Whether anything is stored of the program, and whether its start with this key has a plan. */
bool keep_has(const char *program);
bool keep_has_start(const char *program, uint64_t key);

/* How many bytes are kept of the program; 0: nothing that was learnt, or no plan was made of it. */
uint64_t keep_find(const char *program);

/*
 * Calls `take` for each program of which all that is stored was learnt, and which has a plan: with the bytes of profile and plan for key 0, and
 * then, if it is a host, with the key of each start, and the bytes of its plan. Returns 0 or negative errno.
 */
int keep_each(void (*take)(void *context, const char *program, uint64_t key, uint64_t bytes), void *context);

/*
 * Removes the program's profile and plans, unless somebody has recorded it. The other is for who has the turn. Returns 0 if nothing
 * that was learnt is left, or negative errno.
 */
int keep_forget(const char *program);
int keep_forget_in_turn(const char *program);

/*
 * Removes what was learnt of the start with this key, unless that is all that is known of the program. Returns 0 or negative errno.
 */
int keep_forget_start(const char *program, uint64_t key);
