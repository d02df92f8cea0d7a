/* SPDX-License-Identifier: MIT */
/* What prefetching would save is expected from the reads of the trace itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <errno.h>

#include <cmocka.h>

#include "record/timelines/expect.h"

#define PAGE 4096u
#define DISK 0x0fffff0u /* no disk of this machine */
#define SIZE (1ull << 40)

/* 10 ms a seek, 0.1 ms a request, 1 MB a ms. */
static const struct device_model head = {
	.latency_us = 100, .seek_us = 10000, .bytes_per_ms = 1000000, .depth = 1};
/* 1 ms a request, ten at once, 1 MB a ms. */
static const struct device_model solid = {.latency_us = 1000, .bytes_per_ms = 1000000, .depth = 10};

static struct timeline timeline;

static int begin(void **state)
{
	timeline = (struct timeline){.page_size = PAGE};
	return 0;
}

static int end(void **state)
{
	timeline_release(&timeline);
	return 0;
}

static void reads(uint32_t disk, uint64_t place, uint32_t pages, bool ahead)
{
	const struct timeline_read read = {.place = place, .pages = pages, .disk = disk, .ahead = ahead};

	assert_int_equal(timeline_add_read(&timeline, &read), 0);
}

static uint64_t takes(const struct device_model *model)
{
	uint64_t us;

	assert_int_equal(expect_disk(&timeline, DISK, SIZE, model, &us), 0);
	return us;
}

/* In the order of places there is one way between the two, and none where one follows the other. */
static void a_head_goes_over_the_disk_once(void **state)
{
	reads(DISK, 500 << 20, 1, false);
	reads(DISK, 100 << 20, 1, false);
	reads(DISK, (100 << 20) + PAGE, 1, false);
	reads(DISK, 500 << 20, 1, false); /* what was thrown out and read again is prefetched once */
	reads(DISK + 1, 900 << 20, 1, false);
	assert_int_equal(takes(&head), 2 * 100 + 10000 + 4 + 8);
}

static void a_disk_without_a_head_serves_many_at_once(void **state)
{
	for (unsigned i = 0; i < 100; i++)
		reads(DISK, (uint64_t)i << 20, 1, false);
	assert_int_equal(takes(&solid), 100 * 1000 / 10);
	for (unsigned i = 100; i < 200; i++)
		reads(DISK, (uint64_t)i << 26, 4096, false);
	assert_int_equal(
		takes(&solid), 100 * (4096 * PAGE / 1000) + 100 * (PAGE / 1000)); /* the bytes take longer */
}

/* One disk was measured before. */
static int find(uint32_t disk, struct device *ret)
{
	if (disk != DISK)
		return -ENODEV;
	*ret = (struct device){.measured = true, .model = solid, .size = SIZE};
	return 0;
}

static struct device_model complete(const struct device *device)
{
	return device->model;
}

static const struct expect_knowledge knowledge = {find, complete};

/* The start waits for each of its reads for a second. */
static uint64_t expected(void)
{
	struct record_disk disks[] = {{.device = DISK}, {.device = DISK + 1}};
	uint64_t end = timeline.n_reads * 1000000000ull;

	timeline.duration = end;
	assert_int_equal(
		timeline_add_thread(&timeline,
			&(struct timeline_thread){.end = end, .tid = 1, .pid = 1, .parent = TIMELINE_NONE},
			"program"),
		0);
	for (uint32_t i = 0; i < timeline.n_reads; i++) {
		timeline.reads[i].file = TIMELINE_NONE;
		assert_int_equal(timeline_add_span(&timeline,
					 &(struct timeline_span){.begin = i * 1000000000ull,
						 .end = (i + 1) * 1000000000ull,
						 .state = TIMELINE_READ,
						 .file = TIMELINE_NONE,
						 .read = i,
						 .note = TIMELINE_NONE,
						 .waker = TIMELINE_NONE}),
			0);
	}
	assert_int_equal(timeline_check(&timeline), 0);
	return expect_batch(&timeline, &(struct record_disks){disks, 2, 2}, &knowledge);
}

static void a_disk_measured_before_is_known(void **state)
{
	for (unsigned i = 0; i < 100; i++)
		reads(DISK, (uint64_t)i << 20, 1, false);
	assert_int_equal(expected(), 10000000);
}

/* A server, a FUSE program, another disk: its reads would take as long in a batch, for all that is known. */
static void what_is_not_known_stays_as_it_is(void **state)
{
	for (unsigned i = 0; i < 100; i++)
		reads(DISK, (uint64_t)i << 20, 1, false);
	reads(DISK + 1, 0, 1, false);
	reads(0, 0, 1, false);
	assert_int_equal(expected(), 10000000 + 2 * 1000000000ull);
}

static void nothing_is_expected_if_nothing_is_known(void **state)
{
	reads(DISK + 1, 0, 1, false);
	reads(0, 0, 1, false);
	assert_int_equal(expected(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_head_goes_over_the_disk_once, begin, end),
		cmocka_unit_test_setup_teardown(a_disk_without_a_head_serves_many_at_once, begin, end),
		cmocka_unit_test_setup_teardown(a_disk_measured_before_is_known, begin, end),
		cmocka_unit_test_setup_teardown(what_is_not_known_stays_as_it_is, begin, end),
		cmocka_unit_test_setup_teardown(nothing_is_expected_if_nothing_is_known, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
