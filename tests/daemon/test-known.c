/* SPDX-License-Identifier: MIT */
/* What is worth a trace, what is forgotten, and the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "learn/known.h"

#define DAY  86400
#define NOW  1700000000
#define COLD KNOWN_COLD_BYTES

static void only_cold_starts_are_noted(void **state)
{
	struct known known = {0};

	assert_int_equal(known_judge(&known, "/usr/bin/ls", 0, 0, COLD - 1, NOW), 0);
	assert_int_equal(known.n, 0);
	assert_false(known.changed);
	assert_int_equal(known_judge(&known, "/usr/bin/gimp", 0, 0, COLD, NOW), 0);
	assert_int_equal(known.n, 1);
	assert_true(known.changed);
	known.changed = known.counted = false;
	assert_int_equal(known_judge(&known, "/usr/bin/gimp", 0, 0, 0, NOW + 5), 0);
	assert_false(known.changed); /* a disk that sleeps may go on sleeping */
	assert_true(known.counted);
	assert_int_equal(known_find(&known, "/usr/bin/gimp", 0)->starts, 2);
	assert_int_equal(known_find(&known, "/usr/bin/gimp", 0)->cold, 1);
	assert_null(known_find(&known, "/usr/bin/gim", 0));
	known_release(&known);
}

static void a_cold_program_is_traced_until_it_is_learnt(void **state)
{
	struct known known = {0};
	struct known_program *program;

	known_judge(&known, "/usr/bin/gimp", 0, 0, COLD, NOW);
	program = known_find(&known, "/usr/bin/gimp", 0);
	assert_true(known_wants_trace(program, NOW));
	known_traced(&known, program, 12345, NOW);
	assert_false(known_wants_trace(program, NOW + DAY));
	assert_int_equal(known_kept_bytes(&known), 12345);
	known_release(&known);
}

static void traces_in_vain_become_rare_and_end(void **state)
{
	struct known known = {0};
	struct known_program *program;
	int64_t now = NOW;
	int tries = 0;

	known_judge(&known, "/usr/bin/gimp", 0, 0, COLD, now);
	program = known_find(&known, "/usr/bin/gimp", 0);
	known_traced(&known, program, 0, now);
	assert_false(known_wants_trace(program, now + 1));
	for (; known_wants_trace(program, now += DAY / 24) && tries < 100; tries++)
		known_traced(&known, program, 0, now);
	assert_in_range(tries, 1, 20);
	known_judge(&known, "/usr/bin/gimp", 0, 0, COLD, now);
	assert_true(known_wants_trace(program, now + DAY));
	known_release(&known);
}

static void what_is_seldom_cold_is_not_traced(void **state)
{
	struct known known = {0};

	known_judge(&known, "/usr/bin/git", 0, 0, COLD, NOW);
	for (int i = 0; i < 200; i++)
		known_judge(&known, "/usr/bin/git", 0, 0, 0, NOW + i);
	assert_false(known_wants_trace(known_find(&known, "/usr/bin/git", 0), NOW + DAY));
	known_release(&known);
}

static void what_is_old_is_forgotten(void **state)
{
	int64_t later = NOW + (int64_t)(KNOWN_DAYS_KEPT + 1) * DAY;
	struct known known = {0};

	known_judge(&known, "/usr/bin/old", 0, 0, COLD, NOW);
	known_judge(&known, "/usr/bin/used", 0, 0, COLD, NOW);
	known_traced(&known, known_find(&known, "/usr/bin/used", 0), 10, NOW);
	known_started(&known, "/usr/bin/used", 0, 0, later - DAY);
	assert_null(known_next_to_forget(&known, UINT64_MAX, NOW + DAY));
	assert_ptr_equal(
		known_next_to_forget(&known, UINT64_MAX, later), known_find(&known, "/usr/bin/old", 0));
	known_forget(&known, known_find(&known, "/usr/bin/old", 0));
	assert_null(known_next_to_forget(&known, UINT64_MAX, later));
	assert_non_null(known_next_to_forget(&known, UINT64_MAX, later + (int64_t)KNOWN_DAYS_KEPT * DAY));
	known_release(&known);
}

