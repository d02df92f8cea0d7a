/* SPDX-License-Identifier: MIT */
/* Of what headstart reads for a start it is known whether it came in time, late, or in vain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "fixture.h"
#include "timeline/sums.h"

static struct timeline timeline;
static struct timeline_remark execs[4];

static void executes(uint64_t at, int32_t who, const char *path)
{
	execs[start.n_execs++] = (struct timeline_remark){(1000 + at) * MS, who, path};
	start.execs = execs;
}

/* In this system call the thread asks for pages of a file, which come at `until`. */
static void reads(uint64_t at, uint64_t until, int32_t who, int64_t call, uint64_t file, uint32_t first,
	uint32_t last, uint64_t place)
{
	calls(at, who, call);
	adds(at, who, file, first, last);
	asks(at, who, place, last - first + 1);
	serves(at, until, place, last - first + 1);
}

/* The launcher makes a child, which reads four pages from page 4 of the library from 2 to 10, and executes the program. */
static int begin(void **state)
{
	start_begin();
	switches(0, 1, 0, MAIN);
	executes(0, MAIN, "/usr/bin/headstart");
	makes(1, MAIN, CHILD, 17);
	executes(2, MAIN, "/usr/bin/program");
	reads(2, 10, CHILD, __NR_io_uring_enter, LIBRARY, 4, 7, 800);
	return 0;
}

static int end(void **state)
{
	timeline_release(&timeline);
	return 0;
}

static void expect(enum timeline_prefetch expected)
{
	start_end(30, &timeline);
	assert_true(timeline.n_reads >= 1);
	assert_int_equal(timeline.reads[0].prefetch, expected);
}

static void touched_after_it_arrived(void **state)
{
	touches(12, MAIN, LIBRARY, 7);
	expect(TIMELINE_IN_TIME);
}

static void mapped_around_a_touched_page(void **state)
{
	touches(1, MAIN, DATA, 0);
	maps(12, MAIN, LIBRARY, 0, 4);
	expect(TIMELINE_IN_TIME);
}

static void wanted_before_it_arrived(void **state)
{
	touches(5, MAIN, LIBRARY, 4);
	touches(12, MAIN, LIBRARY, 5);
	expect(TIMELINE_LATE);
}

/* The kernel reports the touch only when the wait is over. */
static void waited_for_in_a_system_call(void **state)
{
	calls(3, MAIN, __NR_pread64);
	switches(3, MAIN, WAITS, 1);
	wakes(10, 1, MAIN, CONTEXT_HARD);
	switches(11, 1, 0, MAIN);
	touches(11, MAIN, LIBRARY, 4);
	expect(TIMELINE_LATE);
	for (size_t i = 0; i < timeline.n_spans; i++)
		if (timeline.spans[i].begin == 3 * MS && timeline.spans[i].thread == 0) {
			assert_int_equal(timeline.spans[i].state, TIMELINE_READ);
			assert_int_equal(timeline.spans[i].read, 0);
			return;
		}
	fail_msg("no wait");
}

static void other_pages_do_not_count(void **state)
{
	touches(12, MAIN, LIBRARY, 3);
	touches(12, MAIN, LIBRARY, 8);
	touches(12, MAIN, DATA, 5);
	expect(TIMELINE_IN_VAIN);
}

static void the_prefetcher_does_not_use_what_it_reads(void **state)
{
	touches(12, CHILD, LIBRARY, 5);
	touches(13, MAIN, DATA, 5);
	expect(TIMELINE_IN_VAIN);
}

static void a_kernel_without_touches_tells_nothing(void **state)
{
	expect(TIMELINE_UNJUDGED);
}

static void nobody_sees_who_uses_metadata(void **state)
{
	touches(1, MAIN, DATA, 0);
	reads(11, 12, CHILD, __NR_fadvise64, SYSTEM, 0, 0, 9000);
	start_end(30, &timeline);
	assert_int_equal(timeline.n_reads, 2);
	assert_int_equal(timeline.reads[1].prefetch, TIMELINE_UNJUDGED);
}

