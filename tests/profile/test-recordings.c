/* SPDX-License-Identifier: MIT */
/* Unit tests of several recordings in one profile: on disk, all together, and what they have in common. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "fixture.h"
#include "profile/file/profile-file.h"
#include "profile/recordings/common.h"
#include "profile/recordings/recordings.h"
#include "seal.h"

/* A recording of "app ARGUMENT", which touched these pages of the program and of a file of its own. */
static struct profile recording(
	const char *argument, uint64_t asked, struct profile_range range, const char *own)
{
	struct profile profile = fixture_empty();

	assert_int_equal(profile_set_arguments(&profile, (const char *[]){"app", argument, NULL}), 0);
	profile.asked = asked;
	fixture_ranges(&profile, "/opt/app/bin/app", (struct profile_range[]){range, {0}});
	fixture_look(&profile, "/opt/app/share", PROFILE_DIRECTORY, 100);
	if (own)
		fixture_ranges(&profile, own, (struct profile_range[]){{0, 3, 200, 1}, {0}});
	assert_int_equal(profile_finish(&profile), 0);
	return profile;
}

/* Two recordings, which have pages 5 to 9 of the program in common. */
static struct recordings two(void)
{
	struct profile one = recording("one", 1, (struct profile_range){0, 10, 0, 1}, "/opt/app/one");
	struct profile other = recording("other", 2, (struct profile_range){5, 10, 0, 1}, "/opt/app/other");
	struct recordings recordings = {0};

	assert_int_equal(recordings_add(&recordings, &one), 0);
	assert_int_equal(recordings_add(&recordings, &other), 0);
	assert_null(one.program);
	return recordings;
}

static void several_recordings_are_one_file(void **state)
{
	_cleanup_(recordings_releasep) struct recordings written = two(), read = {0};
	_cleanup_free_ void *data = NULL, *again = NULL;
	size_t size, again_size;

	assert_int_equal(recordings_serialize(&written, &data, &size), 0);
	assert_int_equal(recordings_parse(data, size, &read), PROFILE_GOOD);
	assert_int_equal(read.n, 2);
	assert_string_equal(read.items[0].arguments[1], "one");
	assert_string_equal(read.items[1].arguments[1], "other");
	assert_int_equal(read.items[1].asked, 2);
	assert_int_equal(recordings_serialize(&read, &again, &again_size), 0);
	assert_int_equal(again_size, size);
	assert_memory_equal(again, data, size);
}

static void a_profile_is_read_as_all_its_recordings_together(void **state)
{
	_cleanup_(recordings_releasep) struct recordings recordings = two();
	_cleanup_(profile_releasep) struct profile all = {0};
	_cleanup_free_ void *data = NULL;
	size_t size;

	assert_int_equal(recordings_serialize(&recordings, &data, &size), 0);
	assert_int_equal(profile_parse(data, size, &all), PROFILE_GOOD);
	assert_int_equal(all.runs, 2);
	assert_int_equal(profile_bytes(&all), (15 + 3 + 3) * 4096);
	assert_int_equal(all.asked, 0);
	assert_int_equal(all.n_arguments, 0);
}

/* Whatever part of the second recording is missing or damaged, there is none. */
static void a_damaged_recording_damages_the_profile(void **state)
{
	_cleanup_(recordings_releasep) struct recordings recordings = two();
	_cleanup_free_ unsigned char *data = NULL;
	void *written;
	size_t size, first;
	uint64_t file_size;

	assert_int_equal(recordings_serialize(&recordings, &written, &size), 0);
	data = written;
	memcpy(&file_size, data + SEAL_PROFILE_SIZE_AT, sizeof(file_size));
	first = (size_t)LE64(file_size);
	for (size_t end = 0; end < size; end++) {
		_cleanup_(recordings_releasep) struct recordings read = {0};
		void *exact = malloc(end ? end : 1);

		memcpy(exact, data, end);
		assert_int_equal(recordings_parse(exact, end, &read) == PROFILE_GOOD, end == first);
		free(exact);
	}
	for (size_t bit = first * 8; bit < size * 8; bit++) {
		_cleanup_(recordings_releasep) struct recordings read = {0};

		data[bit / 8] ^= (unsigned char)(1 << bit % 8);
		assert_int_not_equal(recordings_parse(data, size, &read), PROFILE_GOOD);
		data[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
}

static void recordings_of_another_program_or_page_size_are_refused(void **state)
{
	_cleanup_(recordings_releasep) struct recordings recordings = two(), read = {0};
	_cleanup_(profile_releasep) struct profile third =
		recording("third", 3, (struct profile_range){0, 1, 0, 1}, NULL);
	_cleanup_free_ void *data = NULL;
	size_t size;

	third.page_size = 16384;
	assert_int_equal(recordings_add(&recordings, &third), -EINVAL);
	third.page_size = 4096;
	free(third.program);
	free(third.execs[0].path);
	third.program = strdup("/opt/app/bin/another");
	third.execs[0].path = strdup("/opt/app/bin/another");
	assert_int_equal(recordings_add(&recordings, &third), -EINVAL);

	/* Nor are they read: a file is not to be believed. */
	recordings.items[1].page_size = 16384;
	assert_int_equal(recordings_serialize(&recordings, &data, &size), 0);
	assert_int_equal(recordings_parse(data, size, &read), PROFILE_DAMAGED);
}

static void there_are_no_more_recordings_than_the_most(void **state)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};

	for (uint32_t i = 0; i <= RECORDINGS_MAX; i++) {
		struct profile next = recording("x", i + 1, (struct profile_range){0, 1, 0, 1}, NULL);

		assert_int_equal(recordings_add(&recordings, &next), i < RECORDINGS_MAX ? 0 : -E2BIG);
		profile_release(&next);
	}
	assert_int_equal(recordings.n, RECORDINGS_MAX);
}