static void a_clock_turned_back_forgets_nothing(void **state)
{
	struct known known = {0};

	known_judge(&known, "/usr/bin/gimp", 0, 0, COLD, NOW);
	assert_null(known_next_to_forget(&known, UINT64_MAX, 0));
	assert_true(known_wants_trace(known_find(&known, "/usr/bin/gimp", 0), 0));
	known_release(&known);
}

static void beyond_the_budget_the_least_used_goes(void **state)
{
	struct known known = {0};

	known_judge(&known, "/usr/bin/a", 0, 0, COLD, NOW);
	known_judge(&known, "/usr/bin/b", 0, 0, COLD, NOW);
	known_traced(&known, known_find(&known, "/usr/bin/a", 0), 60, NOW + 10);
	known_traced(&known, known_find(&known, "/usr/bin/b", 0), 60, NOW);
	assert_null(known_next_to_forget(&known, 120, NOW + 20));
	assert_ptr_equal(known_next_to_forget(&known, 119, NOW + 20), known_find(&known, "/usr/bin/b", 0));
	known_forget(&known, known_find(&known, "/usr/bin/b", 0));
	assert_null(known_next_to_forget(&known, 119, NOW + 20));
	known_release(&known);
}

static void a_full_table_drops_what_was_cold_longest_ago(void **state)
{
	struct known known = {0};
	char path[32];

	for (unsigned i = 0; i < KNOWN_MAX; i++) {
		snprintf(path, sizeof(path), "/usr/bin/%u", i);
		known_judge(&known, path, 0, 0, COLD, NOW + i);
	}
	known_traced(&known, known_find(&known, "/usr/bin/0", 0), 1, NOW);
	assert_int_equal(known_judge(&known, "/usr/bin/new", 0, 0, COLD, NOW + DAY), 0);
	assert_int_equal(known.n, KNOWN_MAX);
	assert_non_null(known_find(&known, "/usr/bin/0", 0)); /* it is learnt */
	assert_null(known_find(&known, "/usr/bin/1", 0));
	assert_non_null(known_find(&known, "/usr/bin/new", 0));
	known_release(&known);
}

static void learn(struct known *known, uint64_t key, int64_t now)
{
	assert_int_equal(known_judge(known, "/usr/bin/git", key, 0, COLD, now), 0);
	known_traced(known, known_find(known, "/usr/bin/git", key), 10, now);
}

static void each_start_of_a_host_is_learnt(void **state)
{
	struct known known = {0};

	learn(&known, 0, NOW);
	assert_int_equal(known_learnt(&known, "/usr/bin/git", 7, 0, 0, NOW), 0);
	assert_int_equal(known_kept_bytes(&known), 10); /* the first start is counted once */
	assert_false(known_wants_start(&known, "/usr/bin/git", NOW));
	known_judge(&known, "/usr/bin/git", 8, 0, COLD - 1, NOW);
	assert_false(known_wants_start(&known, "/usr/bin/git", NOW));
	known_judge(&known, "/usr/bin/git", 8, 0, COLD, NOW);
	assert_true(known_wants_start(&known, "/usr/bin/git", NOW));
	assert_false(known_wants_start(&known, "/usr/bin/gi", NOW));
	learn(&known, 8, NOW);
	assert_false(known_wants_start(&known, "/usr/bin/git", NOW));
	assert_int_equal(known_kept_bytes(&known), 20);
	known_forget(&known, known_find(&known, "/usr/bin/git", 8));
	assert_non_null(known_find(&known, "/usr/bin/git", 0));
	known_judge(&known, "/usr/bin/gitk", 0, 0, COLD, NOW);
	known_forget(&known, known_find(&known, "/usr/bin/git", 0));
	assert_null(known_find(&known, "/usr/bin/git", 7)); /* the program goes with all its starts */
	assert_non_null(known_find(&known, "/usr/bin/gitk", 0));
	known_release(&known);
}