/* What the program itself reads ahead, and what the launcher reads for itself. */
static void other_reads_are_the_starts_own(void **state)
{
	reads(11, 12, MAIN, __NR_readahead, DATA, 0, 0, 9000);
	reads(13, 14, CHILD, __NR_pread64, DATA, 5, 5, 19000);
	start_end(30, &timeline);
	assert_int_equal(timeline.n_reads, 3);
	assert_int_equal(timeline.reads[1].prefetch, TIMELINE_NO_PREFETCH);
	assert_int_equal(timeline.reads[2].prefetch, TIMELINE_NO_PREFETCH);
}

/* A shim starts the prefetcher from inside the program. */
static void a_child_that_executes_the_prefetcher(void **state)
{
	makes(11, MAIN, CHILD + 1, 17);
	executes(12, CHILD + 1, "/usr/lib/headstart/headstart-prefetch");
	reads(13, 14, CHILD + 1, __NR_preadv2, DATA, 0, 1, 9000);
	touches(15, MAIN, DATA, 1);
	start_end(30, &timeline);
	assert_int_equal(timeline.n_reads, 2);
	assert_int_equal(timeline.reads[1].prefetch, TIMELINE_IN_TIME);
}

/* While the prefetcher waits for its ring, the start waits for reads. */
static void the_prefetcher_waits_for_reads(void **state)
{
	struct sums sums;

	calls(3, MAIN, __NR_wait4);
	switches(3, MAIN, SLEEPS, CHILD);
	switches(4, CHILD, SLEEPS, 1);
	wakes(10, 1, CHILD, CONTEXT_HARD);
	touches(12, MAIN, LIBRARY, 4);
	start_end(30, &timeline);
	assert_int_equal(sums_make(&timeline, &sums), 0);
	assert_int_equal(sums.causes.states[TIMELINE_READ], 6 * MS);
	assert_int_equal(sums.causes.states[TIMELINE_EVENTS], 0);
	assert_int_equal(sums.awaited, 1);
	assert_int_equal(sums.prefetches, 1);
	assert_int_equal(sums.prefetched[TIMELINE_IN_TIME], 1);
	assert_int_equal(sums.prefetched_bytes[TIMELINE_IN_TIME], 4 * PAGE);
	sums_release(&sums);
}

/* The plan is made anew when the program has ended: that is no part of the start. */
static void the_start_ends_without_helpers(void **state)
{
	uint64_t ended;

	makes(12, CHILD, CHILD + 1, 17);
	executes(13, CHILD + 1, "/usr/bin/headstart-tool");
	switches(14, MAIN, DEAD, 1);
	switches(15, CHILD, DEAD, CHILD + 1);
	start_end(30, &timeline);
	assert_int_equal(timeline_find_end(&timeline, &ended), 0);
	assert_int_equal(ended, 14 * MS);
}

static void a_start_of_helpers_alone_ends_with_them(void **state)
{
	uint64_t ended;

	start.n_execs = 1;
	switches(14, MAIN, DEAD, 1);
	start_end(30, &timeline);
	assert_int_equal(timeline_find_end(&timeline, &ended), 0);
	assert_int_equal(ended, 30 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(touched_after_it_arrived, begin, end),
		cmocka_unit_test_setup_teardown(mapped_around_a_touched_page, begin, end),
		cmocka_unit_test_setup_teardown(wanted_before_it_arrived, begin, end),
		cmocka_unit_test_setup_teardown(waited_for_in_a_system_call, begin, end),
		cmocka_unit_test_setup_teardown(other_pages_do_not_count, begin, end),
		cmocka_unit_test_setup_teardown(the_prefetcher_does_not_use_what_it_reads, begin, end),
		cmocka_unit_test_setup_teardown(a_kernel_without_touches_tells_nothing, begin, end),
		cmocka_unit_test_setup_teardown(nobody_sees_who_uses_metadata, begin, end),
		cmocka_unit_test_setup_teardown(other_reads_are_the_starts_own, begin, end),
		cmocka_unit_test_setup_teardown(a_child_that_executes_the_prefetcher, begin, end),
		cmocka_unit_test_setup_teardown(the_prefetcher_waits_for_reads, begin, end),
		cmocka_unit_test_setup_teardown(the_start_ends_without_helpers, begin, end),
		cmocka_unit_test_setup_teardown(a_start_of_helpers_alone_ends_with_them, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
