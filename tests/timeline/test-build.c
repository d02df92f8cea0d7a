/* SPDX-License-Identifier: MIT */
/* What the kernel reports becomes threads that wait for the right things, and reads of the right files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "fixture.h"
#include "timeline/sums.h"

#define PROCESSES 3000u

/* Each process costs what belongs to it alone: `make` starts thousands. */
static void many_processes_are_summed(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {
		.page_size = PAGE, .duration = PROCESSES * MS};
	_cleanup_(sums_releasep) struct sums sums = {0};

	for (uint32_t i = 0; i < PROCESSES; i++) {
		const struct timeline_thread thread = {.begin = i * MS,
			.end = (i + 1) * MS,
			.tid = (int32_t)i + 1,
			.pid = (int32_t)i + 1,
			.parent = i ? 0 : TIMELINE_NONE};
		const struct timeline_span span = {.begin = i * MS,
			.end = (i + 1) * MS,
			.thread = i,
			.state = i % 2 ? TIMELINE_RUNNING : TIMELINE_TIMER,
			.file = TIMELINE_NONE,
			.read = TIMELINE_NONE,
			.note = TIMELINE_NONE};

		assert_int_equal(timeline_add_thread(&timeline, &thread, "name"), 0);
		assert_int_equal(timeline_add_span(&timeline, &span), 0);
	}
	assert_int_equal(timeline_add_exec(&timeline, 5 * MS, 5, "/first"), 0);
	assert_int_equal(timeline_add_exec(&timeline, 5 * MS + 1, 5, "/last"), 0);
	assert_int_equal(sums_make(&timeline, &sums), 0);
	assert_int_equal(sums.n_processes, PROCESSES);
	assert_int_equal(sums.causes.total, PROCESSES * MS);
	assert_int_equal(sums.causes.by_span[7], 1 * MS);
	for (uint32_t i = 0; i < PROCESSES; i++) {
		const struct sum_process *process = &sums.processes[i];

		assert_int_equal(process->causes.total, 1 * MS);
		assert_int_equal(process->causes.states[i % 2 ? TIMELINE_RUNNING : TIMELINE_TIMER], 1 * MS);
		assert_string_equal(process->program, i == 5 ? "/last" : "name");
		assert_string_equal(sums.programs[i], i == 5 ? "/last" : "name");
		assert_null(process->causes.by_span);
	}
}

static int begin(void **state)
{
	start_begin();
	return 0;
}

static void expect_span(
	const struct timeline *timeline, size_t i, uint64_t from, uint64_t to, enum timeline_state state)
{
	assert_true(i < timeline->n_spans);
	assert_int_equal(timeline->spans[i].begin, from * MS);
	assert_int_equal(timeline->spans[i].end, to * MS);
	assert_int_equal(timeline->spans[i].state, state);
}

/* The main thread begins at 0, faults on a page at 1, waits for it, and goes on at 11. */
static void fault(void)
{
	switches(0, 1, 0, MAIN);
	touches(1, MAIN, LIBRARY, 7);
	adds(1, MAIN, LIBRARY, 4, 11);
	asks(1, MAIN, 800, 8);
	serves(2, 10, 800, 8);
	switches(2, MAIN, WAITS, 1);
	wakes(10, 1, MAIN, CONTEXT_HARD);
	switches(11, 1, 0, MAIN);
}

/* No reader takes such a path, so the timeline has none. */
static void a_file_whose_path_is_too_long_has_no_name(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};

	switches(0, 1, 0, MAIN);
	adds(1, MAIN, DEEP, 4, 11);
	asks(1, MAIN, 800, 8);
	serves(2, 10, 800, 8);
	start_end(20, &timeline);
	assert_int_equal(timeline.n_files, 1);
	assert_int_equal(timeline.files[0].kind, TIMELINE_UNNAMED);
	assert_string_equal(timeline.files[0].path, "");
}

