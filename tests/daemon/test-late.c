/* SPDX-License-Identifier: MIT */
/* Unit tests of the users whose processes did not end in time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learn/late.h"

static void a_user_is_late_three_times(void **state)
{
	struct late late = {0};

	for (unsigned i = 0; i < LATE_TIMES; i++) {
		assert_true(late_allows(&late, 1000));
		late_note(&late, 1000, false);
	}
	assert_false(late_allows(&late, 1000));
	assert_true(late_allows(&late, 1001));
}

static void a_stuck_process_is_enough(void **state)
{
	struct late late = {0};

	late_note(&late, 1000, true);
	assert_false(late_allows(&late, 1000));
	late_note(&late, 1000, false);
	assert_false(late_allows(&late, 1000));
	assert_true(late_allows(&late, 1001));
}

static void with_many_late_users_nobody_gets_a_process(void **state)
{
	struct late late = {0};

	for (uid_t user = 1000; user < 1000 + LATE_USERS; user++) {
		assert_true(late_allows(&late, user));
		late_note(&late, user, true);
	}
	assert_false(late_allows(&late, 2000));
	late_note(&late, 2000, true);
	for (uid_t user = 1000; user < 1000 + LATE_USERS; user++)
		assert_false(late_allows(&late, user));
}

/* When a server of homes has paused, many users were late once. */
static void users_who_were_late_once_leave_room(void **state)
{
	struct late late = {0};

	for (uid_t user = 1000; user < 1000 + LATE_USERS; user++)
		late_note(&late, user, false);
	for (unsigned i = 0; i < LATE_TIMES; i++) {
		assert_true(late_allows(&late, 2000));
		late_note(&late, 2000, false);
	}
	assert_false(late_allows(&late, 2000));
	assert_true(late_allows(&late, 1000));
}

static void root_gets_none(void **state)
{
	struct late late = {0};

	assert_false(late_allows(&late, 0));
	late_note(&late, 0, true);
	assert_true(late_allows(&late, 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_user_is_late_three_times),
		cmocka_unit_test(a_stuck_process_is_enough),
		cmocka_unit_test(with_many_late_users_nobody_gets_a_process),
		cmocka_unit_test(users_who_were_late_once_leave_room),
		cmocka_unit_test(root_gets_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
