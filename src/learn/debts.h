/* SPDX-License-Identifier: MIT */
/*
 * Users who keep the daemon waiting: it spends a sixtieth of its time on each of them, and leaves alone who has taken more. This is the
 * "virtual scheduling algorithm" of ITU-T I.371 (GCRA): each wait is paid off in 60 times as long, and there is some credit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DEBTS_USERS 64 /* with more of them at once, those who owe least are forgotten */
#define DEBTS_PRICE 60 /* times as long as a wait it takes to pay it off */
#define DEBTS_CREDIT                                                                                         \
	200 /* milliseconds of waiting at once that are nobody's fault: processors are busy, too */

struct debts {
	uint64_t last_ms; /* until then somebody owes something */
	struct debt {
		uid_t user;
		uint64_t until_ms; /* it is paid then; CLOCK_MONOTONIC */
	} items[DEBTS_USERS];
};

/* Whether the user has to wait. */
bool debts_owes(const struct debts *debts, uid_t user, uint64_t now_ms);

/* Adds a wait. Returns whether the user has to wait from now on, and did not before: then for ten seconds at least. */
bool debts_add(struct debts *debts, uid_t user, uint64_t waited_ms, uint64_t now_ms);
