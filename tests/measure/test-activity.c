/* SPDX-License-Identifier: MIT */
/* Unit tests of whether a tree of processes has something to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/activity.h"

static void names_may_look_like_fields(void **state)
{
	static const char text[] = "77 (a) R 5 (b) S 12 1 1 0 -1 4194304 10 20 30 40 50 60 70 80 20 0";
	struct activity_process process = {0};
	pid_t parent;

	assert_true(activity_parse_stat(text, &parent, &process));
	assert_int_equal(parent, 12);
	assert_int_equal(process.faults, 30);
	assert_int_equal(process.ticks, 110);
}

static void text_that_is_cut_off_is_refused(void **state)
{
	struct activity_process process = {0};
	pid_t parent;

	assert_false(activity_parse_stat("", &parent, &process));
	assert_false(activity_parse_stat("77 (a", &parent, &process));
	assert_false(activity_parse_stat("77 (a)", &parent, &process));
	assert_false(activity_parse_stat("77 (a) S 12 1 1 0 -1 4194304 10 20 30 40 50", &parent, &process));
}

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* The clock of the looks is the test's own: each is so many seconds after the one before. */
static void a_quiet_tree_is_quiet_and_news_are_work(void **state)
{
	struct activity activity;
	pid_t sleeper = fork(), other;

	if (sleeper == 0) {
		for (;;)
			pause();
	}
	pause_ms(50); /* until it sleeps */
	activity_init(&activity, 100);
	assert_int_equal(activity_look(&activity, 101), 0);
	assert_true(activity.quiet_since == 101); /* a new process */
	assert_int_equal(activity.n, 1);
	assert_int_equal(activity_look(&activity, 102), 0);
	assert_int_equal(activity_look(&activity, 103), 0);
	assert_true(activity.quiet_since == 101);

	other = fork();
	if (other == 0) {
		for (;;)
			pause();
	}
	assert_int_equal(activity_look(&activity, 104), 0);
	assert_true(activity.quiet_since == 104);
	assert_int_equal(activity.n, 2);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	assert_int_equal(activity_look(&activity, 105), 0);
	assert_true(activity.quiet_since == 105); /* one has ended */
	kill(sleeper, SIGKILL);
	waitpid(sleeper, NULL, 0);
	activity_release(&activity);
}

static void a_busy_grandchild_is_work(void **state)
{
	struct activity activity;
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (volatile unsigned i = 0;; i++)
				;
		}
		for (;;)
			pause();
	}
	activity_init(&activity, 100);
	for (int i = 0; i < 1000 && activity.n < 2; i++) {
		pause_ms(5);
		assert_int_equal(activity_look(&activity, 101 + i * 1.1), 0);
	}
	assert_int_equal(activity.n, 2);
	activity.quiet_since = 5000;
	activity.ticks = 0;
	for (int i = 0; i < 1000 && activity.quiet_since == 5000; i++) {
		pause_ms(5);
		assert_int_equal(activity_look(&activity, 5000.1), 0);
	}
	assert_true(activity.quiet_since == 5000.1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	activity_release(&activity);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_may_look_like_fields),
		cmocka_unit_test(text_that_is_cut_off_is_refused),
		cmocka_unit_test(a_quiet_tree_is_quiet_and_news_are_work),
		cmocka_unit_test(a_busy_grandchild_is_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
