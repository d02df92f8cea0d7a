/* SPDX-License-Identifier: MIT */
/* Unit tests of --until: every milestone, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/texts/milestone.h"

static void every_milestone_is_understood(void **state)
{
	struct milestone milestone;

	assert_true(milestone_parse("exit", &milestone));
	assert_int_equal(milestone.kind, MILESTONE_EXIT);
	assert_true(milestone_parse("mark", &milestone));
	assert_int_equal(milestone.kind, MILESTONE_MARK);
	assert_true(milestone_parse("window", &milestone));
	assert_int_equal(milestone.kind, MILESTONE_WINDOW);
	assert_true(milestone_parse("idle:3", &milestone));
	assert_int_equal(milestone.kind, MILESTONE_IDLE);
	assert_true(milestone.seconds == 3);
	assert_true(milestone_parse("time:0.5", &milestone));
	assert_int_equal(milestone.kind, MILESTONE_TIME);
	assert_true(milestone.seconds == 0.5);
}

static void other_words_are_refused(void **state)
{
	static const char *const wrong[] = {"", "exits", "exit:", "Exit", "idle", "idle:", "idle:0",
		"idle:-1", "idle:x", "idle:3s", "idle:inf", "idle:nan", "idle:1e8", "time:", "window:1",
		"sometime"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct milestone milestone = {.kind = MILESTONE_TIME, .seconds = 7};

		if (milestone_parse(wrong[i], &milestone))
			fail_msg("'%s' is taken for a milestone", wrong[i]);
		assert_int_equal(milestone.kind, MILESTONE_TIME);
		assert_true(milestone.seconds == 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_milestone_is_understood),
		cmocka_unit_test(other_words_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
