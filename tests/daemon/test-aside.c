/* SPDX-License-Identifier: MIT */
/* What has failed is left alone for a while, however much that is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "learn/aside.h"

#define MANY 1000
#define HOUR 3600000

static const char *name_of(unsigned i)
{
	static char name[32];

	snprintf(name, sizeof(name), "plan-%u", i);
	return name;
}

static void everything_that_failed_is_left_alone(void **state)
{
	struct aside aside = {0};

	(void)state;
	for (unsigned i = 0; i < MANY; i++)
		assert_int_equal(aside_put(&aside, name_of(i), HOUR + i, i), 0);
	for (unsigned i = 0; i < MANY; i++)
		assert_true(aside_has(&aside, name_of(i), MANY));
	assert_false(aside_has(&aside, name_of(MANY), MANY));
	aside_release(&aside);
}

static void it_is_tried_again_when_the_while_is_over(void **state)
{
	struct aside aside = {0};

	(void)state;
	assert_int_equal(aside_put(&aside, "plan", HOUR, 0), 0);
	assert_true(aside_has(&aside, "plan", HOUR - 1));
	assert_false(aside_has(&aside, "plan", HOUR));
	assert_int_equal(aside_put(&aside, "plan", 2 * HOUR, HOUR), 0);
	assert_true(aside_has(&aside, "plan", HOUR));
	aside_release(&aside);
}

static void what_is_over_makes_room(void **state)
{
	struct aside aside = {0};

	(void)state;
	for (uint64_t now = 0; now < (uint64_t)MANY * HOUR; now += HOUR)
		assert_int_equal(aside_put(&aside, "plan", now + HOUR, now), 0);
	assert_int_equal(aside.n, 1);
	aside_release(&aside);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_that_failed_is_left_alone),
		cmocka_unit_test(it_is_tried_again_when_the_while_is_over),
		cmocka_unit_test(what_is_over_makes_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
