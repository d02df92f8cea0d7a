/* SPDX-License-Identifier: MIT */
/* Which programs are likely to be started, and the file that remembers it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "learn/habits.h"

#define HOUR  3600
#define DAY   86400
#define START (20000ll * DAY) /* midnight */

static void start_daily(struct habits *habits, const char *path, int days, int hour)
{
	for (int day = 0; day < days; day++)
		assert_int_equal(habits_started(habits, path, START + day * DAY + hour * HOUR, true), 0);
}

static void what_is_started_at_this_hour_comes_first(void **state)
{
	const struct habit *likely[8];
	struct habits habits = {0};

	(void)state;
	start_daily(&habits, "/usr/bin/mail", 10, 8);
	start_daily(&habits, "/usr/bin/game", 10, 20);
	assert_int_equal(habits_choose(&habits, START + 10 * DAY + 8 * HOUR, likely, 8), 2);
	assert_string_equal(likely[0]->path, "/usr/bin/mail");
	assert_int_equal(habits_choose(&habits, START + 10 * DAY + 20 * HOUR + 59 * 60, likely, 8), 2);
	assert_string_equal(likely[0]->path, "/usr/bin/game");
	/* The hour before counts, too. */
	assert_int_equal(habits_choose(&habits, START + 10 * DAY + 19 * HOUR, likely, 8), 2);
	assert_string_equal(likely[0]->path, "/usr/bin/game");
	assert_int_equal(habits_choose(&habits, START + 10 * DAY + 8 * HOUR, likely, 1), 1);
	assert_string_equal(likely[0]->path, "/usr/bin/mail");
	habits_release(&habits);
}

static void one_start_is_no_habit(void **state)
{
	const struct habit *likely[8];
	struct habits habits = {0};

	(void)state;
	assert_int_equal(habits_started(&habits, "/usr/bin/gimp", START, true), 0);
	for (int second = 0; second < HOUR; second++)
		assert_int_equal(habits_started(&habits, "/usr/bin/gimp", START + second, true), 0);
	assert_int_equal(habits_choose(&habits, START + HOUR, likely, 8), 0);
	assert_int_equal(habits_started(&habits, "/usr/bin/gimp", START + HOUR, true), 0);
	assert_int_equal(habits_choose(&habits, START + HOUR, likely, 8), 1);
	habits_release(&habits);
}

static void habits_fade(void **state)
{
	struct habits habits = {0};
	uint32_t before, after;

	(void)state;
	start_daily(&habits, "/usr/bin/gimp", 10, 8);
	before = habit_score(habits.items, START + 9 * DAY + 8 * HOUR);
	after = habit_score(habits.items, START + 23 * DAY + 8 * HOUR);
	assert_in_range(after, before * 4 / 10, before * 6 / 10); /* two weeks: half */
	assert_int_equal(habit_score(habits.items, START + 900 * DAY), 0);
	assert_int_equal(habit_score(habits.items, INT64_MAX), 0);
	habits_release(&habits);
}

static void however_long_a_habit_lasts_it_can_be_counted(void **state)
{
	struct habits habits = {0};

	(void)state;
	start_daily(&habits, "/usr/bin/gimp", 3000, 8);
	assert_in_range(habits.items[0].hours[8], 15 * HABITS_START, 21 * HABITS_START);
	habits_release(&habits);
}

static void a_clock_turned_back_makes_nothing_older(void **state)
{
	struct habits habits = {0};
	uint32_t score;

	(void)state;
	start_daily(&habits, "/usr/bin/gimp", 10, 8);
	score = habit_score(habits.items, START + 9 * DAY + 8 * HOUR);
	assert_int_equal(habit_score(habits.items, START - 9000 * DAY + 8 * HOUR), score);
	assert_int_equal(habits_started(&habits, "/usr/bin/gimp", START - 9000 * DAY + 8 * HOUR, true), 0);
	assert_true(habit_score(habits.items, START - 9000 * DAY + 8 * HOUR) > score);
	assert_int_equal(habits_started(&habits, "/usr/bin/gimp", -DAY - 1, true), 0); /* before 1970 */
	habits_release(&habits);
}

static void a_clock_that_is_wrong_for_a_while_leaves_habits(void **state)
{
	struct habits habits = {0};
	int64_t next = START + 10 * DAY + 8 * HOUR;
	uint32_t score;

	(void)state;
	start_daily(&habits, "/usr/bin/gimp", 10, 8);
	score = habit_score(habits.items, next);
	habits.changed = false;
	assert_int_equal(habits_started(&habits, "/usr/bin/gimp", START - 1000 * DAY, false), 0);
	assert_int_equal(habits_started(&habits, "/usr/bin/gimp", START + 1000 * DAY, false), 0);
	assert_false(habits.changed);
	assert_int_equal(habit_score(habits.items, next), score);
	assert_int_equal(habits_started(&habits, "/usr/bin/gimp", next, false), 0); /* just after booting */
	assert_true(habit_score(habits.items, next) > score);
	habits_release(&habits);
}