/* Only what is new of a refined start is added, where that start is counted: a host's plans would count several times. */
static void what_a_refined_start_takes_is_counted_once(void **state)
{
	struct known known = {0};

	learn(&known, 0, NOW);
	assert_int_equal(known_learnt(&known, "/usr/bin/git", 7, 0, 0, NOW), 0);
	learn(&known, 8, NOW);
	known.changed = false;
	known_refined(&known, "/usr/bin/git", 8, 5);
	assert_true(known.changed);
	assert_int_equal(known_find(&known, "/usr/bin/git", 8)->kept_bytes, 15);
	known_refined(&known, "/usr/bin/git", 7, 5);
	assert_int_equal(known_find(&known, "/usr/bin/git", 0)->kept_bytes, 15);
	known_refined(&known, "/usr/bin/git", 0, -4);
	assert_int_equal(known_find(&known, "/usr/bin/git", 0)->kept_bytes, 11);
	assert_int_equal(known_kept_bytes(&known), 26);
	known_refined(&known, "/usr/bin/git", 8, INT64_MIN);
	assert_int_equal(known_kept_bytes(&known), 12);
	known_refined(&known, "/usr/bin/recorded", 0, 5); /* a person's recording has no budget */
	assert_int_equal(known_kept_bytes(&known), 12);
	known_release(&known);
}

static void of_too_many_starts_the_least_used_goes(void **state)
{
	struct known known = {0};

	learn(&known, 0, NOW);
	for (uint64_t key = 1; key <= KNOWN_STARTS_MAX; key++)
		learn(&known, key, NOW + (int64_t)key);
	assert_null(known_next_to_forget(&known, UINT64_MAX, NOW + 100));
	known_started(&known, "/usr/bin/git", 1, 0, NOW + 2 * DAY);
	learn(&known, 999, NOW + 3 * DAY);
	assert_ptr_equal(known_next_to_forget(&known, UINT64_MAX, NOW + 3 * DAY),
		known_find(&known, "/usr/bin/git", 2));
	known_forget(&known, known_find(&known, "/usr/bin/git", 2));
	assert_null(known_next_to_forget(&known, UINT64_MAX, NOW + 3 * DAY));
	known_release(&known);
}

static void a_start_that_is_not_used_goes_before_its_program(void **state)
{
	int64_t later = NOW + (int64_t)(KNOWN_DAYS_KEPT + 1) * DAY;
	struct known known = {0};

	learn(&known, 0, NOW);
	learn(&known, 5, NOW);
	known_started(&known, "/usr/bin/git", 0, 0, later);
	assert_ptr_equal(
		known_next_to_forget(&known, UINT64_MAX, later), known_find(&known, "/usr/bin/git", 5));
	known_forget(&known, known_find(&known, "/usr/bin/git", 5));
	assert_null(known_next_to_forget(&known, UINT64_MAX, later));
	known_release(&known);
}

/* Somebody who runs ever new scripts must not push the other programs out. */
static void cold_starts_of_one_program_leave_room_for_others(void **state)
{
	struct known known = {0};

	known_judge(&known, "/usr/bin/gimp", 0, 0, COLD, NOW - DAY);
	for (uint64_t key = 1; key <= 2 * KNOWN_MAX; key++)
		known_judge(&known, "/usr/bin/python3", key, 0, COLD, NOW + (int64_t)key);
	assert_int_equal(known.n, 1 + KNOWN_STARTS_MAX);
	assert_non_null(known_find(&known, "/usr/bin/gimp", 0));
	assert_non_null(known_find(&known, "/usr/bin/python3", 2 * KNOWN_MAX));
	known_release(&known);
}

#define USER  1000
#define OTHER 1001

