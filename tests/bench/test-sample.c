/* SPDX-License-Identifier: MIT */
/* Unit tests of bench/spawn/sample: medians, and intervals that can be computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../bench/spawn/sample.h"

#define ROUNDS 101

static void median_of_odd_and_even(void **state)
{
	double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, one[] = {7};

	assert_true(sample_median(odd, 3) == 3);
	assert_true(sample_median(even, 4) == 2.5);
	assert_true(sample_median(one, 1) == 7);
}

static void constant_samples_leave_no_doubt(void **state)
{
	double values[ROUNDS];
	struct interval interval;

	for (int i = 0; i < ROUNDS; i++)
		values[i] = 42;
	assert_int_equal(sample_median_interval(values, ROUNDS, 1, &interval), 0);
	assert_true(interval.low == 42 && interval.high == 42);
}

/*
 * Of the values 0 … 100 the bootstrap median is at most k with the probability of at least 51 of 101 draws being at most
 * k, normal with mean p·101: 2.5 % at about 50 ± 1.96·√(101/4), that is 40 and 60.
 */
static void interval_has_the_width_of_theory(void **state)
{
	double values[ROUNDS];
	struct interval interval;

	for (int i = 0; i < ROUNDS; i++)
		values[i] = (i * 37) % ROUNDS;
	assert_int_equal(sample_median_interval(values, ROUNDS, 1, &interval), 0);
	assert_true(interval.low >= 38 && interval.low <= 42);
	assert_true(interval.high >= 58 && interval.high <= 62);
}

/*
 * A disturbance of whole rounds affects both sides: the difference stays 10 in each round, however much the rounds
 * vary.
 */
static void differences_are_of_rounds(void **state)
{
	double values[ROUNDS], baseline[ROUNDS];
	struct interval interval;

	for (int i = 0; i < ROUNDS; i++) {
		baseline[i] = (i * 37) % ROUNDS * 1000;
		values[i] = baseline[i] + 10;
	}
	assert_int_equal(sample_difference_interval(values, baseline, ROUNDS, 1, &interval), 0);
	assert_true(interval.low == 10 && interval.high == 10);
}

static void one_seed_one_result(void **state)
{
	double values[ROUNDS];
	struct interval one, same;

	for (int i = 0; i < ROUNDS; i++)
		values[i] = (i * 37) % ROUNDS;
	assert_int_equal(sample_median_interval(values, ROUNDS, 9, &one), 0);
	assert_int_equal(sample_median_interval(values, ROUNDS, 9, &same), 0);
	assert_true(one.low == same.low && one.high == same.high);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(median_of_odd_and_even),
		cmocka_unit_test(constant_samples_leave_no_doubt),
		cmocka_unit_test(interval_has_the_width_of_theory),
		cmocka_unit_test(differences_are_of_rounds),
		cmocka_unit_test(one_seed_one_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