static void a_fault_waits_for_its_read(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	const struct timeline_read *read;

	fault();
	switches(12, MAIN, DEAD, 1);
	start_end(12, &timeline);
	expect_span(&timeline, 0, 0, 2, TIMELINE_RUNNING);
	expect_span(&timeline, 1, 2, 10, TIMELINE_READ);
	expect_span(&timeline, 2, 10, 11, TIMELINE_RUNNABLE);
	expect_span(&timeline, 3, 11, 12, TIMELINE_RUNNING);
	assert_int_equal(timeline.n_spans, 4);
	assert_int_equal(timeline.n_reads, 1);
	read = &timeline.reads[0];
	assert_int_equal(timeline.spans[1].read, 0);
	assert_string_equal(timeline.files[timeline.spans[1].file].path, "/lib/library");
	assert_string_equal(timeline.files[read->file].path, "/lib/library");
	assert_int_equal(read->begin, 1 * MS);
	assert_int_equal(read->end, 10 * MS);
	assert_int_equal(read->page, 4);
	assert_int_equal(read->pages, 8);
	assert_int_equal(read->place, 800 * 512);
	assert_true(read->seeks);
	assert_false(read->ahead);
	assert_string_equal(timeline.threads[0].name, "thread 100");
}

static void a_read_that_follows_the_one_before_does_not_seek(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};

	fault();
	adds(12, MAIN, LIBRARY, 12, 19);
	asks(12, MAIN, 864, 8);
	serves(12, 14, 864, 8);
	start_end(20, &timeline);
	assert_int_equal(timeline.n_reads, 2);
	assert_false(timeline.reads[1].seeks);
	assert_true(timeline.reads[1].ahead); /* nobody waited for it */
}

/* The numbers of its system calls mean something else, also in what it forks, until that executes another program. */
static void calls_of_a_32_bit_program_are_unknown(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};

	becomes(0, MAIN, MOMENT_NARROW);
	switches(0, 1, 0, MAIN);
	calls(1, MAIN, __NR_nanosleep);
	switches(1, MAIN, SLEEPS, 1);
	wakes(4, 1, MAIN, CONTEXT_HARD);
	switches(4, 1, 0, MAIN);
	makes(5, MAIN, CHILD, 0);
	switches(5, MAIN, DEAD, CHILD);
	calls(6, CHILD, __NR_nanosleep);
	switches(6, CHILD, SLEEPS, 1);
	wakes(8, 1, CHILD, CONTEXT_HARD);
	switches(8, 1, 0, CHILD);
	becomes(9, CHILD, 0);
	calls(10, CHILD, __NR_nanosleep);
	switches(10, CHILD, SLEEPS, 1);
	wakes(12, 1, CHILD, CONTEXT_HARD);
	switches(12, 1, 0, CHILD);
	start_end(13, &timeline);
	expect_span(&timeline, 1, 1, 4, TIMELINE_OTHER);
	expect_span(&timeline, 4, 6, 8, TIMELINE_OTHER);
	expect_span(&timeline, 6, 10, 12, TIMELINE_TIMER);
}

/* ext4 reads a block of the extent tree while it adds the data whose place the block tells. */
static void the_file_systems_own_block_is_read_between(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};

	switches(0, 1, 0, MAIN);
	touches(1, MAIN, DATA, 0);
	adds(1, MAIN, DATA, 0, 3);
	adds(2, MAIN, SYSTEM, 500, 500);
	asks(2, MAIN, 4000, 1);
	serves(2, 5, 4000, 1);
	asks(6, MAIN, 9000, 4);
	serves(6, 9, 9000, 4);
	start_end(20, &timeline);
	assert_int_equal(timeline.n_reads, 2);
	assert_string_equal(timeline.files[timeline.reads[0].file].path, "/dev/sda");
	assert_string_equal(timeline.files[timeline.reads[1].file].path, "/data");
	assert_int_equal(timeline.reads[1].page, 0);
	assert_int_equal(timeline.reads[1].pages, 4);
}

static void two_extents_of_a_file_are_two_reads(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};

	switches(0, 1, 0, MAIN);
	touches(1, MAIN, DATA, 0);
	adds(1, MAIN, DATA, 0, 9);
	asks(1, MAIN, 800, 4);
	asks(1, MAIN, 80000, 6);
	serves(1, 3, 800, 4);
	serves(2, 5, 80000, 6);
	start_end(20, &timeline);
	assert_int_equal(timeline.n_reads, 2);
	assert_int_equal(timeline.reads[0].pages + timeline.reads[1].pages, 10);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(timeline.reads[i].page, timeline.reads[i].pages == 4 ? 0 : 4);
}

