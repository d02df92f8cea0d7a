/* SPDX-License-Identifier: MIT */
/* Unit tests of the verdict: only an interval that leaves 1 out is a difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/verdict.h"

static void assert_text(double low, double median, double high, const char *name, const char *text)
{
	const struct interval speedup = {low, high};
	char buffer[VERDICT_MAX];

	assert_string_equal(verdict_name(verdict_of(&speedup, 1)), name);
	assert_string_equal(verdict_text(verdict_of(&speedup, 1), median, false, buffer), text);
}

static void a_gain_is_in_times_or_percent(void **state)
{
	assert_text(1.9, 2.14, 2.3, "faster", "2.1 times faster with headstart");
	assert_text(1.01, 1.04, 1.08, "faster", "4.0 % faster with headstart");
	assert_text(11, 12.4, 13, "faster", "12 times faster with headstart");
	assert_text(1.0001, 1.1, 1.3, "faster", "1.1 times faster with headstart");
}

static void a_loss_is_told_the_other_way_round(void **state)
{
	assert_text(0.4, 0.5, 0.6, "slower", "2.0 times slower with headstart: leave it off");
	assert_text(0.9, 0.96, 0.99, "slower", "4.2 % slower with headstart: leave it off");
}

static void an_interval_with_1_is_no_difference(void **state)
{
	const char *text = "no measurable difference: leave it off";

	assert_text(0.99, 2, 3, "none", text);
	assert_text(1, 2, 3, "none", text);
	assert_text(0.5, 0.7, 1, "none", text);
	assert_text(1, 1, 1, "none", text);
}

static void without_prefetching_nothing_is_measured(void **state)
{
	const struct interval speedup = {1.9, 2.3}; /* by chance */
	char buffer[VERDICT_MAX];

	assert_string_equal(verdict_name(verdict_of(&speedup, 0)), "unmeasured");
	assert_string_equal(verdict_text(VERDICT_UNMEASURED, 2, false, buffer),
		"not measured: headstart read nothing ahead, because what it looks at was in memory at each start");
	assert_string_equal(verdict_text(VERDICT_UNMEASURED, 2, true, buffer),
		"not measured: headstart read nothing ahead, because what it looks at has changed, is gone, or was in memory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gain_is_in_times_or_percent),
		cmocka_unit_test(a_loss_is_told_the_other_way_round),
		cmocka_unit_test(an_interval_with_1_is_no_difference),
		cmocka_unit_test(without_prefetching_nothing_is_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
