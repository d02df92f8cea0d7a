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

#include "learn/known-file.h"

#define DAY  86400
#define NOW  1700000000
#define COLD KNOWN_COLD_BYTES

static void only_cold_starts_are_noted(void **state)
{
	struct known known = {0};

	assert_int_equal(known_judge(&known, "/usr/bin/ls", COLD - 1, NOW), 0);
	assert_int_equal(known.n, 0);
	assert_false(known.changed);
	assert_int_equal(known_judge(&known, "/usr/bin/gimp", COLD, NOW), 0);
	assert_int_equal(known.n, 1);
	assert_true(known.changed);
	assert_int_equal(known_judge(&known, "/usr/bin/gimp", 0, NOW + 5), 0);
	assert_int_equal(known_find(&known, "/usr/bin/gimp")->starts, 2);
	assert_int_equal(known_find(&known, "/usr/bin/gimp")->cold, 1);
	assert_null(known_find(&known, "/usr/bin/gim"));
	known_release(&known);
}

static void a_cold_program_is_traced_until_it_is_learnt(void **state)
{
	struct known known = {0};
	struct known_program *program;

	known_judge(&known, "/usr/bin/gimp", COLD, NOW);
	program = known_find(&known, "/usr/bin/gimp");
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

	known_judge(&known, "/usr/bin/gimp", COLD, now);
	program = known_find(&known, "/usr/bin/gimp");
	known_traced(&known, program, 0, now);
	assert_false(known_wants_trace(program, now + 1));
	for (; known_wants_trace(program, now += DAY / 24) && tries < 100; tries++)
		known_traced(&known, program, 0, now);
	assert_in_range(tries, 1, 20);
	known_judge(&known, "/usr/bin/gimp", COLD, now);
	assert_true(known_wants_trace(program, now + DAY));
	known_release(&known);
}

static void what_is_seldom_cold_is_not_traced(void **state)
{
	struct known known = {0};

	known_judge(&known, "/usr/bin/git", COLD, NOW);
	for (int i = 0; i < 200; i++)
		known_judge(&known, "/usr/bin/git", 0, NOW + i);
	assert_false(known_wants_trace(known_find(&known, "/usr/bin/git"), NOW + DAY));
	known_release(&known);
}

static void what_is_old_is_forgotten(void **state)
{
	int64_t later = NOW + (int64_t)(KNOWN_DAYS_KEPT + 1) * DAY;
	struct known known = {0};

	known_judge(&known, "/usr/bin/old", COLD, NOW);
	known_judge(&known, "/usr/bin/used", COLD, NOW);
	known_traced(&known, known_find(&known, "/usr/bin/used"), 10, NOW);
	known_started(&known, "/usr/bin/used", later - DAY);
	assert_null(known_next_to_forget(&known, UINT64_MAX, NOW + DAY));
	assert_ptr_equal(known_next_to_forget(&known, UINT64_MAX, later), known_find(&known, "/usr/bin/old"));
	known_forget(&known, known_find(&known, "/usr/bin/old"));
	assert_null(known_next_to_forget(&known, UINT64_MAX, later));
	assert_non_null(known_next_to_forget(&known, UINT64_MAX, later + (int64_t)KNOWN_DAYS_KEPT * DAY));
	known_release(&known);
}

static void a_clock_turned_back_forgets_nothing(void **state)
{
	struct known known = {0};

	known_judge(&known, "/usr/bin/gimp", COLD, NOW);
	assert_null(known_next_to_forget(&known, UINT64_MAX, 0));
	assert_true(known_wants_trace(known_find(&known, "/usr/bin/gimp"), 0));
	known_release(&known);
}

static void beyond_the_budget_the_least_used_goes(void **state)
{
	struct known known = {0};

	known_judge(&known, "/usr/bin/a", COLD, NOW);
	known_judge(&known, "/usr/bin/b", COLD, NOW);
	known_traced(&known, known_find(&known, "/usr/bin/a"), 60, NOW + 10);
	known_traced(&known, known_find(&known, "/usr/bin/b"), 60, NOW);
	assert_null(known_next_to_forget(&known, 120, NOW + 20));
	assert_ptr_equal(known_next_to_forget(&known, 119, NOW + 20), known_find(&known, "/usr/bin/b"));
	known_forget(&known, known_find(&known, "/usr/bin/b"));
	assert_null(known_next_to_forget(&known, 119, NOW + 20));
	known_release(&known);
}

static void a_full_table_drops_what_was_cold_longest_ago(void **state)
{
	struct known known = {0};
	char path[32];

	for (unsigned i = 0; i < KNOWN_MAX; i++) {
		snprintf(path, sizeof(path), "/usr/bin/%u", i);
		known_judge(&known, path, COLD, NOW + i);
	}
	known_traced(&known, known_find(&known, "/usr/bin/0"), 1, NOW);
	assert_int_equal(known_judge(&known, "/usr/bin/new", COLD, NOW + DAY), 0);
	assert_int_equal(known.n, KNOWN_MAX);
	assert_non_null(known_find(&known, "/usr/bin/0")); /* it is learnt */
	assert_null(known_find(&known, "/usr/bin/1"));
	assert_non_null(known_find(&known, "/usr/bin/new"));
	known_release(&known);
}

static void a_file_is_read_as_it_was_written(void **state)
{
	struct known known = {0}, read = {0};
	struct known_program *program;
	size_t size;
	char *data;

	known_judge(&known, "/usr/bin/with\nnew line and blank", 3 * COLD, NOW);
	known_judge(&known, "/usr/bin/gimp", COLD, NOW + 1);
	known_traced(&known, known_find(&known, "/usr/bin/gimp"), 77, NOW + 2);
	assert_int_equal(known_serialize(&known, &data, &size), 0);
	assert_int_equal(known_parse(data, size, &read), KNOWN_GOOD);
	assert_int_equal(read.n, 2);
	program = known_find(&read, "/usr/bin/with\nnew line and blank");
	assert_non_null(program);
	assert_int_equal(program->bytes, 3 * COLD);
	program = known_find(&read, "/usr/bin/gimp");
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

	known_judge(&known, "/usr/bin/gimp", COLD, NOW);
	assert_int_equal(known_serialize(&known, &data, &size), 0);
	for (size_t i = 0; i < size; i++) {
		data[i] = (char)~data[i];
		assert_int_not_equal(known_parse(data, size, &read), KNOWN_GOOD);
		data[i] = (char)~data[i];
	}
	for (size_t i = 0; i < size; i++)
		assert_int_equal(known_parse(data, i, &read), KNOWN_DAMAGED);
	assert_int_equal(known_parse("headstart-known 2 0\nwhatever", 28, &read), KNOWN_NEWER);
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
		cmocka_unit_test(a_file_is_read_as_it_was_written),
		cmocka_unit_test(every_damaged_byte_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