static size_t count_of(const struct known *known, uid_t user)
{
	size_t n = 0;

	for (size_t i = 0; i < known->n; i++)
		n += known->items[i].user == user;
	return n;
}

/* Notes ever new programs of the user, that many, and learns them or not. */
static void start_many(struct known *known, uid_t user, unsigned n, bool learn_all, int64_t now)
{
	char path[32];

	for (unsigned i = 0; i < n; i++) {
		struct known_program *item;

		snprintf(path, sizeof(path), "/usr/bin/of-%u-%u", user, i);
		(void)known_judge(known, path, 0, user, COLD, now + i);
		item = known_find(known, path, 0);
		if (learn_all && item)
			known_traced(known, item, 60, now + i);
	}
}

static void a_user_fills_only_a_share_of_the_list(void **state)
{
	struct known known = {0};

	known_judge(&known, "/usr/bin/of-root", 0, 0, COLD, NOW - DAY);
	known_judge(&known, "/usr/bin/of-other", 0, OTHER, COLD, NOW - DAY);
	start_many(&known, USER, 2 * KNOWN_MAX, false, NOW);
	assert_int_equal(count_of(&known, USER), KNOWN_OF_USER);
	assert_non_null(known_find(&known, "/usr/bin/of-root", 0));
	assert_non_null(known_find(&known, "/usr/bin/of-other", 0));
	assert_null(known_find(&known, "/usr/bin/of-1000-0", 0));
	assert_non_null(known_find(&known, "/usr/bin/of-1000-4095", 0));
	known_release(&known);
}

/* Not even in a list that is full. */
static void root_makes_no_room_for_users(void **state)
{
	struct known known = {0};

	start_many(&known, 0, KNOWN_MAX - 1, false, NOW);
	assert_int_equal(known_judge(&known, "/usr/bin/a", 0, USER, COLD, NOW + DAY), 0);
	assert_int_equal(known_judge(&known, "/usr/bin/b", 0, USER, COLD, NOW + DAY), 0);
	assert_null(known_find(&known, "/usr/bin/a", 0)); /* the user's own */
	known_traced(&known, known_find(&known, "/usr/bin/b", 0), 60, NOW + DAY);
	assert_true(known_judge(&known, "/usr/bin/c", 0, USER, COLD, NOW + DAY) < 0);
	assert_int_equal(count_of(&known, 0), KNOWN_MAX - 1);
	assert_int_equal(known_judge(&known, "/usr/bin/c", 0, 0, COLD, NOW + DAY), 0);
	known_release(&known);
}

static void forget_next(struct known *known, uint64_t budget, int64_t now)
{
	for (struct known_program *item; (item = known_next_to_forget(known, budget, now));)
		known_forget(known, item);
}

static void a_user_who_has_learnt_all_of_a_share_can_learn_more(void **state)
{
	struct known known = {0};

	start_many(&known, 0, 10, true, NOW - DAY);
	start_many(&known, USER, KNOWN_OF_USER, true, NOW);
	assert_int_equal(count_of(&known, USER), KNOWN_OF_USER);
	assert_true(known_judge(&known, "/usr/bin/new", 0, USER, COLD, NOW + DAY) < 0);
	forget_next(&known, UINT64_MAX, NOW + DAY);
	assert_int_equal(count_of(&known, 0), 10);
	assert_null(known_find(&known, "/usr/bin/of-1000-0", 0));
	assert_int_equal(known_judge(&known, "/usr/bin/new", 0, USER, COLD, NOW + DAY), 0);
	known_release(&known);
}

