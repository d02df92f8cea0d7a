/* SPDX-License-Identifier: MIT */
/* Requests to disks are joined with their ends, disk by disk, whatever order the CPUs' buffers have them in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "record/disks/requests.h"

#define SDA 0x800000u
#define SDB 0x800010u

static struct record_trace trace;

static int begin(void **state)
{
	trace = (struct record_trace){0};
	return 0;
}

static int end(void **state)
{
	record_trace_release(&trace);
	return 0;
}

static void issue(uint64_t time, uint32_t device, uint64_t sector, uint32_t sectors, bool reads)
{
	struct record_request request = {
		.time = time, .device = device, .sector = sector, .sectors = sectors, .reads = reads};

	assert_int_equal(record_trace_add_request(&trace, &request), 0);
}

static void done(uint64_t time, uint32_t device, uint64_t sector, uint32_t sectors)
{
	struct record_request request = {
		.time = time, .device = device, .sector = sector, .sectors = sectors, .done = true};

	assert_int_equal(record_trace_add_request(&trace, &request), 0);
}

static void expect(
	const struct device_read *read, uint64_t issued, uint64_t ended, uint64_t offset, uint32_t bytes)
{
	assert_int_equal(read->issued, issued);
	assert_int_equal(read->done, ended);
	assert_int_equal(read->offset, offset);
	assert_int_equal(read->bytes, bytes);
}

static void each_end_finds_its_beginning(void **state)
{
	_cleanup_(record_disks_releasep) struct record_disks disks = {0};

	done(50, SDA, 800, 8); /* the other CPU's buffer comes first */
	done(60, SDB, 800, 8);
	issue(10, SDA, 800, 8, true);
	issue(20, SDB, 800, 8, true);
	issue(30, SDA, 16, 256, false);
	done(40, SDA, 16, 256);
	assert_int_equal(requests_join(&trace, &disks), 0);
	assert_int_equal(disks.n, 2);
	assert_int_equal(disks.items[0].device, SDA);
	assert_int_equal(disks.items[0].n, 2);
	expect(&disks.items[0].reads[0], 30, 40, 16 * 512, 256 * 512);
	assert_true(disks.items[0].reads[0].other);
	expect(&disks.items[0].reads[1], 10, 50, 800 * 512, 4096);
	assert_false(disks.items[0].reads[1].other);
	assert_int_equal(disks.items[1].n, 1);
	expect(&disks.items[1].reads[0], 20, 60, 800 * 512, 4096);
}

static void halves_and_impossible_requests_are_left_out(void **state)
{
	_cleanup_(record_disks_releasep) struct record_disks disks = {0};

	done(5, SDA, 8, 8);          /* began before the recording */
	issue(10, SDA, 16, 8, true); /* ends after it */
	issue(20, SDA, 24, 0, true); /* a flush */
	done(21, SDA, 24, 0);
	issue(30, SDA, UINT64_MAX, 8, true);
	done(31, SDA, UINT64_MAX, 8);
	issue(40, SDA, 32, UINT32_MAX, true);
	done(41, SDA, 32, UINT32_MAX);
	issue(50, SDA, 40, 8, true);
	done(51, SDA, 40, 8);
	done(52, SDA, 40, 8); /* once more */
	assert_int_equal(requests_join(&trace, &disks), 0);
	assert_int_equal(disks.n, 1);
	assert_int_equal(disks.items[0].n, 1);
	expect(&disks.items[0].reads[0], 50, 51, 40 * 512, 4096);
}

static void requests_without_an_end_do_not_pile_up(void **state)
{
	_cleanup_(record_disks_releasep) struct record_disks disks = {0};

	for (uint64_t i = 0; i < 10000; i++)
		issue(i, SDA, i * 8, 8, true);
	done(20000, SDA, 0, 8);
	done(20001, SDA, 9999 * 8, 8);
	assert_int_equal(requests_join(&trace, &disks), 0);
	assert_int_equal(disks.n, 1);
	assert_int_equal(disks.items[0].n, 1);
	expect(&disks.items[0].reads[0], 9999, 20001, 9999 * 4096, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_end_finds_its_beginning, begin, end),
		cmocka_unit_test_setup_teardown(halves_and_impossible_requests_are_left_out, begin, end),
		cmocka_unit_test_setup_teardown(requests_without_an_end_do_not_pile_up, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
