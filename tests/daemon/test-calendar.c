/* SPDX-License-Identifier: MIT */
/* Unit tests of which dates are believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learn/calendar.h"

#define NOW    1700000000
#define YEARS  315360000
#define STEADY CALENDAR_STEADY_S

static void a_date_is_believed_after_a_while(void **state)
{
	struct calendar calendar = {0};

	assert_int_equal(calendar_date(&calendar, NOW, 20), 0);
	assert_int_equal(calendar_date(&calendar, NOW + STEADY - 1, 20 + STEADY - 1), 0);
	assert_int_equal(calendar_date(&calendar, NOW + STEADY, 20 + STEADY), NOW + STEADY);
	assert_int_equal(calendar_date(&calendar, NOW + YEARS, 20 + YEARS), NOW + YEARS); /* it has slept */
}

static void a_clock_that_is_set_is_not_believed_at_once(void **state)
{
	for (int64_t jump = -YEARS; jump <= YEARS; jump += 2 * (int64_t)YEARS) {
		struct calendar calendar = {0};

		(void)calendar_date(&calendar, NOW, 20);
		assert_int_equal(calendar_date(&calendar, NOW + jump + STEADY, 20 + STEADY), 0);
		assert_int_equal(
			calendar_date(&calendar, NOW + 2 * STEADY, 20 + 2 * STEADY), 0); /* put right */
		assert_int_equal(
			calendar_date(&calendar, NOW + 3 * STEADY, 20 + 3 * STEADY), NOW + 3 * STEADY);
	}
}

/* As ntpd(8) does, or a person who goes by a watch. */
static void a_little_makes_no_difference(void **state)
{
	struct calendar calendar = {0};

	(void)calendar_date(&calendar, NOW, 20);
	assert_int_equal(calendar_date(&calendar, NOW + 2 * STEADY, 20 + STEADY), NOW + 2 * STEADY);
	assert_int_equal(calendar_date(&calendar, NOW, 21 + STEADY), NOW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_date_is_believed_after_a_while),
		cmocka_unit_test(a_clock_that_is_set_is_not_believed_at_once),
		cmocka_unit_test(a_little_makes_no_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
