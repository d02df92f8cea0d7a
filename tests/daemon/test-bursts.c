/* SPDX-License-Identifier: MIT */
/* Unit tests of the programs that are executed too often to be looked at each time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "learn/bursts.h"

#define NOW 5000u

static void only_some_starts_of_a_second_are_looked_at(void **state)
{
	struct bursts bursts = {0};
	unsigned looks = 0;

	for (unsigned i = 0; i < 1000; i++)
		looks += bursts_look(&bursts, "/bin/true", NOW + i % 1000);
	assert_int_equal(looks, BURST_LOOKS);
	assert_true(bursts_look(&bursts, "/bin/true", NOW + 1000));
}

static void rare_starts_are_all_looked_at(void **state)
{
	struct bursts bursts = {0};

	for (unsigned i = 0; i < 1000; i++)
		assert_true(bursts_look(&bursts, "/bin/true", NOW + i * 100));
}

static void no_program_pays_for_another(void **state)
{
	struct bursts bursts = {0};
	char name[32];

	for (unsigned i = 0; i < 2000; i++) {
		(void)bursts_look(&bursts, "/bin/often", NOW);
		snprintf(name, sizeof(name), "/bin/%u", i);
		assert_true(bursts_look(&bursts, name, NOW));
	}
	assert_true(bursts_look(&bursts, "", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_some_starts_of_a_second_are_looked_at),
		cmocka_unit_test(rare_starts_are_all_looked_at),
		cmocka_unit_test(no_program_pays_for_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
