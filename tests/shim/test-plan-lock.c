/* SPDX-License-Identifier: MIT */
/* The locks by which prefetchers find each other. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "prefetcher/plan-lock.h"

/* Runs instead of the tests: takes the locks, says so on standard output, and ends when standard input does. */
static int hold(const char *plan)
{
	int fd = open(plan, O_RDONLY | O_CLOEXEC);
	char byte;

	plan_lock_hold();
	puts(fd >= 0 && plan_claim(fd) ? "held" : "refused");
	fflush(stdout);
	return (int)read(STDIN_FILENO, &byte, 1);
}

/* Runs hold() in a process of this program. The caller closes *ret_end to end it. */
static pid_t start_holder(const char *plan, int *ret_end)
{
	int in[2], out[2];
	char said[16] = "", program[4096] = "";
	pid_t child;

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_true(readlink("/proc/self/exe", program, sizeof(program) - 1) > 0);
	child = fork();
	if (child == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		execl(program, program, plan, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	assert_int_equal(read(out[0], said, sizeof(said) - 1), strlen("held\n"));
	assert_string_equal(said, "held\n");
	close(out[0]);
	*ret_end = in[1];
	return child;
}

/* A program that is no prefetcher, with all of a prefetcher's locks. */
static pid_t start_stranger(int plan_fd)
{
	int ready[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe2(ready, 0), 0);
	child = fork();
	if (child == 0) {
		struct flock all = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
		int program = open("/proc/self/exe", O_RDONLY);

		fcntl(plan_fd, F_SETLK, &all);
		fcntl(program, F_SETLK, &all);
		dup2(plan_fd, 100); /* inherited: closing a descriptor would release the lock */
		dup2(ready[1], STDOUT_FILENO);
		close(ready[1]);
		close(ready[0]);
		execl("/bin/sh", "sh", "-c", "echo; exec sleep 60", NULL);
		_exit(127);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return child;
}

static void strangers_locks_do_not_count(void **state)
{
	char plan[] = "/tmp/headstart-plan-lock.XXXXXX";
	int fd = mkostemp(plan, 0);
	pid_t stranger = start_stranger(fd);

	assert_false(plan_lock_held());
	assert_true(plan_claim(fd));
	assert_true(plan_own(fd, getuid()));
	kill(stranger, SIGKILL);
	waitpid(stranger, NULL, 0);
	close(fd);
	unlink(plan);
}

static void test_locks(void **state)
{
	char plan[] = "/tmp/headstart-plan-lock.XXXXXX";
	int end, fd = mkostemp(plan, O_CLOEXEC);
	pid_t holder;

	assert_false(plan_lock_held());
	holder = start_holder(plan, &end);
	assert_true(plan_lock_held());
	assert_false(plan_claim(fd));
	close(end);
	waitpid(holder, NULL, 0);
	assert_false(plan_lock_held());
	assert_true(plan_claim(fd));
	close(fd);
	unlink(plan);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_locks),
		cmocka_unit_test(strangers_locks_do_not_count),
	};

	return argc > 1 ? hold(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