static void a_user_has_only_a_share_of_the_budget(void **state)
{
	struct known known = {0};

	start_many(&known, 0, 2, true, NOW - 2 * DAY);
	start_many(&known, OTHER, 2, true, NOW - DAY);
	start_many(&known, USER, 100, true, NOW);
	forget_next(&known, 600, NOW);
	assert_int_equal(count_of(&known, 0), 2);
	assert_int_equal(count_of(&known, OTHER), 2);
	assert_int_equal(count_of(&known, USER), 2);
	assert_non_null(known_find(&known, "/usr/bin/of-1000-99", 0));
	/* Root has what is left of it. */
	start_many(&known, 0, 9, true, NOW - DAY);
	forget_next(&known, 600, NOW);
	assert_int_equal(count_of(&known, 0), 9);
	assert_int_equal(count_of(&known, OTHER), 0);
	assert_int_equal(count_of(&known, USER), 1);
	start_many(&known, 0, 11, true, NOW - DAY);
	forget_next(&known, 600, NOW);
	assert_int_equal(count_of(&known, 0), 10);
	assert_int_equal(count_of(&known, USER), 0);
	known_release(&known);
}

static void a_user_has_only_a_share_of_the_starts_of_a_program(void **state)
{
	struct known known = {0};

	known_judge(&known, "/usr/bin/git", 1, 0, COLD, NOW - DAY);
	known_judge(&known, "/usr/bin/git", 2, OTHER, COLD, NOW - DAY);
	for (uint64_t key = 3; key < 1000; key++)
		known_judge(&known, "/usr/bin/git", key, USER, COLD, NOW + (int64_t)key);
	assert_int_equal(count_of(&known, USER), KNOWN_STARTS_OF_USER);
	for (uint64_t key = 1; key < 3; key++)
		known_traced(&known, known_find(&known, "/usr/bin/git", key), 10, NOW - DAY);
	for (uint64_t key = 1000; key < 1100; key++)
		(void)known_learnt(&known, "/usr/bin/git", key, USER, 10, NOW + (int64_t)key);
	forget_next(&known, UINT64_MAX, NOW);
	assert_non_null(known_find(&known, "/usr/bin/git", 1));
	assert_non_null(known_find(&known, "/usr/bin/git", 2));
	assert_null(known_find(&known, "/usr/bin/git", 1000));
	assert_non_null(known_find(&known, "/usr/bin/git", 1099));
	assert_true(count_of(&known, USER) <= 2 * KNOWN_STARTS_OF_USER);
	known_release(&known);
}

/* Otherwise whoever has started it first could have it forgotten. */
static void what_several_users_start_is_charged_to_none_of_them(void **state)
{
	struct known known = {0};

	start_many(&known, USER, 4, true, NOW);
	known.changed = false;
	known_started(&known, "/usr/bin/of-1000-0", 0, USER, NOW);
	assert_false(known.changed);
	known_started(&known, "/usr/bin/of-1000-0", 0, OTHER, NOW);
	assert_true(known.changed);
	known_judge(&known, "/usr/bin/of-1000-1", 0, OTHER, 0, NOW);
	assert_int_equal(known_learnt(&known, "/usr/bin/of-1000-2", 0, 0, 60, NOW), 0);
	assert_int_equal(count_of(&known, 0), 3);
	known_started(&known, "/usr/bin/of-1000-0", 0, USER, NOW);
	assert_int_equal(count_of(&known, 0), 3);
	forget_next(&known, 200, NOW);
	assert_int_equal(count_of(&known, 0), 3);
	assert_int_equal(count_of(&known, USER), 0);
	known_release(&known);
}

/* Whatever the clock says, nothing is older or younger than now, and it goes on from there. */
static void after_a_clock_turned_back_all_goes_on(void **state)
{
	int64_t back = NOW - (int64_t)400 * DAY;
	struct known known = {0};

	learn(&known, 0, NOW);
	learn(&known, 3, NOW);
	known_judge(&known, "/usr/bin/gimp", 0, 0, COLD, NOW);
	known_traced(&known, known_find(&known, "/usr/bin/gimp", 0), 0, NOW);
	assert_null(known_next_to_forget(&known, UINT64_MAX, back));
	known_started(&known, "/usr/bin/git", 0, 0, back);
	known_judge(&known, "/usr/bin/gimp", 0, 0, COLD, back);
	assert_true(known_wants_trace(known_find(&known, "/usr/bin/gimp", 0), back));
	assert_null(known_next_to_forget(&known, UINT64_MAX, back + DAY));
	/* Over the budget something goes all the same. */
	assert_non_null(known_next_to_forget(&known, 0, back));
	known_release(&known);
}

