/* SPDX-License-Identifier: MIT */
/* Unit tests of medians and intervals, against values that can be computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/statistics.h"

static void assert_interval(const double *values, size_t n, double low, double high)
{
	struct interval interval = {-1, -1};

	assert_int_equal(statistics_interval(values, n, &interval), 0);
	if (interval.low != low || interval.high != high)
		fail_msg("%g to %g instead of %g to %g", interval.low, interval.high, low, high);
}

static void the_median_is_the_middle_of_any_order(void **state)
{
	const double odd[] = {9, 1, 5}, even[] = {4, 1, 3, 2}, one[] = {7};

	assert_true(statistics_median(odd, 3) == 5);
	assert_true(statistics_median(even, 4) == 2.5);
	assert_true(statistics_median(one, 1) == 7);
	assert_true(odd[0] == 9); /* the sample stays as it was */
}

static void equal_values_have_no_uncertainty(void **state)
{
	const double values[] = {3, 3, 3, 3, 3};

	assert_interval(values, 5, 3, 3);
}

/*
 * The median of seven draws from seven values is the k-th value or a smaller one if four draws are, which is binomial:
 * with probability 0.010 for k = 1, 0.104 for k = 2. So 2.5 % lie at the second value, 97.5 % at the sixth.
 */
static void seven_values_lose_their_extremes(void **state)
{
	const double values[] = {70, 10, 60, 20, 50, 30, 40};

	assert_interval(values, 7, 20, 60);
}

/* Of five, with probability 0.058 for k = 1: both extremes stay. */
static void five_values_keep_their_extremes(void **state)
{
	const double values[] = {1, 2, 3, 4, 100};

	assert_interval(values, 5, 1, 100);
}

/* Rounds with the same ratio have a certain ratio, however different they are from each other. */
static void rounds_stay_together(void **state)
{
	const double numerators[] = {2, 20, 200, 4, 40}, denominators[] = {1, 10, 100, 2, 20};
	struct interval interval;

	assert_int_equal(statistics_ratio_interval(numerators, denominators, 5, &interval), 0);
	assert_true(interval.low == 2 && interval.high == 2);
}

/* bench/coldlib/stats.py, with other random numbers, gives 2.0 to 2.4 for the same rounds. */
static void a_ratio_has_an_interval(void **state)
{
	const double numerators[] = {10, 11, 12, 11, 10, 12, 13}, denominators[] = {5, 5, 5, 5, 5, 6, 5};
	struct interval interval, again;

	assert_int_equal(statistics_ratio_interval(numerators, denominators, 7, &interval), 0);
	assert_true(interval.low == 2.0 && interval.high == 2.4);
	assert_int_equal(statistics_ratio_interval(numerators, denominators, 7, &again), 0);
	assert_true(interval.low == again.low && interval.high == again.high);
}

static void the_largest_sample_fits(void **state)
{
	double values[STATISTICS_MAX];
	struct interval interval;

	for (size_t i = 0; i < STATISTICS_MAX; i++)
		values[i] = (double)i;
	assert_true(statistics_median(values, STATISTICS_MAX) == 49.5);
	assert_int_equal(statistics_interval(values, STATISTICS_MAX, &interval), 0);
	assert_true(interval.low > 30 && interval.low < 49.5 && interval.high > 49.5 && interval.high < 70);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_median_is_the_middle_of_any_order),
		cmocka_unit_test(equal_values_have_no_uncertainty),
		cmocka_unit_test(seven_values_lose_their_extremes),
		cmocka_unit_test(five_values_keep_their_extremes),
		cmocka_unit_test(rounds_stay_together),
		cmocka_unit_test(a_ratio_has_an_interval),
		cmocka_unit_test(the_largest_sample_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
