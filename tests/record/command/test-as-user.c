/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of what root does as a user: a process of that user does it. Root is told when it ends, but does not
 * wait for ever.
 */
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
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/run/process.h"
#include "record/command/as-user.h"

#define HANG_TIME 120 /* seconds until the test is ended if as_user() waits for ever */

static unsigned patience_ms; /* in place of as_user()'s minute; 0: that minute */

/* The linker makes as_user() call this one. */
int __real_process_await(pid_t child, unsigned timeout_ms, int *ret_status);
int __wrap_process_await(pid_t child, unsigned timeout_ms, int *ret_status);

int __wrap_process_await(pid_t child, unsigned timeout_ms, int *ret_status)
{
	assert_true(timeout_ms > 0);
	return __real_process_await(child, patience_ms > 0 ? patience_ms : timeout_ms, ret_status);
}

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

/* Another process of the same user stops this one, which would go on for ever. */
static int be_stopped(void *test)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* so that the child ends too if the test fails */
	if (getppid() != *(const pid_t *)test)
		return 0;
	if (fork() == 0) {
		kill(getppid(), SIGSTOP);
		_exit(0);
	}
	for (;;)
		pause();
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

static void work_that_the_user_stops_is_not_waited_for(void **state)
{
	pid_t test = getpid();

	patience_ms = 300;
	alarm(HANG_TIME);
	assert_int_equal(as_user("nobody", be_stopped, &test), -ETIME);
	alarm(0);
	patience_ms = 0;
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_status_of_the_work_is_returned),
		cmocka_unit_test(the_work_is_the_users),
		cmocka_unit_test(what_did_not_come_to_an_end_is_told),
		cmocka_unit_test(work_that_the_user_stops_is_not_waited_for),
	};

	if (geteuid() != 0) {
		puts("SKIP: only root can become another user");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
