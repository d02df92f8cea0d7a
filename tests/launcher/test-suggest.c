/* SPDX-License-Identifier: MIT */
/* Unit tests of "did you mean": which of several words is near enough, and none when nothing is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "lib/options/suggest.h"

static const char *nearest(const char *word)
{
	static const char *const known[] = {"record", "run", "plan", "relayout", "uninstall", "install"};
	struct suggestion suggestion = {.word = word};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		suggestion_offer(&suggestion, known[i]);
	return suggestion.nearest;
}

static void one_slip_is_found(void **state)
{
	static const char *const slips[][2] = {{"recrd", "record"}, {"reecord", "record"},
		{"recoed", "record"}, {"recrod", "record"}, {"rnu", "run"}, {"plna", "plan"},
		{"relyaoutt", "relayout"}, {"rec", "record"}};

	for (size_t i = 0; i < sizeof(slips) / sizeof(slips[0]); i++)
		assert_string_equal(nearest(slips[i][0]), slips[i][1]);
}

static void the_nearest_of_several_is_found(void **state)
{
	assert_string_equal(nearest("uninstal"), "uninstall");
	assert_string_equal(nearest("nistall"), "install");
}

static void what_is_far_is_not_suggested(void **state)
{
	char longer[4096];

	memset(longer, 'r', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_null(nearest(""));
	assert_null(nearest("fly"));
	assert_null(nearest("re"));
	assert_null(nearest("out"));
	assert_null(nearest(longer));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_slip_is_found),
		cmocka_unit_test(the_nearest_of_several_is_found),
		cmocka_unit_test(what_is_far_is_not_suggested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
