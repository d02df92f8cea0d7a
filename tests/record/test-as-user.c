/* SPDX-License-Identifier: MIT */
/* Unit tests of what root does as a user: by a process that is the user's, whose end is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/as-user.h"

static int return_it(void *status)
{
	return *(const int *)status;
}

static int be_root(void *context)
{
	return geteuid() == 0 || getegid() == 0 || setuid(0) == 0;
}

static int be_in_roots_environment(void *context)
{
	char folder[8] = "";

	return getenv("HEADSTART_TEST_SECRET") || !getenv("HOME") || !getcwd(folder, sizeof(folder)) ||
		strcmp(folder, "/") != 0 || umask(0) != 077;
}

static int die(void *context)
{
	return raise(SIGKILL);
}

static void the_status_of_the_work_is_returned(void **state)
{
	int status = 3;

	assert_int_equal(as_user("nobody", return_it, &status), 3);
	status = 0;
	assert_int_equal(as_user("nobody", return_it, &status), 0);
}

static void the_work_is_the_users(void **state)
{
	setenv("HEADSTART_TEST_SECRET", "x", 1);
	assert_int_equal(as_user("nobody", be_root, NULL), 0);
	assert_int_equal(as_user("nobody", be_in_roots_environment, NULL), 0);
	assert_int_equal(geteuid(), 0);
}

static void what_did_not_come_to_an_end_is_told(void **state)
{
	int status = 0;

	assert_int_equal(as_user("nobody", die, NULL), -EINTR);
	assert_int_equal(as_user("headstart-test-no-such-user", return_it, &status), -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_status_of_the_work_is_returned),
		cmocka_unit_test(the_work_is_the_users),
		cmocka_unit_test(what_did_not_come_to_an_end_is_told),
	};

	if (geteuid() != 0) {
		puts("SKIP: only root can become another user");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