/* NFS and FUSE: no disk of this machine is asked. */
static void a_read_without_a_disk_ends_with_its_wait(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};

	switches(0, 1, 0, MAIN);
	calls(1, MAIN, __NR_pread64);
	touches(1, MAIN, DATA, 0);
	adds(1, MAIN, DATA, 0, 3);
	switches(2, MAIN, SLEEPS, 1);
	wakes(8, 1, MAIN, CONTEXT_THREAD);
	start_end(9, &timeline);
	expect_span(&timeline, 1, 2, 8, TIMELINE_READ);
	assert_int_equal(timeline.n_reads, 1);
	assert_int_equal(timeline.reads[0].end, 8 * MS);
	assert_int_equal(timeline.reads[0].disk, 0);
	assert_int_equal(timeline.spans[1].read, 0);
}

struct blocking {
	int64_t call;
	uint32_t state;
	enum timeline_state expected;
};

static void calls_tell_what_a_thread_waits_for(void **state)
{
	static const struct blocking list[] = {
		{__NR_ppoll, SLEEPS, TIMELINE_EVENTS},
		{__NR_futex, SLEEPS, TIMELINE_LOCK},
		{__NR_wait4, SLEEPS, TIMELINE_CHILD},
		{__NR_clone, WAITS, TIMELINE_CHILD}, /* vfork */
		{__NR_clock_nanosleep, SLEEPS, TIMELINE_TIMER},
		{__NR_recvmsg, SLEEPS, TIMELINE_MESSAGE},
		{__NR_read, SLEEPS, TIMELINE_PIPE},
		{__NR_fsync, WAITS, TIMELINE_WRITE},
		{__NR_openat, WAITS, TIMELINE_READ},
		{__NR_getpid, SLEEPS, TIMELINE_OTHER},
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		_cleanup_(timeline_releasep) struct timeline timeline = {0};

		start_begin();
		switches(0, 1, 0, MAIN);
		calls(1, MAIN, list[i].call);
		switches(2, MAIN, list[i].state, 1);
		start_end(9, &timeline);
		expect_span(&timeline, 1, 2, 9, list[i].expected);
	}
}

/* A call that touched a file on its way does not wait for that file. */
static void poll_that_faulted_waits_for_events(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};

	switches(0, 1, 0, MAIN);
	calls(1, MAIN, __NR_ppoll);
	touches(1, MAIN, LIBRARY, 3);
	switches(2, MAIN, SLEEPS, 1);
	wakes(8, 1, MAIN, CONTEXT_HARD);
	start_end(9, &timeline);
	expect_span(&timeline, 1, 2, 8, TIMELINE_EVENTS);
	assert_true(timeline_span_timed_out(&timeline.spans[1]));
}

static void threads_and_children_are_told_apart(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};

	switches(0, 1, 0, MAIN);
	makes(1, MAIN, WORKER, 0x10000);
	makes(2, MAIN, CHILD, 17);
	switches(3, MAIN, PREEMPTED, WORKER);
	switches(4, WORKER, DEAD, CHILD);
	wakes(5, CHILD, MAIN, CONTEXT_THREAD); /* it was not asleep */
	start_end(9, &timeline);
	assert_int_equal(timeline.n_threads, 3);
	assert_int_equal(timeline.threads[1].pid, MAIN);
	assert_int_equal(timeline.threads[1].parent, 0);
	assert_int_equal(timeline.threads[1].end, 4 * MS);
	assert_int_equal(timeline.threads[2].pid, CHILD);
	expect_span(&timeline, 1, 3, 9, TIMELINE_RUNNABLE);
}

