/* SPDX-License-Identifier: MIT */
/*
 * Habits as a file. A record is
 *
 *     HOUR WARMED STARTS-AT-0 … STARTS-AT-23 PATH
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "learn/habits.h"

#define HOUR_MAX (INT64_MAX / 3600)

static int take(void *content, const char *record)
{
	struct habits *habits = content;
	struct habit habit = {0};
	int at = 0, used = 0;

	if (sscanf(record, "%" SCNd64 " %" SCNd64 " %n", &habit.hour, &habit.warmed, &at) != 2 ||
		habit.hour > HOUR_MAX || habit.hour < -HOUR_MAX)
		return -EINVAL;
	for (size_t i = 0; i < HABITS_HOURS; i++, at += used)
		if (sscanf(record + at, "%" SCNu16 " %n", &habit.hours[i], &used) != 1)
			return -EINVAL;
	if (!records_is_path(record + at) || habits->n >= HABITS_MAX)
		return -EINVAL;
	return habits_add(habits, &habit, record + at);
}

static void put(const void *content, FILE *stream)
{
	const struct habits *habits = content;

	for (size_t i = 0; i < habits->n; i++) {
		const struct habit *habit = &habits->items[i];

		fprintf(stream, "%" PRId64 " %" PRId64, habit->hour, habit->warmed);
		for (size_t hour = 0; hour < HABITS_HOURS; hour++)
			fprintf(stream, " %" PRIu16, habit->hours[hour]);
		fprintf(stream, " %s%c", habit->path, 0);
	}
}

static void release(void *content)
{
	habits_release(content);
}

const struct records_format habits_format = {
	.magic = "headstart-habits",
	.version = 1,
	.size_max = 4u << 20,
	.take = take,
	.put = put,
	.release = release,
};
