/* SPDX-License-Identifier: MIT */
/*
 * Within an hour a program counts once, so that one which scripts execute a thousand times a day is worth no more than one that
 * somebody uses all day. A start counts for a twentieth less each day: after two weeks for half.
 */
#include "learn/habits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checksum.h"
#include "base/strings.h"

#define HOUR     3600
#define FADE     20  /* a start counts for so much of itself less each day */
#define DAYS_MAX 365 /* after which nothing is left */

void habits_release(struct habits *habits)
{
	for (size_t i = 0; i < habits->n; i++)
		free(habits->items[i].path);
	free(habits->items);
	*habits = (struct habits){0};
}

struct habit *habits_find(const struct habits *habits, const char *path)
{
	uint64_t hash = checksum64(path, strlen(path));

	for (size_t i = 0; i < habits->n; i++)
		if (habits->items[i].hash == hash && streq(habits->items[i].path, path))
			return &habits->items[i];
	return NULL;
}

int habits_add(struct habits *habits, const struct habit *habit, const char *path)
{
	int r = ARRAY_RESERVE(habits->items, habits->capacity, habits->n + 1);
	struct habit added = *habit;

	added.path = r < 0 ? NULL : strdup(path);
	if (!added.path)
		return -ENOMEM;
	added.hash = checksum64(path, strlen(path));
	habits->items[habits->n++] = added;
	return 0;
}

/* Which hour of the day, for times before 1970, too: files may have any number. */
static size_t of_day(int64_t hour)
{
	return (size_t)((hour % HABITS_HOURS + HABITS_HOURS) % HABITS_HOURS);
}

static int64_t day_of(int64_t hour)
{
	return (hour - (int64_t)of_day(hour)) / HABITS_HOURS;
}

/* The habit as it is in that hour. A clock that was turned back makes nothing older. */
static struct habit faded(const struct habit *habit, int64_t hour)
{
	struct habit ret = *habit;
	int64_t days = day_of(hour) - day_of(habit->hour);

	for (int64_t day = 0; day < days && day < DAYS_MAX; day++)
		for (size_t i = 0; i < HABITS_HOURS; i++)
			ret.hours[i] = (uint16_t)(ret.hours[i] - (ret.hours[i] + FADE - 1u) / FADE);
	return ret;
}

static uint32_t sum(const struct habit *habit)
{
	uint32_t all = 0;

	for (size_t i = 0; i < HABITS_HOURS; i++)
		all += habit->hours[i];
	return all;
}

static uint32_t left_of(const struct habit *habit, int64_t hour)
{
	struct habit now = faded(habit, hour);

	return sum(&now);
}

static void drop(struct habits *habits, size_t at)
{
	free(habits->items[at].path);
	habits->items[at] = habits->items[--habits->n];
}

static void drop_least(struct habits *habits, int64_t hour)
{
	uint32_t least = UINT32_MAX;
	size_t at = 0;

	for (size_t i = 0; i < habits->n; i++) {
		uint32_t left = left_of(&habits->items[i], hour);

		if (left < least) {
			least = left;
			at = i;
		}
	}
	drop(habits, at);
}

static void make_room(struct habits *habits, int64_t hour, bool believed)
{
	for (size_t i = habits->n; believed && i > 0; i--)
		if (left_of(&habits->items[i - 1], hour) == 0)
			drop(habits, i - 1);
	if (habits->n >= HABITS_MAX)
		drop_least(habits, hour);
}

/* One start with the clock in another year would leave nothing of a habit. */
static bool is_out_of_time(const struct habit *habit, int64_t hour)
{
	return hour < habit->hour || hour - habit->hour > HABITS_UNSURE_DAYS * HABITS_HOURS;
}

int habits_started(struct habits *habits, const char *path, int64_t local, bool believed)
{
	struct habit *habit = habits_find(habits, path);
	int64_t hour = local / HOUR;

	if (habit && (habit->hour == hour || (!believed && is_out_of_time(habit, hour))))
		return 0;
	if (!habit) {
		make_room(habits, hour, believed);
		if (habits_add(habits, &(struct habit){.hour = hour}, path) < 0)
			return -ENOMEM;
		habit = &habits->items[habits->n - 1];
	}
	*habit = faded(habit, hour);
	habit->hour = hour;
	if (habit->hours[of_day(hour)] <= UINT16_MAX - HABITS_START)
		habit->hours[of_day(hour)] = (uint16_t)(habit->hours[of_day(hour)] + HABITS_START);
	habits->changed = true;
	return 0;
}

uint32_t habit_score(const struct habit *habit, int64_t local)
{
	int64_t hour = local / HOUR;
	struct habit now = faded(habit, hour);
	uint32_t all = sum(&now);

	if (all <= HABITS_START)
		return 0;
	return 4u * now.hours[of_day(hour)] + 2u * now.hours[of_day(hour - 1)] +
		2u * now.hours[of_day(hour + 1)] + all / 4;
}

struct choice {
	const struct habit *habit;
	uint32_t score;
};

static int likelier_first(const void *a, const void *b)
{
	const struct choice *one = a, *other = b;

	if (one->score != other->score)
		return one->score > other->score ? -1 : 1;
	if (one->habit->hour != other->habit->hour)
		return one->habit->hour > other->habit->hour ? -1 : 1;
	return strcmp(one->habit->path, other->habit->path);
}

size_t habits_choose(const struct habits *habits, int64_t local, const struct habit **ret, size_t max)
{
	struct choice choices[HABITS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < habits->n && n < HABITS_MAX; i++) {
		uint32_t score = habit_score(&habits->items[i], local);

		if (score > 0)
			choices[n++] = (struct choice){&habits->items[i], score};
	}
	qsort(choices, n, sizeof(*choices), likelier_first);
	n = n < max ? n : max;
	for (size_t i = 0; i < n; i++)
		ret[i] = choices[i].habit;
	return n;
}