/* Nobody would see when it stops to run. */
/* The first thread is killed at 2, and the other one executes a program: from then on it has the number of the first. */
static void a_thread_that_executes_goes_on_as_the_first(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	_cleanup_(sums_releasep) struct sums sums = {0};

	switches(0, 1, 0, MAIN);
	makes(1, MAIN, WORKER, 0x10000);
	switches(2, MAIN, DEAD, WORKER);
	calls(4, MAIN, __NR_pread64);
	adds(4, MAIN, DATA, 0, 0);
	asks(4, MAIN, 9000, 1);
	serves(4, 8, 9000, 1);
	switches(5, MAIN, WAITS, 1);
	wakes(8, 1, MAIN, CONTEXT_HARD);
	switches(9, 1, 0, MAIN);
	switches(11, MAIN, DEAD, 1);
	start_end(20, &timeline);
	assert_int_equal(timeline.n_threads, 2);
	assert_int_equal(timeline.n_reads, 1);
	assert_int_equal(timeline.threads[0].end, 11 * MS);
	assert_int_equal(timeline.threads[1].end, 4 * MS);
	assert_int_equal(sums_make(&timeline, &sums), 0);
	assert_int_equal(sums.causes.states[TIMELINE_RUNNING], 7 * MS);
	assert_int_equal(sums.causes.states[TIMELINE_READ], 3 * MS);
	assert_int_equal(sums.causes.states[TIMELINE_RUNNABLE], 1 * MS);
	assert_int_equal(sums.causes.nobody, 9 * MS);
}

static void workers_of_io_uring_are_left_out(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};

	switches(0, 1, 0, MAIN);
	makes(1, MAIN, WORKER, 0x810000);
	switches(2, MAIN, SLEEPS, WORKER);
	start_end(9, &timeline);
	assert_int_equal(timeline.n_threads, 1);
	expect_span(&timeline, 1, 2, 9, TIMELINE_OTHER);
}

static void who_wakes_is_known(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};

	switches(0, 1, 0, MAIN);
	makes(0, MAIN, WORKER, 0x10000);
	calls(1, MAIN, __NR_futex);
	switches(2, MAIN, SLEEPS, WORKER);
	wakes(6, WORKER, MAIN, CONTEXT_THREAD);
	start_end(9, &timeline);
	expect_span(&timeline, 1, 2, 6, TIMELINE_LOCK);
	assert_int_equal(timeline.spans[1].woken_by, TIMELINE_WAKER_THREAD);
	assert_int_equal(timeline.spans[1].waker, 1);
}

/* Nobody computes from 3 to 8: the child waits for data, and its parent for the child. */
static void causes_add_up_and_name_the_read(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	_cleanup_(sums_releasep) struct sums sums = {0};
	uint64_t sum = 0;

	switches(0, 1, 0, MAIN);
	makes(1, MAIN, CHILD, 17);
	calls(1, MAIN, __NR_wait4);
	switches(2, MAIN, SLEEPS, CHILD);
	touches(3, CHILD, DATA, 2);
	adds(3, CHILD, DATA, 2, 2);
	asks(3, CHILD, 800, 1);
	serves(3, 8, 800, 1);
	switches(3, CHILD, WAITS, 1);
	wakes(8, 1, CHILD, CONTEXT_HARD);
	switches(9, 1, 0, CHILD);
	wakes(10, CHILD, MAIN, CONTEXT_THREAD);
	switches(10, CHILD, DEAD, MAIN);
	switches(12, MAIN, DEAD, 1);
	start_end(13, &timeline);
	assert_int_equal(sums_make(&timeline, &sums), 0);
	for (size_t i = 0; i < TIMELINE_STATES; i++)
		sum += sums.causes.states[i];
	assert_int_equal(sum + sums.causes.nobody, 13 * MS);
	assert_int_equal(sums.causes.states[TIMELINE_READ], 5 * MS);
	assert_int_equal(sums.causes.states[TIMELINE_RUNNABLE], 1 * MS);
	assert_int_equal(sums.causes.states[TIMELINE_CHILD], 0);
	assert_int_equal(sums.causes.nobody, 1 * MS);
	assert_int_equal(sums.seek_time, 5 * MS);
	assert_int_equal(sums.awaited, 1);
	assert_int_equal(sums.n_files, 1);
	assert_int_equal(sums.files[0].waited, 5 * MS);
	assert_int_equal(sums.n_processes, 2);
	assert_int_equal(sums.processes[0].pid, MAIN);
	assert_int_equal(sums.processes[0].causes.total, 12 * MS);
	assert_int_equal(sums.processes[0].causes.states[TIMELINE_CHILD], 8 * MS);
	assert_int_equal(sums.processes[1].causes.total, 9 * MS);
}

