/* SPDX-License-Identifier: MIT */
/* Unit tests of running programs: what they get, what is kept of their output, and how they end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/process.h"

/* Runs a line of sh(1), with additional options. */
static int run(const char *line, struct process_options options, struct process_result *ret)
{
	const char *const argv[] = {"/bin/sh", "-c", line, NULL};

	options.argv = argv;
	return process_run(&options, ret);
}

static void both_outputs_and_the_status_come_back(void **state)
{
	_cleanup_(process_result_releasep) struct process_result result = {0};

	assert_int_equal(run("echo out; echo err >&2; exit 3", (struct process_options){0}, &result), 0);
	assert_true(WIFEXITED(result.status));
	assert_int_equal(WEXITSTATUS(result.status), 3);
	assert_string_equal(result.out, "out\n");
	assert_int_equal(result.out_size, 4);
	assert_string_equal(result.err, "err\n");
}

static void a_signal_is_told(void **state)
{
	_cleanup_(process_result_releasep) struct process_result result = {0};

	assert_int_equal(run("kill -9 $$", (struct process_options){0}, &result), 0);
	assert_true(WIFSIGNALED(result.status));
	assert_int_equal(WTERMSIG(result.status), 9);
}

static void what_is_no_program_exits_127(void **state)
{
	_cleanup_(process_result_releasep) struct process_result result = {0};
	const char *const argv[] = {"/nonexistent/program", NULL};

	const char *preloaded = getenv("LD_PRELOAD");

	assert_int_equal(process_run(&(struct process_options){.argv = argv}, &result), 0);
	if (!preloaded ||
		!strstr(preloaded,
			"vgpreload")) /* a child that ends under valgrind may have valgrind's status */
		assert_int_equal(WEXITSTATUS(result.status), 127);
}

/* Far more than a pipe can hold. */
static void all_output_is_kept_unless_told(void **state)
{
	_cleanup_(process_result_releasep) struct process_result all = {0}, some = {0};
	const char line[] = "head -c 3000000 /dev/zero | tr '\\0' x";

	assert_int_equal(run(line, (struct process_options){0}, &all), 0);
	assert_int_equal(all.out_size, 3000000);
	assert_int_equal(run(line, (struct process_options){.output_max = 1000}, &some), 0);
	assert_int_equal(some.out_size, 1000);
	assert_int_equal(strlen(some.out), 1000);
}

static void the_environment_is_ours_in_the_c_locale_or_what_is_given(void **state)
{
	_cleanup_(process_result_releasep) struct process_result ours = {0}, given = {0};
	const char *const envp[] = {"OTHER=1", NULL};

	assert_int_equal(setenv("PROCESS_TEST", "kept", 1), 0);
	assert_int_equal(setenv("LC_ALL", "de_DE.UTF-8", 1), 0);
	assert_int_equal(setenv("LANGUAGE", "de", 1), 0);
	assert_int_equal(
		run("echo \"$PROCESS_TEST $LC_ALL$LANGUAGE.\"", (struct process_options){0}, &ours), 0);
	assert_string_equal(ours.out, "kept C.\n");
	assert_int_equal(run("echo $PROCESS_TEST $OTHER", (struct process_options){.envp = envp}, &given), 0);
	assert_string_equal(given.out, "1\n");
}

static void it_runs_in_the_root_unless_it_stays(void **state)
{
	_cleanup_(process_result_releasep) struct process_result root = {0}, here = {0};

	assert_int_equal(chdir("/usr"), 0);
	assert_int_equal(run("pwd; cat", (struct process_options){0}, &root), 0);
	assert_string_equal(root.out, "/\n");
	assert_int_equal(run("pwd", (struct process_options){.stay = true}, &here), 0);
	assert_string_equal(here.out, "/usr\n");
	assert_int_equal(chdir("/"), 0);
}

/* The shell ends only if it is killed. */
static void what_does_not_end_is_killed(void **state)
{
	struct process_result result = {0};

	assert_int_equal(
		run("while :; do sleep 1; done", (struct process_options){.timeout_ms = 1}, &result), -ETIME);
	assert_null(result.out);
}

static void wake(int signal_number)
{
	(void)signal_number;
}

/* As in a thread that follows programs by ptrace, and is woken every few milliseconds. */
static void a_timer_does_not_prolong_the_wait(void **state)
{
	const struct itimerval often = {{0, 5000}, {0, 5000}}, never = {{0}};
	int status, r;
	pid_t child = fork();

	if (child == 0) {
		alarm(20); /* for a wait that has no end */
		for (;;)
			pause();
	}
	assert_true(child > 0);
	sigaction(SIGALRM, &(struct sigaction){.sa_handler = wake}, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	r = process_await(child, 100, &status);
	setitimer(ITIMER_REAL, &never, NULL);
	/* valgrind may deliver the last one only now */
	sigaction(SIGALRM, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
	assert_int_equal(r, -ETIME);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_outputs_and_the_status_come_back),
		cmocka_unit_test(a_signal_is_told),
		cmocka_unit_test(what_is_no_program_exits_127),
		cmocka_unit_test(all_output_is_kept_unless_told),
		cmocka_unit_test(the_environment_is_ours_in_the_c_locale_or_what_is_given),
		cmocka_unit_test(it_runs_in_the_root_unless_it_stays),
		cmocka_unit_test(what_does_not_end_is_killed),
		cmocka_unit_test(a_timer_does_not_prolong_the_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
