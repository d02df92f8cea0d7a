/* SPDX-License-Identifier: MIT */
/* Unit tests of the lists of a recording: a program that does something without end must not fill the memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/events/trace.h"

static void add_events(struct record_trace *trace, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct record_event event = {.inode = 1, .device = 1, .first = i, .last = i};

		assert_int_equal(record_trace_add_event(trace, &event), 0);
	}
}

static void events_beyond_the_limit_are_dropped(void **state)
{
	struct record_trace limited = {.events_max = 10}, free = {0};

	add_events(&limited, 10);
	assert_false(limited.lost);
	add_events(&limited, 10);
	assert_true(limited.lost);
	assert_int_equal(limited.n_events, 10);
	add_events(&free, 20);
	assert_false(free.lost);
	assert_int_equal(free.n_events, 20);
	record_trace_release(&limited);
	record_trace_release(&free);
}

static void execs_without_end_are_dropped(void **state)
{
	struct record_trace trace = {0};

	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(record_trace_add_exec(&trace, i, 1, "/bin/true"), 0);
	assert_true(trace.lost);
	assert_in_range(trace.n_execs, 10000, 99999);
	record_trace_release(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_beyond_the_limit_are_dropped),
		cmocka_unit_test(execs_without_end_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
