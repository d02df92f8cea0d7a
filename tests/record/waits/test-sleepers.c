/* SPDX-License-Identifier: MIT */
/* Which threads of a start wait at this moment, by the kernel's events; what each waits for is named once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/times.h"
#include "record/waits/name.h"
#include "record/waits/sleepers.h"

#define SLEEPS 1u
#define DEAD   0x10u

static struct record_trace trace;
static struct sleepers sleepers;
static pid_t child; /* waits for a pipe */
static uint64_t before;

static int begin(void **state)
{
	int fds[2];
	char c;

	assert_int_equal(pipe(fds), 0);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (read(fds[0], &c, 1) < 0)
			_exit(1);
		_exit(0);
	}
	close(fds[0]);
	*state = (void *)(intptr_t)fds[1];
	for (bool waits = false; !waits; usleep(1000)) {
		_cleanup_free_ char *text = wait_name(child);

		waits = text != NULL;
	}
	before = monotonic_ns() - 10000000000; /* long ago */
	return record_trace_add_pid(&trace, child);
}

static int end(void **state)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close((int)(intptr_t)*state);
	sleepers_release(&sleepers);
	record_trace_release(&trace);
	return 0;
}

static void switches(uint64_t time, int32_t from, uint32_t state, int32_t to)
{
	const struct timeline_moment moment = {
		.kind = MOMENT_SWITCH, .time = time, .thread = from, .other = to, .state = state};

	assert_int_equal(record_trace_add_moment(&trace, &moment), 0);
}

static void expect_remarks(size_t n)
{
	assert_int_equal(sleepers_look(&sleepers, &trace), 0);
	assert_int_equal(sleepers.n_remarks, n);
}

static void a_long_wait_is_named_once(void **state)
{
	switches(before, child, SLEEPS, 1);
	expect_remarks(1);
	assert_int_equal(sleepers.remarks[0].tid, child);
	assert_true(sleepers.remarks[0].time > before);
	assert_string_equal(sleepers.remarks[0].text, "a pipe");
	expect_remarks(1);
	switches(before + 1000, 1, 0, child);
	switches(before + 2000, child, SLEEPS, 1);
	expect_remarks(2); /* this is another wait */
}

static void who_runs_is_not_looked_at(void **state)
{
	switches(before, child, SLEEPS, 1);
	switches(before + 1000, 1, 0, child);
	expect_remarks(0);
	switches(before + 2000, child, 0x100, 1); /* it was preempted */
	expect_remarks(0);
	switches(before + 3000, child, DEAD, 1);
	expect_remarks(0);
}

/* What happened on another processor comes later, though it was earlier. */
static void events_may_come_in_any_order(void **state)
{
	switches(before + 2000, child, SLEEPS, 1);
	switches(before + 1000, 1, 0, child);
	expect_remarks(1);
}

static void a_short_wait_is_not_looked_at(void **state)
{
	switches(monotonic_ns() + 10000000000, child, SLEEPS, 1);
	expect_remarks(0);
}

static void others_are_not_looked_at(void **state)
{
	trace.n_pids = 0;
	switches(before, child, SLEEPS, 1);
	switches(before, -5, SLEEPS, INT32_MAX);
	expect_remarks(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_long_wait_is_named_once, begin, end),
		cmocka_unit_test_setup_teardown(who_runs_is_not_looked_at, begin, end),
		cmocka_unit_test_setup_teardown(events_may_come_in_any_order, begin, end),
		cmocka_unit_test_setup_teardown(a_short_wait_is_not_looked_at, begin, end),
		cmocka_unit_test_setup_teardown(others_are_not_looked_at, begin, end),
	};

	if (access("/proc/self/syscall", R_OK) < 0) {
		puts("the kernel does not say in which system calls threads are");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
