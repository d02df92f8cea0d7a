/* SPDX-License-Identifier: MIT */
/* Unit tests of signals that are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/signals.h"

static volatile sig_atomic_t noted;

static void note(int number)
{
	noted = number;
}

static void signals_wait_until_they_are_read(void **state)
{
	struct signalfd_siginfo info;
	sigset_t before, now;
	_cleanup_close_ int fd = -1;

	assert_int_equal(signals_take((const int[]){SIGTERM, SIGUSR1, 0}, &before, &fd), 0);
	assert_int_equal(read(fd, &info, sizeof(info)), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(raise(SIGTERM), 0); /* would end us */
	assert_int_equal(read(fd, &info, sizeof(info)), sizeof(info));
	assert_int_equal(info.ssi_signo, SIGTERM);

	assert_int_equal(sigprocmask(SIG_SETMASK, &before, &now), 0);
	assert_int_equal(sigismember(&now, SIGTERM), 1);
	assert_int_equal(sigismember(&now, SIGUSR1), 1);
	assert_int_equal(sigismember(&now, SIGUSR2), 0);
	assert_int_equal(sigismember(&before, SIGTERM), 0);
}

static void what_is_ignored_is_told(void **state)
{
	signal(SIGHUP, SIG_DFL); /* whoever runs the tests may ignore it */
	assert_false(signal_is_ignored(SIGHUP));
	signal(SIGHUP, SIG_IGN);
	assert_true(signal_is_ignored(SIGHUP));
	signal(SIGHUP, SIG_DFL);
	assert_false(signal_is_ignored(SIGHUP));
}

static void a_blocked_signal_comes_once_it_is_unblocked(void **state)
{
	sigset_t alarm_only, before;
	struct sigaction old;

	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &alarm_only, &before), 0);
	assert_int_equal(sigaction(SIGALRM, &(const struct sigaction){.sa_handler = note}, &old), 0);
	assert_int_equal(raise(SIGALRM), 0);
	assert_int_equal(noted, 0);
	signal_unblock(SIGALRM);
	assert_int_equal(noted, SIGALRM);
	sigaction(SIGALRM, &old, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_wait_until_they_are_read),
		cmocka_unit_test(what_is_ignored_is_told),
		cmocka_unit_test(a_blocked_signal_comes_once_it_is_unblocked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
