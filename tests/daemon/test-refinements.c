/* SPDX-License-Identifier: MIT */
/* Unit tests of which starts that have a plan are watched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "learn/refinements.h"

#define HOUR_MS 3600000u
#define USER    1000

static int set_up(void **state)
{
	*state = calloc(1, sizeof(struct refinements));
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	free(*state);
	return 0;
}

static void a_program_is_watched_until_it_teaches_nothing(void **state)
{
	struct refinements *refinements = *state;

	assert_false(refinements_any_due(refinements, 1000));
	assert_true(refinements_due(refinements, "/bin/app", USER, 1000));
	assert_true(refinements_any_due(refinements, 1000));
	refinements_told(refinements, "/bin/app", USER, REFINEMENT_BETTER, 2000);
	assert_true(refinements_due(refinements, "/bin/app", USER, 2000));
	refinements_told(refinements, "/bin/app", USER, REFINEMENT_SAME, 3000);
	assert_false(refinements_due(refinements, "/bin/app", USER, 3000 + 23 * HOUR_MS));
	assert_false(refinements_any_due(refinements, 3000 + 23 * HOUR_MS));
	assert_true(refinements_due(refinements, "/bin/app", USER, 3000 + 24 * HOUR_MS));
}

static void what_a_user_starts_says_nothing_of_anothers_starts(void **state)
{
	struct refinements *refinements = *state;

	assert_true(refinements_due(refinements, "/bin/app", USER, 1000));
	refinements_told(refinements, "/bin/app", USER, REFINEMENT_SAME, 1000);
	assert_false(refinements_due(refinements, "/bin/app", USER, 2000));
	assert_true(refinements_due(refinements, "/bin/app", USER + 1, 2000));
}

/* Each such start is written down. */
static void what_only_counts_is_watched_once_an_hour(void **state)
{
	struct refinements *refinements = *state;

	assert_true(refinements_due(refinements, "/bin/app", USER, 1000));
	refinements_told(refinements, "/bin/app", USER, REFINEMENT_COUNTED, 1000);
	assert_false(refinements_due(refinements, "/bin/app", USER, 999 + HOUR_MS));
	assert_true(refinements_due(refinements, "/bin/app", USER, 1000 + HOUR_MS));
}

static void a_warm_start_is_followed_by_a_pause(void **state)
{
	struct refinements *refinements = *state;

	assert_true(refinements_due(refinements, "/bin/app", USER, 1000));
	refinements_told(refinements, "/bin/app", USER, REFINEMENT_NOTHING, 1000);
	assert_false(refinements_due(refinements, "/bin/app", USER, 1001));
	assert_true(refinements_due(refinements, "/bin/app", USER, 60000));
}

/* Otherwise an instance would be made and removed all day for programs that are warm. */
static void pauses_after_warm_starts_become_longer(void **state)
{
	struct refinements *refinements = *state;
	uint64_t now = 1000, last = 0;

	for (int i = 0; i < 20; i++) {
		uint64_t began = now;

		assert_true(refinements_due(refinements, "/bin/app", USER, now));
		refinements_told(refinements, "/bin/app", USER, REFINEMENT_NOTHING, now);
		while (!refinements_due(refinements, "/bin/app", USER, now))
			now += 1000;
		assert_in_range(now - began, last, HOUR_MS);
		last = now - began;
	}
	assert_int_equal(last, HOUR_MS);
	refinements_told(refinements, "/bin/app", USER, REFINEMENT_BETTER, now);
	refinements_told(refinements, "/bin/app", USER, REFINEMENT_NOTHING, now);
	assert_true(refinements_due(refinements, "/bin/app", USER, now + 10000));
}

/* An instance that is ready costs each switch of tasks a little. */
static void nothing_is_kept_ready_for_what_is_not_started(void **state)
{
	struct refinements *refinements = *state;

	assert_true(refinements_due(refinements, "/bin/app", USER, 1000));
	assert_true(refinements_any_due(refinements, 1000 + 23 * HOUR_MS));
	assert_false(refinements_any_due(refinements, 1000 + 24 * HOUR_MS));
	assert_true(refinements_due(refinements, "/bin/app", USER, 1000 + 24 * HOUR_MS));
	assert_true(refinements_any_due(refinements, 1000 + 24 * HOUR_MS));
}

/* However many programs there are, each is watched sooner or later. */
static void many_programs_take_turns(void **state)
{
	struct refinements *refinements = *state;
	char path[32];

	for (unsigned i = 0; i < 10 * REFINEMENTS_MAX; i++) {
		snprintf(path, sizeof(path), "/bin/app-%u", i);
		(void)refinements_due(refinements, path, USER, 1000);
	}
	for (unsigned i = 0; i < 10 * REFINEMENTS_MAX; i++) {
		snprintf(path, sizeof(path), "/bin/app-%u", i);
		assert_true(refinements_due(refinements, path, USER, 1000 + (i + 1) * (uint64_t)HOUR_MS));
	}
}

/* A program with the same hash neither takes the place of one that has nothing to teach today, nor is watched in its place. */
static void a_collision_does_not_end_a_pause(void **state)
{
	struct refinements *refinements = *state;
	char path[32];
	unsigned watched = 0;

	for (unsigned i = 0; i < REFINEMENTS_MAX; i++) {
		snprintf(path, sizeof(path), "/bin/app-%u", i);
		if (refinements_due(refinements, path, USER, 1000))
			refinements_told(refinements, path, USER, REFINEMENT_SAME, 1000);
	}
	for (unsigned i = 0; i < 10 * REFINEMENTS_MAX; i++) {
		snprintf(path, sizeof(path), "/bin/app-%u", i);
		if (!refinements_due(refinements, path, USER, 2000))
			continue;
		refinements_told(refinements, path, USER, REFINEMENT_SAME, 2000);
		watched++;
	}
	assert_in_range(watched, 1, REFINEMENTS_MAX - 1); /* those that found a free place */
	for (unsigned i = 0; i < 10 * REFINEMENTS_MAX; i++) {
		snprintf(path, sizeof(path), "/bin/app-%u", i);
		assert_false(refinements_due(refinements, path, USER, 3000));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_program_is_watched_until_it_teaches_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_a_user_starts_says_nothing_of_anothers_starts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_only_counts_is_watched_once_an_hour, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_warm_start_is_followed_by_a_pause, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pauses_after_warm_starts_become_longer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			nothing_is_kept_ready_for_what_is_not_started, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_programs_take_turns, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_collision_does_not_end_a_pause, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