/* Among waits that are no reads, that one counts which ends first: the others wait for it. */
static void the_wait_that_ends_first_is_the_cause(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	_cleanup_(sums_releasep) struct sums sums = {0};

	switches(0, 1, 0, MAIN);
	makes(1, MAIN, CHILD, 17);
	calls(1, MAIN, __NR_wait4);
	switches(2, MAIN, SLEEPS, CHILD);
	calls(2, CHILD, __NR_ppoll);
	switches(3, CHILD, SLEEPS, 1);
	wakes(8, 1, CHILD, CONTEXT_HARD);
	switches(8, 1, 0, CHILD);
	wakes(9, CHILD, MAIN, CONTEXT_THREAD);
	switches(9, CHILD, DEAD, MAIN);
	start_end(10, &timeline);
	assert_int_equal(sums_make(&timeline, &sums), 0);
	assert_int_equal(sums.causes.states[TIMELINE_EVENTS], 5 * MS);
	assert_int_equal(sums.causes.states[TIMELINE_CHILD], 0);
	assert_int_equal(sums.n_waits, 1);
	assert_true(sums.waits[0].timed_out);
	assert_int_equal(sums.waits[0].thread, 1);
}

/* Numbers that no kernel would report: nothing of them is used as an index. */
static void damaged_moments_do_no_harm(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};

	switches(0, -5, 0, MAIN);
	switches(0, 1, 0, INT32_MAX);
	makes(1, MAIN, -1, 0);
	makes(1, MAIN, INT32_MAX, 0);
	makes(1, -7, WORKER, 0);
	wakes(1, MAIN, INT32_MIN, CONTEXT_THREAD);
	calls(1, WORKER, 1 << 30);
	adds(1, MAIN, DATA, 9, 2);
	adds(1, MAIN, DATA, 0, UINT32_MAX);
	asks(2, MAIN, UINT64_MAX, 1);
	asks(2, MAIN, 0, 0);
	serves(3, 1, 0, 0);
	switches(2, MAIN, DEAD, 1);
	touches(3, MAIN, DATA, 1); /* the dead do nothing */
	start_end(10, &timeline);
	assert_int_equal(timeline.n_threads, 1);
	assert_int_equal(timeline.n_reads, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_processes_are_summed),
		cmocka_unit_test_setup(a_fault_waits_for_its_read, begin),
		cmocka_unit_test_setup(a_file_whose_path_is_too_long_has_no_name, begin),
		cmocka_unit_test_setup(a_read_that_follows_the_one_before_does_not_seek, begin),
		cmocka_unit_test_setup(calls_of_a_32_bit_program_are_unknown, begin),
		cmocka_unit_test_setup(the_file_systems_own_block_is_read_between, begin),
		cmocka_unit_test_setup(two_extents_of_a_file_are_two_reads, begin),
		cmocka_unit_test_setup(a_read_without_a_disk_ends_with_its_wait, begin),
		cmocka_unit_test_setup(calls_tell_what_a_thread_waits_for, begin),
		cmocka_unit_test_setup(poll_that_faulted_waits_for_events, begin),
		cmocka_unit_test_setup(threads_and_children_are_told_apart, begin),
		cmocka_unit_test_setup(a_thread_that_executes_goes_on_as_the_first, begin),
		cmocka_unit_test_setup(workers_of_io_uring_are_left_out, begin),
		cmocka_unit_test_setup(who_wakes_is_known, begin),
		cmocka_unit_test_setup(causes_add_up_and_name_the_read, begin),
		cmocka_unit_test_setup(the_wait_that_ends_first_is_the_cause, begin),
		cmocka_unit_test_setup(damaged_moments_do_no_harm, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