static void a_start_is_found_by_its_key_or_else_its_arguments(void **state)
{
	_cleanup_(recordings_releasep) struct recordings recordings = two();
	_cleanup_(profile_releasep) struct profile start =
		recording("other", 2, (struct profile_range){0, 1, 0, 1}, NULL);

	assert_ptr_equal(recordings_find(&recordings, &start), &recordings.items[1]);
	start.asked = 3;
	assert_null(recordings_find(&recordings, &start));
	start.asked = 0;
	assert_null(recordings_find(&recordings, &start)); /* the other one has a key */
	recordings.items[1].asked = 0;
	assert_ptr_equal(recordings_find(&recordings, &start), &recordings.items[1]);
	recordings_remove(&recordings, 0);
	assert_int_equal(recordings.n, 1);
	assert_ptr_equal(recordings_find(&recordings, &start), &recordings.items[0]);
}

static void the_common_part_is_what_all_touched(void **state)
{
	_cleanup_(recordings_releasep) struct recordings recordings = two();
	_cleanup_(profile_releasep) struct profile common = {0};

	assert_int_equal(recordings_common(&recordings, &common), 0);
	assert_int_equal(common.n_files, 2);
	fixture_assert_ranges(&common, "/opt/app/bin/app", (struct profile_range[]){{5, 5, 5, 1}, {0}});
	assert_int_equal(fixture_file(&common, "/opt/app/share")->kind, PROFILE_DIRECTORY);
	assert_int_equal(profile_check(&common), 0);
}

static void ranges_that_interlock_have_the_pages_of_both(void **state)
{
	_cleanup_(profile_releasep) struct profile a = fixture_empty(), b = fixture_empty();

	fixture_ranges(
		&a, "/lib/x", (struct profile_range[]){{0, 4, 0, 1}, {6, 4, 10, 1}, {12, 8, 20, 1}, {0}});
	fixture_ranges(&b, "/lib/x",
		(struct profile_range[]){{2, 6, 0, 1}, {9, 4, 10, 1}, {15, 1, 30, 1}, {18, 9, 40, 1}, {0}});
	assert_int_equal(profile_finish(&a), 0);
	assert_int_equal(profile_finish(&b), 0);
	assert_int_equal(profile_keep_common(&a, &b), 0);
	fixture_assert_ranges(&a, "/lib/x",
		(struct profile_range[]){{2, 2, 2, 1}, {6, 2, 10, 1}, {9, 1, 13, 1}, {12, 1, 20, 1},
			{15, 1, 23, 1}, {18, 2, 26, 1}, {0}});
}

/* Pages of different builds have nothing in common but their numbers. */
static void an_exchanged_file_is_not_common(void **state)
{
	_cleanup_(recordings_releasep) struct recordings recordings = two();
	_cleanup_(profile_releasep) struct profile common = {0};
	struct profile_file *app = fixture_file(&recordings.items[1], "/opt/app/bin/app");

	memcpy(app->build_id, "0123456789abcdefghij", 20);
	app->build_id_size = 20;
	assert_int_equal(recordings_common(&recordings, &common), 0);
	assert_int_equal(common.n_files, 1);
	assert_string_equal(common.files[0].path, "/opt/app/share");
}

static void a_document_is_left_out(void **state)
{
	_cleanup_(profile_releasep) struct profile small = fixture_small();
	size_t before = small.n_files;

	assert_true(profile_leave_out(&small, "/opt/app/bin/helper"));
	assert_false(profile_leave_out(&small, "/opt/app/bin/helper"));
	assert_int_equal(small.n_files, before - 1);
	assert_int_equal(profile_check(&small), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(several_recordings_are_one_file),
		cmocka_unit_test(a_profile_is_read_as_all_its_recordings_together),
		cmocka_unit_test(a_damaged_recording_damages_the_profile),
		cmocka_unit_test(recordings_of_another_program_or_page_size_are_refused),
		cmocka_unit_test(there_are_no_more_recordings_than_the_most),
		cmocka_unit_test(a_start_is_found_by_its_key_or_else_its_arguments),
		cmocka_unit_test(the_common_part_is_what_all_touched),
		cmocka_unit_test(ranges_that_interlock_have_the_pages_of_both),
		cmocka_unit_test(an_exchanged_file_is_not_common),
		cmocka_unit_test(a_document_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