static void a_trace_while_the_clock_was_ahead_puts_off_no_other(void **state)
{
	struct known known = {0};
	struct known_program *program;

	known_judge(&known, "/usr/bin/gimp", 0, 0, COLD, NOW);
	program = known_find(&known, "/usr/bin/gimp", 0);
	known_traced(&known, program, 0, NOW + (int64_t)365 * DAY);
	assert_true(known_wants_trace(program, NOW + 1));
	known_traced(&known, program, 0, NOW + 1);
	assert_false(known_wants_trace(program, NOW + 2));
	known_release(&known);
}

static void a_start_while_the_clock_was_ahead_keeps_nothing_for_years(void **state)
{
	int64_t later = NOW + (int64_t)(KNOWN_DAYS_KEPT + 2) * DAY;
	struct known known = {0};

	learn(&known, 0, NOW);
	known_started(&known, "/usr/bin/git", 0, 0, NOW + (int64_t)3650 * DAY);
	known_believe(&known, NOW + DAY);
	assert_int_equal(known_find(&known, "/usr/bin/git", 0)->last_start, NOW + DAY);
	assert_non_null(known_next_to_forget(&known, UINT64_MAX, later));
	known_release(&known);
}

/* As without a battery, until the network is there. */
static void starts_while_the_clock_is_behind_make_nothing_old(void **state)
{
	struct known known = {0};

	learn(&known, 0, NOW);
	known_judge(&known, "/usr/bin/gimp", 0, 0, COLD, NOW);
	known_started(&known, "/usr/bin/git", 0, 0, 1);
	known_judge(&known, "/usr/bin/gimp", 0, 0, COLD, 1);
	known_traced(&known, known_find(&known, "/usr/bin/git", 0), COLD, 1);
	known_believe(&known, NOW + 1);
	assert_null(known_next_to_forget(&known, UINT64_MAX, NOW + 1));
	known_release(&known);
}

/* A machine may run for hours before its network is there, and then the date can be believed. */
static void a_clock_that_stays_behind_makes_nothing_old(void **state)
{
	const int64_t behind = NOW - (int64_t)3650 * DAY;
	struct known known = {0};

	learn(&known, 0, NOW);
	known_believe(&known, behind);
	known_started(&known, "/usr/bin/git", 0, 0, behind + 1);
	known_believe(&known, NOW + DAY);
	assert_null(known_next_to_forget(&known, UINT64_MAX, NOW + DAY));
	assert_non_null(known_next_to_forget(&known, UINT64_MAX, NOW + (int64_t)(KNOWN_DAYS_KEPT + 1) * DAY));
	known_release(&known);
}

static void nothing_is_too_old_without_a_date(void **state)
{
	struct known known = {0};

	learn(&known, 0, NOW);
	assert_null(known_next_to_forget(&known, UINT64_MAX, 0));
	assert_non_null(known_next_to_forget(&known, 0, 0));
	known_release(&known);
}

