/* SPDX-License-Identifier: MIT */
#include "learn/habits-file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define MAGIC    "headstart-habits"
#define VERSION  1u
#define HOUR_MAX (INT64_MAX / 3600)

static int parse_record(void *context, const char *record, unsigned version)
{
	struct habits *habits = context;
	struct habit habit = {0};
	int at = 0, used = 0, r;

	(void)version;
	if (sscanf(record, "%" SCNd64 " %" SCNd64 " %n", &habit.hour, &habit.warmed, &at) != 2 ||
		habit.hour > HOUR_MAX || habit.hour < -HOUR_MAX)
		return -EINVAL;
	for (size_t i = 0; i < HABITS_HOURS; i++, at += used)
		if (sscanf(record + at, "%" SCNu16 " %n", &habit.hours[i], &used) != 1)
			return -EINVAL;
	if (record[at] != '/' || strlen(record + at) >= PATH_MAX || habits->n >= HABITS_MAX)
		return -EINVAL;
	habit.path = strdup(record + at);
	r = habit.path ? habits_add(habits, &habit) : -ENOMEM;
	if (r < 0)
		free(habit.path);
	return r;
}

enum records_fault habits_parse(const char *data, size_t size, struct habits *ret)
{
	_cleanup_(habits_releasep) struct habits habits = {0};
	enum records_fault fault = records_parse(data, size, MAGIC, VERSION, parse_record, &habits);

	if (fault != RECORDS_GOOD)
		return fault;
	*ret = habits;
	habits = (struct habits){0};
	return RECORDS_GOOD;
}

int habits_serialize(const struct habits *habits, char **ret_data, size_t *ret_size)
{
	_cleanup_free_ char *body = NULL;
	size_t body_size;
	FILE *stream = open_memstream(&body, &body_size);

	if (!stream)
		return -ENOMEM;
	for (size_t i = 0; i < habits->n; i++) {
		const struct habit *habit = &habits->items[i];

		fprintf(stream, "%" PRId64 " %" PRId64, habit->hour, habit->warmed);
		for (size_t hour = 0; hour < HABITS_HOURS; hour++)
			fprintf(stream, " %" PRIu16, habit->hours[hour]);
		fprintf(stream, " %s%c", habit->path, 0);
	}
	if (fclose(stream) != 0)
		return -ENOMEM;
	return records_serialize(MAGIC, VERSION, body, body_size, ret_data, ret_size);
}