static void what_has_faded_leaves(void **state)
{
	struct habits habits = {0};

	(void)state;
	start_daily(&habits, "/usr/bin/gimp", 3, 8);
	assert_int_equal(habits_started(&habits, "/usr/bin/vi", START + 900 * DAY, false), 0);
	assert_int_equal(habits.n, 2);
	assert_int_equal(habits_started(&habits, "/usr/bin/ed", START + 900 * DAY, true), 0);
	assert_int_equal(habits.n, 2);
	assert_null(habits_find(&habits, "/usr/bin/gimp"));
	assert_non_null(habits_find(&habits, "/usr/bin/vi"));
	habits_release(&habits);
}

static void in_a_full_table_the_least_used_makes_room(void **state)
{
	struct habits habits = {0};
	char path[64];

	(void)state;
	start_daily(&habits, "/usr/bin/often", 3, 8);
	for (unsigned i = 0; i < HABITS_MAX + 10; i++) {
		snprintf(path, sizeof(path), "/usr/bin/%u", i);
		assert_int_equal(habits_started(&habits, path, START + 3 * DAY, true), 0);
	}
	assert_int_equal(habits.n, HABITS_MAX);
	assert_non_null(habits_find(&habits, "/usr/bin/often"));
	assert_non_null(habits_find(&habits, path));
	habits_release(&habits);
}

static void a_file_is_read_as_it_was_written(void **state)
{
	struct habits habits = {0}, read = {0};
	size_t size;
	char *data;

	(void)state;
	start_daily(&habits, "/usr/bin/with\nnew line", 3, 8);
	start_daily(&habits, "/usr/bin/gimp", 2, 23);
	habits.items[1].warmed = 77;
	assert_int_equal(records_serialize(&habits_format, &habits, &data, &size), 0);
	assert_int_equal(records_parse(&habits_format, data, size, &read), RECORDS_GOOD);
	assert_int_equal(read.n, 2);
	assert_int_equal(read.items[1].warmed, 77);
	assert_int_equal(read.items[0].hour, habits.items[0].hour);
	assert_memory_equal(read.items[0].hours, habits.items[0].hours, sizeof(read.items[0].hours));
	assert_non_null(habits_find(&read, "/usr/bin/with\nnew line"));
	free(data);
	habits_release(&habits);
	habits_release(&read);
}

static void put_text(const void *text, FILE *stream)
{
	fprintf(stream, "%s%c", (const char *)text, 0);
}

static void what_is_no_good_file_is_refused(void **state)
{
	static const char *const bodies[] = {
		"1 0 1 2 3 /usr/bin/gimp",
		"x 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 /usr/bin/gimp",
		"1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 gimp",
		"9223372036854775807 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 /usr/bin/gimp",
		"",
	};
	struct records_format of_text = habits_format;
	struct habits habits = {0}, read = {0};
	size_t size;
	char *data;

	(void)state;
	of_text.put = put_text;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		assert_int_equal(records_serialize(&of_text, bodies[i], &data, &size), 0);
		assert_int_equal(records_parse(&habits_format, data, size, &read), RECORDS_DAMAGED);
		free(data);
	}
	start_daily(&habits, "/usr/bin/gimp", 2, 23);
	assert_int_equal(records_serialize(&habits_format, &habits, &data, &size), 0);
	for (size_t i = 0; i < size; i++) {
		assert_int_equal(records_parse(&habits_format, data, i, &read), RECORDS_DAMAGED);
		data[i] = (char)~data[i];
		assert_int_not_equal(records_parse(&habits_format, data, size, &read), RECORDS_GOOD);
		data[i] = (char)~data[i];
	}
	assert_int_equal(
		records_parse(&habits_format, "headstart-habits 2 0\nwhatever", 29, &read), RECORDS_NEWER);
	assert_int_equal(read.n, 0);
	free(data);
	habits_release(&habits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_started_at_this_hour_comes_first),
		cmocka_unit_test(one_start_is_no_habit),
		cmocka_unit_test(habits_fade),
		cmocka_unit_test(however_long_a_habit_lasts_it_can_be_counted),
		cmocka_unit_test(a_clock_turned_back_makes_nothing_older),
		cmocka_unit_test(a_clock_that_is_wrong_for_a_while_leaves_habits),
		cmocka_unit_test(what_has_faded_leaves),
		cmocka_unit_test(in_a_full_table_the_least_used_makes_room),
		cmocka_unit_test(a_file_is_read_as_it_was_written),
		cmocka_unit_test(what_is_no_good_file_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
