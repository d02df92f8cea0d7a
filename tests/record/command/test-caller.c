/* SPDX-License-Identifier: MIT */
/* Unit tests of where a user's environment is found: at the nearest ancestor that is the user's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files/io.h"
#include "record/command/caller.h"

#define NOBODY 65534

static const char text[] = "PATH=/a:/b\0EMPTY=\0NO_VALUE\0PATHS=/c\0LAST=x";

static void values_are_found_by_their_whole_name(void **state)
{
	struct caller caller = {.environment = (char *)text, .size = sizeof(text) - 1};

	assert_string_equal(caller_value(&caller, "PATH"), "/a:/b");
	assert_string_equal(caller_value(&caller, "PATHS"), "/c");
	assert_string_equal(caller_value(&caller, "EMPTY"), "");
	assert_string_equal(caller_value(&caller, "LAST"), "x"); /* the last has no NUL of its own */
	assert_null(caller_value(&caller, "NO_VALUE"));
	assert_null(caller_value(&caller, "PAT"));
	assert_null(caller_value(&(struct caller){0}, "PATH"));
}

/*
 * What the process at the end of the chain finds: the value of FROM, or "-". Descriptors are closed before the new program has its environment,
 * so there may be none yet.
 */
static void answer(int out)
{
	struct caller caller = {0};
	int r = caller_find(NOBODY, &caller);
	const char *value = r == 0 ? caller_value(&caller, "FROM") : NULL;

	for (unsigned tries = 0; r == 0 && !value && tries < 10000; tries++) {
		usleep(1000);
		caller_release(&caller);
		r = caller_find(NOBODY, &caller);
		value = r == 0 ? caller_value(&caller, "FROM") : NULL;
	}
	dprintf(out, "%d %s\n", r, value ? value : "-");
	caller_release(&caller);
	_exit(0);
}

/* Becomes a process of that user that was executed with FROM=value, and sleeps. */
static void be(uid_t user, const char *value)
{
	char from[32], *const argv[] = {(char *)"sleep", (char *)"100", NULL};
	char *const environment[] = {from, NULL};

	snprintf(from, sizeof(from), "FROM=%s", value);
	if (setresuid(user, user, user) == 0)
		execve("/bin/sleep", argv, environment);
	_exit(1);
}

static void assert_answer(bool with_root_between, uid_t user, const char *wanted)
{
	int out[2], began[2];
	char said[64] = "", byte;
	pid_t top;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(pipe2(began, O_CLOEXEC), 0);
	top = fork();
	if (top == 0) {
		setpgid(0, 0);
		if (fork() == 0) {
			if (with_root_between && fork() != 0)
				be(0, "between");
			close(began[1]);
			(void)!read(began[0], &byte, 1); /* ends when both above have been executed */
			answer(out[1]);
		}
		be(user, "top");
	}
	close(out[1]);
	close(began[1]);
	assert_true(read_full(out[0], said, sizeof(said) - 1) > 0);
	assert_string_equal(said, wanted);
	close(out[0]);
	close(began[0]);
	kill(-top, SIGKILL); /* all of them: no signal of a dead user's process would reach one of root's */
	waitpid(top, NULL, 0);
}

static void the_users_own_process_is_asked_if_it_started_us(void **state)
{
	assert_answer(false, NOBODY, "0 top\n");
}

static void what_the_user_started_as_root_is_asked(void **state)
{
	assert_answer(true, NOBODY, "0 between\n");
}

static void a_user_without_a_process_above_us_has_none(void **state)
{
	char wanted[16];

	snprintf(wanted, sizeof(wanted), "%d -\n", -ENOENT);
	assert_answer(true, NOBODY - 1, wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_found_by_their_whole_name),
		cmocka_unit_test(the_users_own_process_is_asked_if_it_started_us),
		cmocka_unit_test(what_the_user_started_as_root_is_asked),
		cmocka_unit_test(a_user_without_a_process_above_us_has_none),
	};

	if (geteuid() != 0) {
		puts("SKIP: only root can become another user");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
