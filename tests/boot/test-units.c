/* SPDX-License-Identifier: MIT */
/* What systemctl prints of units, also what it never should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "boot/units.h"

static struct boot_units units;

static void parse(const char *text)
{
	units = (struct boot_units){0};
	assert_int_equal(boot_units_parse(strdup(text), &units), 0);
}

static void blocks_are_units(void **state)
{
	parse("ExecMainStartTimestampMonotonic=7000\nExecMainPID=42\nId=a.service\n"
	      "InactiveExitTimestampMonotonic=6000\nActiveEnterTimestampMonotonic=0\n"
	      "\n"
	      "Id=b.target\nInactiveExitTimestampMonotonic=9\nActiveEnterTimestampMonotonic=9");
	assert_int_equal(units.n_said, 2);
	assert_string_equal(units.said[0].unit, "a.service");
	assert_int_equal(units.said[0].started, 6000000);
	assert_true(units.said[0].active == TIMELINE_NEVER);
	assert_string_equal(units.said[1].unit, "b.target");
	assert_int_equal(units.said[1].active, 9000);
	assert_int_equal(units.n_members, 1);
	assert_string_equal(units.members[0].unit, "a.service");
	assert_int_equal(units.members[0].pid, 42);
	assert_int_equal(units.members[0].time, 7000000);
	boot_units_release(&units);
}

static void what_is_no_number_is_left_out(void **state)
{
	parse("Id=a.service\nInactiveExitTimestampMonotonic=-1\nActiveEnterTimestampMonotonic=99999999999999999999\n"
	      "ExecMainPID=4294967296\nExecMainStartTimestampMonotonic=1\n"
	      "\n\n\nId=\nInactiveExitTimestampMonotonic=5\n"
	      "\nnothing\n=\nId=b.service\nActiveEnterTimestampMonotonic=18446744073709551615\n");
	assert_int_equal(units.n_said, 2);
	for (size_t i = 0; i < units.n_said; i++)
		assert_true(
			units.said[i].started == TIMELINE_NEVER && units.said[i].active == TIMELINE_NEVER);
	assert_int_equal(units.n_members, 0);
	boot_units_release(&units);
	parse("");
	assert_int_equal(units.n_said, 0);
	boot_units_release(&units);
}

static void a_name_that_no_unit_can_have_is_left_out(void **state)
{
	char text[400] = "Id=";

	memset(text + 3, 'a', 300);
	parse(text);
	assert_int_equal(units.n_said, 0);
	boot_units_release(&units);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_units),
		cmocka_unit_test(what_is_no_number_is_left_out),
		cmocka_unit_test(a_name_that_no_unit_can_have_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
