/* SPDX-License-Identifier: MIT */
/*
 * At which hours of the day the programs that have a plan are started, and so which of them are likely to be started next.
 * All times are seconds since the epoch in local time: the caller adds the offset of its time zone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "learn/records.h"

#define HABITS_MAX   512u /* programs */
#define HABITS_HOURS 24
#define HABITS_START 256u /* what a start counts on its day; it counts for a twentieth less each day */

struct habit {
	char *path;    /* owned; canonical */
	uint64_t hash; /* of the path */
	int64_t hour;  /* of its last start: hours since the epoch */
	uint16_t hours
		[HABITS_HOURS]; /* starts at each hour of the day, at most one a day, as of that hour's day */
	int64_t warmed;         /* when the daemon last warmed it; not local; 0: never */
};

struct habits {
	struct habit *items; /* owned */
	size_t n, capacity;
	bool changed; /* since it was read or written */
};

void habits_release(struct habits *habits);

static inline void habits_releasep(struct habits *habits)
{
	habits_release(habits);
}

/* The program, or NULL. The pointer is good until something is added. */
struct habit *habits_find(const struct habits *habits, const char *path);

/*
 * The program is started. Counts once an hour. Programs of which nothing is left make room for a new one, and if there are HABITS_MAX,
 * the one that was started least. With a date that is not `believed` (calendar.h) a start does not count if the program
 * was started later, or not within HABITS_UNSURE_DAYS before. Returns 0 or -ENOMEM.
 */
int habits_started(struct habits *habits, const char *path, int64_t local, bool believed);

#define HABITS_UNSURE_DAYS 30

/* How likely it is to be started within the hour, compared with others. 0: it was started only once of late, or never. */
uint32_t habit_score(const struct habit *habit, int64_t local);

/* The programs with a score, the likeliest first, at most `max` of them. Returns how many there are in `ret`. */
size_t habits_choose(const struct habits *habits, int64_t local, const struct habit **ret, size_t max);

/* Adds a copy of the habit, of the program with this path. Returns 0 or -ENOMEM. */
int habits_add(struct habits *habits, const struct habit *habit, const char *path);

extern const struct records_format habits_format; /* of struct habits */
