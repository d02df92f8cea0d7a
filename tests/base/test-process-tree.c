/* SPDX-License-Identifier: MIT */
/* Unit tests of process trees: orphans belong to the tree, and a tree that ignores SIGTERM ends as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/process-tree.h"

/* A command that exits with status 5 and leaves an orphan, which reads from `hold` until that is closed. */
static pid_t command_with_orphan(int hold[2], bool stubborn)
{
	int ready[2];
	pid_t command;
	char byte;

	assert_int_equal(pipe(hold), 0);
	assert_int_equal(pipe(ready), 0);
	command = fork();
	if (command == 0) {
		if (fork() == 0) {
			if (stubborn)
				signal(SIGTERM, SIG_IGN);
			close(hold[1]);
			(void)!write(ready[1], "", 1);
			(void)!read(hold[0], &byte, 1);
			_exit(0);
		}
		_exit(5);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	close(hold[0]);
	return command;
}

static int be_subreaper(void **state)
{
	return process_tree_begin();
}

static void an_orphan_belongs_to_the_tree(void **state)
{
	int hold[2], status = -1;
	bool ended = false;
	pid_t command = command_with_orphan(hold, false), *children;
	size_t n;

	while (!ended)
		assert_false(process_tree_reap(command, &ended, &status));
	assert_int_equal(WEXITSTATUS(status), 5);
	assert_int_equal(process_tree_children(&children, &n), 0);
	assert_int_equal(n, 1);
	assert_true(children[0] != command);
	free(children);
	close(hold[1]);
	while (!process_tree_reap(command, &ended, &status))
		;
	assert_int_equal(process_tree_children(&children, &n), 0);
	assert_int_equal(n, 0);
	free(children);
}

static void all_processes_end(bool stubborn)
{
	int hold[2], status = -1;
	pid_t command = command_with_orphan(hold, stubborn);
	siginfo_t ended;

	assert_int_equal(waitid(P_PID, (id_t)command, &ended, WEXITED | WNOWAIT), 0);
	process_tree_end(command, &status);
	assert_int_equal(WEXITSTATUS(status), 5);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	close(hold[1]);
}

static void a_tree_is_ended(void **state)
{
	all_processes_end(false);
}

static void a_tree_that_ignores_sigterm_is_ended(void **state)
{
	all_processes_end(true);
}

/* As a set-user-ID program is for whoever has started it. */
static void a_process_that_we_may_not_end_is_given_up(void **state)
{
	pid_t ordinary, privileged;
	int told_us[2], status;

	if (geteuid() != 0)
		skip();
	assert_int_equal(pipe(told_us), 0);
	ordinary = fork();
	if (ordinary == 0) {
		if (process_tree_begin() < 0)
			_exit(10);
		privileged = fork();
		if (privileged == 0)
			for (;;)
				pause();
		(void)!write(told_us[1], &privileged, sizeof(privileged));
		if (setresuid(65534, 65534, 65534) < 0)
			_exit(11);
		_exit(process_tree_end(privileged, &status) ? 12 : 0);
	}
	assert_int_equal(read(told_us[0], &privileged, sizeof(privileged)), sizeof(privileged));
	close(told_us[0]);
	close(told_us[1]);
	assert_int_equal(waitpid(ordinary, &status, 0), ordinary);
	kill(privileged, SIGKILL);
	waitpid(privileged, NULL, 0); /* an orphan, and so ours */
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static volatile sig_atomic_t asked;

static void count(int signal_number)
{
	(void)signal_number;
	asked++;
}

/* Tidies up for several of the looks that process_tree_end() takes, and exits with the number of its SIGTERMs. */
static _Noreturn void tidy_up(int ready)
{
	const struct sigaction action = {.sa_handler = count};
	struct timespec left = {.tv_nsec = 200000000};

	sigaction(SIGTERM, &action, NULL);
	(void)!write(ready, "", 1);
	while (!asked)
		usleep(1000);
	while (nanosleep(&left, &left) < 0)
		;
	_exit(asked);
}

static void a_process_that_tidies_up_is_asked_once(void **state)
{
	int ready[2], status = -1;
	pid_t command;
	char byte;

	assert_int_equal(pipe(ready), 0);
	command = fork();
	if (command == 0)
		tidy_up(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	process_tree_end(command, &status);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

static void a_child_that_was_there_before_is_left_alone(void **state)
{
	pid_t *pids = NULL, server = fork(), command;
	size_t n = 0, capacity = 0;
	int status = -1, of_server;
	bool ended = false;

	if (server == 0)
		for (;;)
			pause();
	assert_int_equal(process_tree_begin(), 0);
	assert_true(process_tree_is_other(server));
	assert_true(process_tree_ended());
	command = fork();
	if (command == 0)
		for (;;)
			pause();
	assert_false(process_tree_ended());
	assert_false(process_tree_reap(command, &ended, &status));
	assert_int_equal(process_tree_below(getpid(), &pids, &n, &capacity), 0);
	assert_int_equal(n, 1);
	assert_int_equal(pids[0], command);
	free(pids);
	process_tree_end(command, &status);
	assert_int_equal(WTERMSIG(status), SIGTERM);
	assert_int_equal(waitpid(server, &of_server, WNOHANG), 0);
	kill(server, SIGKILL);
	while (process_tree_is_other(server))
		process_tree_reap(command, &ended, &status);
}

static int hold[2], told[2];

static void a_process_has_a_parent_until_it_is_reaped(void **state)
{
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		pause();
		_exit(0);
	}
	assert_int_equal(process_parent(child), getpid());
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(process_parent(child), 0);
}

/* They make its /proc/PID/status long. */
static void a_process_with_all_groups_has_a_parent(void **state)
{
	static gid_t groups[65536];
	int ready[2];
	pid_t child;
	char byte;

	if (geteuid() != 0)
		skip();
	for (size_t i = 0; i < 65536; i++)
		groups[i] = (gid_t)(2000000000 + i);
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		if (setgroups(65536, groups) == 0)
			(void)!write(ready[1], "", 1);
		close(ready[1]);
		pause();
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	assert_int_equal(process_parent(child), getpid());
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* A child of a thread that is not the first one, with a child of its own. */
static void *fork_twice(void *unused)
{
	char byte;

	if (fork() == 0) {
		close(hold[1]);
		fork();
		(void)!write(told[1], "", 1);
		(void)!read(hold[0], &byte, 1);
		_exit(0);
	}
	while (read(hold[0], &byte, 1) <
		0) /* the thread stays: otherwise its children become those of another one */
		;
	return unused;
}

static void a_tree_has_the_children_of_all_threads(void **state)
{
	pid_t *pids = NULL;
	size_t n = 0, capacity = 0;
	pthread_t thread;
	bool ended;
	int status;
	char byte;

	assert_int_equal(pipe(hold), 0);
	assert_int_equal(pipe(told), 0);
	assert_int_equal(pthread_create(&thread, NULL, fork_twice, NULL), 0);
	assert_int_equal(read(told[0], &byte, 1), 1);
	assert_int_equal(read(told[0], &byte, 1), 1);
	assert_int_equal(process_tree_below(getpid(), &pids, &n, &capacity), 0);
	assert_int_equal(n, 2);
	assert_int_equal(process_tree_below(pids[0], &pids, &n, &capacity), 0);
	assert_int_equal(n, 3);
	assert_int_equal(pids[1], pids[2]);
	close(hold[1]);
	pthread_join(thread, NULL);
	while (!process_tree_reap(pids[0], &ended, &status))
		;
	assert_int_equal(process_tree_below(pids[0], &pids, &n, &capacity), -ENOENT);
	free(pids);
}

static bool is_below(pid_t pid, pid_t top)
{
	_cleanup_free_ pid_t *pids = NULL;
	size_t n = 0, capacity = 0;
	bool found = false;

	assert_int_equal(process_tree_below(top, &pids, &n, &capacity), 0);
	for (size_t i = 0; i < n; i++)
		found |= pids[i] == pid;
	return found;
}

static void who_asks_is_in_no_tree_but_its_own(void **state)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		pid_t below = fork();

		if (below == 0)
			pause();
		status = is_below(getpid(), getppid()) || is_below(below, getppid()) ||
			!is_below(below, getpid());
		kill(below, SIGKILL);
		waitpid(below, NULL, 0);
		_exit(status);
	}
	assert_true(is_below(child, getpid()));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_asks_is_in_no_tree_but_its_own),
		cmocka_unit_test(a_tree_has_the_children_of_all_threads),
		cmocka_unit_test(a_process_has_a_parent_until_it_is_reaped),
		cmocka_unit_test(a_process_with_all_groups_has_a_parent),
		cmocka_unit_test(an_orphan_belongs_to_the_tree),
		cmocka_unit_test(a_tree_is_ended),
		cmocka_unit_test(a_child_that_was_there_before_is_left_alone),
		cmocka_unit_test(a_process_that_tidies_up_is_asked_once),
		cmocka_unit_test(a_tree_that_ignores_sigterm_is_ended),
		cmocka_unit_test(a_process_that_we_may_not_end_is_given_up),
	};

	return cmocka_run_group_tests(tests, be_subreaper, NULL);
}
