/* SPDX-License-Identifier: MIT */
/*
 * Users who take the daemon's time: each of them may have a share of it, and who has taken more is left alone. This is the "virtual
 * scheduling algorithm" of ITU-T I.371 (GCRA): what a user takes is paid off in so many times as long, and there is some credit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DEBTS_USERS 64 /* with more of them at once, those who owe least are forgotten */

struct debts {
	unsigned price; /* times as long it takes to pay something off: a user has that part of the time */
	uint64_t credit_ms; /* that a user may take at once */
	uint64_t last_ms;   /* until then somebody owes something */
	struct debt {
		uid_t user;
		uint64_t until_ms; /* it is paid then; CLOCK_MONOTONIC */
	} items[DEBTS_USERS];
};

/* Whether the user has to wait. */
bool debts_owes(const struct debts *debts, uid_t user, uint64_t now_ms);

/* Adds what the user wants to take if the credit is enough for it, and nothing otherwise. Returns whether it was enough. */
bool debts_take(struct debts *debts, uid_t user, uint64_t taken_ms, uint64_t now_ms);

/* Adds what the user has taken. Returns whether the user has to wait from now on, and did not before: then for ten seconds at least. */
bool debts_add(struct debts *debts, uid_t user, uint64_t taken_ms, uint64_t now_ms);