static void a_file_is_read_as_it_was_written(void **state)
{
	struct known known = {0}, read = {0};
	struct known_program *program;
	size_t size;
	char *data;

	known_judge(&known, "/usr/bin/with\nnew line and blank", 0, 0, 3 * COLD, NOW);
	known_judge(&known, "/usr/bin/gimp", 0, 0, COLD, NOW + 1);
	known_judge(&known, "/usr/bin/gimp", UINT64_MAX, UINT32_MAX, COLD, NOW + 1);
	known_traced(&known, known_find(&known, "/usr/bin/gimp", 0), 77, NOW + 2);
	assert_int_equal(records_serialize(&known_format, &known, &data, &size), 0);
	assert_int_equal(records_parse(&known_format, data, size, &read), RECORDS_GOOD);
	assert_int_equal(read.n, 3);
	assert_int_equal(known_find(&read, "/usr/bin/gimp", UINT64_MAX)->learnt, 0);
	assert_int_equal(known_find(&read, "/usr/bin/gimp", UINT64_MAX)->user, UINT32_MAX);
	program = known_find(&read, "/usr/bin/with\nnew line and blank", 0);
	assert_non_null(program);
	assert_int_equal(program->bytes, 3 * COLD);
	program = known_find(&read, "/usr/bin/gimp", 0);
	assert_int_equal(program->learnt, NOW + 2);
	assert_int_equal(program->kept_bytes, 77);
	free(data);
	known_release(&known);
	known_release(&read);
}

static void every_damaged_byte_is_noticed(void **state)
{
	struct known known = {0}, read = {0};
	size_t size;
	char *data;

	known_judge(&known, "/usr/bin/gimp", 0, 0, COLD, NOW);
	assert_int_equal(records_serialize(&known_format, &known, &data, &size), 0);
	for (size_t i = 0; i < size; i++) {
		data[i] = (char)~data[i];
		assert_int_not_equal(records_parse(&known_format, data, size, &read), RECORDS_GOOD);
		data[i] = (char)~data[i];
	}
	for (size_t i = 0; i < size; i++)
		assert_int_equal(records_parse(&known_format, data, i, &read), RECORDS_DAMAGED);
	assert_int_equal(
		records_parse(&known_format, "headstart-known 4 0\nwhatever", 28, &read), RECORDS_NEWER);
	assert_int_equal(
		records_parse(&known_format, "headstart-known 1 0\nwhatever", 28, &read), RECORDS_DAMAGED);
	assert_int_equal(read.n, 0);
	free(data);
	known_release(&known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_cold_starts_are_noted),
		cmocka_unit_test(a_cold_program_is_traced_until_it_is_learnt),
		cmocka_unit_test(traces_in_vain_become_rare_and_end),
		cmocka_unit_test(what_is_seldom_cold_is_not_traced),
		cmocka_unit_test(what_is_old_is_forgotten),
		cmocka_unit_test(a_clock_turned_back_forgets_nothing),
		cmocka_unit_test(beyond_the_budget_the_least_used_goes),
		cmocka_unit_test(a_full_table_drops_what_was_cold_longest_ago),
		cmocka_unit_test(each_start_of_a_host_is_learnt),
		cmocka_unit_test(what_a_refined_start_takes_is_counted_once),
		cmocka_unit_test(of_too_many_starts_the_least_used_goes),
		cmocka_unit_test(a_start_that_is_not_used_goes_before_its_program),
		cmocka_unit_test(cold_starts_of_one_program_leave_room_for_others),
		cmocka_unit_test(a_user_fills_only_a_share_of_the_list),
		cmocka_unit_test(root_makes_no_room_for_users),
		cmocka_unit_test(a_user_who_has_learnt_all_of_a_share_can_learn_more),
		cmocka_unit_test(a_user_has_only_a_share_of_the_budget),
		cmocka_unit_test(a_user_has_only_a_share_of_the_starts_of_a_program),
		cmocka_unit_test(what_several_users_start_is_charged_to_none_of_them),
		cmocka_unit_test(after_a_clock_turned_back_all_goes_on),
		cmocka_unit_test(a_trace_while_the_clock_was_ahead_puts_off_no_other),
		cmocka_unit_test(a_start_while_the_clock_was_ahead_keeps_nothing_for_years),
		cmocka_unit_test(starts_while_the_clock_is_behind_make_nothing_old),
		cmocka_unit_test(a_clock_that_stays_behind_makes_nothing_old),
		cmocka_unit_test(nothing_is_too_old_without_a_date),
		cmocka_unit_test(a_file_is_read_as_it_was_written),
		cmocka_unit_test(every_damaged_byte_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
