/* SPDX-License-Identifier: MIT */
/* The result of bench/micro-spawn as text and as JSON. */
#include <stdio.h>

#include "micro-spawn.h"

void spawn_print_table(const struct spawn_arm *arms, size_t n_arms, size_t rounds)
{
	printf("%-14s %6s %9s %9s %17s %14s %17s\n", "arm", "n", "least", "median", "95 % interval", "more",
		"95 % interval");
	printf("%-14s %6s %9s %9s %17s %14s %17s\n", "", "", "us", "us", "us", "us", "us");
	for (size_t i = 0; i < n_arms; i++) {
		const struct spawn_arm *arm = &arms[i];

		printf("%-14s %6zu %9.1f %9.1f %8.1f-%8.1f", arm->name, rounds, arm->least, arm->median,
			arm->interval.low, arm->interval.high);
		if (i > 0)
			printf(" %+14.1f %+8.1f-%+8.1f", arm->more, arm->more_interval.low,
				arm->more_interval.high);
		printf("\n");
	}
	for (size_t i = 1; i < n_arms; i++)
		if (!arms[i].different)
			printf("%s: no measurable difference from '%s' (the intervals overlap)\n",
				arms[i].name, arms[0].name);
}

static struct json_object *json_interval(const struct interval *interval)
{
	struct json_object *array = json_object_new_array_ext(2);

	json_object_array_add(array, json_object_new_double(interval->low));
	json_object_array_add(array, json_object_new_double(interval->high));
	return array;
}

void spawn_add_json(struct json_object *object, const struct spawn_arm *arms, size_t n_arms, size_t rounds)
{
	struct json_object *all = json_object_new_object();

	for (size_t i = 0; i < n_arms; i++) {
		const struct spawn_arm *arm = &arms[i];
		struct json_object *one = json_object_new_object();

		json_object_object_add(one, "n", json_object_new_int64((int64_t)rounds));
		json_object_object_add(one, "least_us", json_object_new_double(arm->least));
		json_object_object_add(one, "median_us", json_object_new_double(arm->median));
		json_object_object_add(one, "ci95_us", json_interval(&arm->interval));
		if (i > 0) {
			json_object_object_add(one, "more_us", json_object_new_double(arm->more));
			json_object_object_add(one, "more_ci95_us", json_interval(&arm->more_interval));
			json_object_object_add(one, "different", json_object_new_boolean(arm->different));
		}
		json_object_object_add(all, arm->name, one);
	}
	json_object_object_add(object, "arms", all);
}
