/* SPDX-License-Identifier: MIT */
/* A timeline is read as it was written, and nothing that is not one is taken for one. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "fixture.h"
#include "format/endian.h"
#include "timeline/disk-layout.h"
#include "timeline/timeline-file.h"

static char *good;
static size_t good_size;

static int make_timeline(bool boot)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	const struct timeline_remark exec = {.time = 1000 * MS, .tid = MAIN, .text = "/bin/program"};
	const struct timeline_remark wait = {.time = 1013 * MS, .tid = MAIN, .text = "a socket"};
	void *data;

	start_begin();
	start.execs = &exec;
	start.n_execs = 1;
	start.waits = &wait;
	start.n_waits = 1;
	switches(0, 1, 0, MAIN);
	makes(0, MAIN, WORKER, 0x10000);
	touches(1, MAIN, LIBRARY, 7);
	adds(1, MAIN, LIBRARY, 4, 11);
	asks(1, MAIN, 800, 8);
	serves(2, 10, 800, 8);
	switches(2, MAIN, 2, WORKER);
	wakes(10, WORKER, MAIN, CONTEXT_THREAD);
	switches(11, WORKER, DEAD, MAIN);
	calls(12, MAIN, SYS_epoll_pwait);
	switches(12, MAIN, 1, 1);
	start_end(20, &timeline);
	timeline.command = strdup("program --option");
	timeline.prefetched = 3 * MS;
	assert_int_equal(timeline_add_mark(&timeline, 20 * MS, "exit"), 0);
	for (size_t i = 0; boot && i < timeline.n_threads; i++)
		assert_int_equal(
			timeline_add_unit(&timeline,
				&(struct timeline_unit){.started = i * MS, .active = TIMELINE_NEVER}),
			0);
	assert_int_equal(timeline_serialize(&timeline, &data, &good_size), 0);
	good = data;
	return 0;
}

static int make(void **state)
{
	return make_timeline(false);
}

static int make_boot(void **state)
{
	return make_timeline(true);
}

static int unmake(void **state)
{
	free(good);
	return 0;
}

static enum timeline_fault parse(const char *data, size_t size)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	_cleanup_free_ char *copy = malloc(size ? size : 1); /* so that valgrind sees what lies beyond */

	memcpy(copy, data, size);
	return timeline_parse(copy, size, &timeline);
}

static void what_is_written_is_read(void **state)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	_cleanup_free_ void *again = NULL;
	size_t size;

	assert_int_equal(timeline_parse(good, good_size, &timeline), TIMELINE_GOOD);
	assert_int_equal(timeline.n_threads, 2);
	assert_int_equal(timeline.n_reads, 1);
	assert_int_equal(timeline.n_execs, 1);
	assert_int_equal(timeline.n_notes, 1);
	assert_string_equal(timeline.notes[0], "a socket");
	assert_string_equal(timeline.command, "program --option");
	assert_string_equal(timeline.execs[0].path, "/bin/program");
	assert_int_equal(timeline_serialize(&timeline, &again, &size), 0);
	assert_int_equal(size, good_size);
	assert_memory_equal(again, good, size);
}

static void each_cut_is_noticed(void **state)
{
	for (size_t size = 0; size < good_size; size++)
		assert_int_equal(parse(good, size), size < 8 ? TIMELINE_FOREIGN : TIMELINE_TRUNCATED);
}

static void each_changed_byte_is_noticed(void **state)
{
	for (size_t i = 0; i < good_size; i++) {
		_cleanup_free_ char *copy = malloc(good_size);

		memcpy(copy, good, good_size);
		copy[i] ^= 0x40;
		assert_int_not_equal(parse(copy, good_size), TIMELINE_GOOD);
	}
}

static void seal(char *data)
{
	uint64_t checksum = LE64(checksum64(data, good_size - sizeof(checksum)));

	memcpy(data + good_size - sizeof(checksum), &checksum, sizeof(checksum));
}

/* With a true checksum each field is looked at by itself: what is taken is written again as it was. */
static void each_field_is_checked(void **state)
{
	static const unsigned char values[] = {0x00, 0x01, 0x7f, 0xff};

	for (size_t i = 0; i < good_size - sizeof(uint64_t); i++)
		for (size_t j = 0; j < sizeof(values); j++) {
			_cleanup_(timeline_releasep) struct timeline timeline = {0};
			_cleanup_free_ char *copy = malloc(good_size);
			_cleanup_free_ void *again = NULL;
			size_t size;

			memcpy(copy, good, good_size);
			copy[i] = (char)values[j];
			seal(copy);
			if (timeline_parse(copy, good_size, &timeline) != TIMELINE_GOOD)
				continue;
			assert_int_equal(timeline_check(&timeline), 0);
			assert_int_equal(timeline_serialize(&timeline, &again, &size), 0);
			assert_int_equal(size, good_size);
			assert_memory_equal(again, copy, size);
		}
}

static void expect_of_version(uint32_t number, enum timeline_fault expected)
{
	_cleanup_free_ char *copy = malloc(good_size);
	uint32_t version = LE32(number);

	memcpy(copy, good, good_size);
	memcpy(copy + offsetof(struct disk_header, version), &version, sizeof(version));
	seal(copy);
	assert_int_equal(parse(copy, good_size), expected);
}

static void other_versions_are_named(void **state)
{
	expect_of_version(TIMELINE_VERSION_BOOT + 1, TIMELINE_NEWER);
	expect_of_version(TIMELINE_VERSION - 1, TIMELINE_OLDER);
}

/* Dates beyond it are none for JavaScript, which would then draw nothing. */
static void the_year_of_a_timeline_has_four_digits(void **state)
{
	static const struct {
		int64_t recorded;
		enum timeline_fault fault;
	} list[] = {{-1, TIMELINE_DAMAGED}, {0, TIMELINE_GOOD}, {253402300799, TIMELINE_GOOD},
		{253402300800, TIMELINE_DAMAGED}, {9000000000000000, TIMELINE_DAMAGED}};

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		_cleanup_free_ char *copy = malloc(good_size);
		uint64_t recorded = LE64((uint64_t)list[i].recorded);

		memcpy(copy, good, good_size);
		memcpy(copy + offsetof(struct disk_header, recorded), &recorded, sizeof(recorded));
		seal(copy);
		assert_int_equal(parse(copy, good_size), list[i].fault);
	}
}

/* What sums the files of each folder would take for ever with a path of a million folders. */
static void paths_that_no_kernel_takes_are_refused(void **state)
{
	for (size_t size = PATH_MAX - 1; size <= PATH_MAX; size++) {
		_cleanup_(timeline_releasep) struct timeline timeline = {0};
		char path[PATH_MAX + 1] = {0};

		memset(path, '/', size);
		assert_int_equal(timeline_parse(good, good_size, &timeline), TIMELINE_GOOD);
		assert_int_equal(timeline_add_file(&timeline, TIMELINE_REGULAR, 1, path), 0);
		assert_int_equal(timeline_check(&timeline), size < PATH_MAX ? 0 : -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(each_cut_is_noticed),
		cmocka_unit_test(each_changed_byte_is_noticed),
		cmocka_unit_test(each_field_is_checked),
		cmocka_unit_test(other_versions_are_named),
		cmocka_unit_test(the_year_of_a_timeline_has_four_digits),
		cmocka_unit_test(paths_that_no_kernel_takes_are_refused),
	};

	return cmocka_run_group_tests_name("start", tests, make, unmake) ||
		cmocka_run_group_tests_name("boot", tests, make_boot, unmake);
}
