/* SPDX-License-Identifier: MIT */
/* Unit tests of the record of what was placed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "place/record.h"

static int parse(const char *text, struct place_record *ret)
{
	_cleanup_free_ char *copy = strdup(text);

	assert_non_null(copy);
	return place_record_parse(copy, strlen(text), ret);
}

static void what_is_saved_is_loaded(void **state)
{
	_cleanup_(place_record_releasep) struct place_record record = {0}, again = {0};
	char path[] = "/tmp/headstart-placed.XXXXXX";
	struct placed_file *file;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(place_record_add_program(&record, "/usr/bin/one"), 0);
	assert_int_equal(place_record_add_program(&record, "/usr/bin/one"), 0);
	assert_int_equal(place_record_add_file(&record, "/usr/lib/a b", 7, &file), 0);
	file->size = 12345;
	file->mtime = -5;
	assert_int_equal(placed_file_add(file, 4096, 8192, 1 << 20), 0);
	assert_int_equal(place_record_save(&record, path), 0);
	assert_int_equal(place_record_load(path, &again), 0);
	assert_int_equal(again.n_programs, 1);
	assert_string_equal(again.programs[0], "/usr/bin/one");
	assert_int_equal(again.n_files, 1);
	assert_string_equal(again.files[0].path, "/usr/lib/a b");
	assert_int_equal(again.files[0].inode, 7);
	assert_int_equal(again.files[0].size, 12345);
	assert_int_equal(again.files[0].mtime, -5);
	assert_int_equal(again.files[0].n_extents, 1);
	assert_int_equal(again.files[0].extents[0].physical, 1 << 20);
	place_record_remove(&again, 0);
	place_record_release(&again);
	assert_int_equal(place_record_save(&again, path), 0); /* empty: the file goes */
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(place_record_load(path, &again), 0);
	assert_int_equal(again.n_files, 0);
}

static void another_inode_has_no_places(void **state)
{
	_cleanup_(place_record_releasep) struct place_record record = {0};
	struct placed_file *file;

	assert_int_equal(place_record_add_file(&record, "/a", 7, &file), 0);
	assert_int_equal(placed_file_add(file, 0, 4096, 0), 0);
	assert_int_equal(place_record_add_file(&record, "/a", 8, &file), 0);
	assert_int_equal(record.n_files, 1);
	assert_int_equal(file->inode, 8);
	assert_int_equal(file->n_extents, 0);
}

static void a_file_is_found_by_its_path_also_after_another_went(void **state)
{
	_cleanup_(place_record_releasep) struct place_record record = {0};
	static const char *const paths[] = {"/a", "/b", "/c"};
	struct placed_file *file;

	for (size_t i = 0; i < 3; i++)
		assert_int_equal(place_record_add_file(&record, paths[i], i, &file), 0);
	place_record_remove(&record, 0);
	assert_int_equal(place_record_find(&record, "/a", &file), 0);
	assert_null(file);
	for (size_t i = 1; i < 3; i++) {
		assert_int_equal(place_record_find(&record, paths[i], &file), 0);
		assert_int_equal(file->inode, i);
	}
}

/* What could not be read again is not added. */
static void a_record_has_no_more_files_than_can_be_read(void **state)
{
	struct place_record record = {.n_files = PLACE_FILES_MAX, .files_capacity = PLACE_FILES_MAX};
	struct placed_file *file;
	char path[] = "/same";

	record.files = calloc(PLACE_FILES_MAX, sizeof(*record.files));
	assert_non_null(record.files);
	for (size_t i = 0; i < PLACE_FILES_MAX; i++)
		record.files[i] = (struct placed_file){.path = path, .inode = 7};
	assert_int_equal(place_record_add_file(&record, "/other", 8, &file), -EFBIG);
	assert_int_equal(record.n_files, PLACE_FILES_MAX);
	assert_int_equal(place_record_add_file(&record, path, 7, &file), 0);
	string_index_release(&record.index);
	free(record.files);
}

static void damaged_texts_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"headstart placed 1\n",
		"headstart placed 2\nend\n",
		"headstart placed 1\nend",
		"headstart placed 1\nend\nmore\n",
		"headstart placed 1\nprogram relative\nend\n",
		"headstart placed 1\nextent 0 1 1\nend\n",
		"headstart placed 1\nfile 1 2 3 relative\nend\n",
		"headstart placed 1\nfile 1 2 /a\nend\n",
		"headstart placed 1\nfile -1 2 3 /a\nend\n",
		"headstart placed 1\nfile 1 18446744073709551615 3 /a\nend\n",
		"headstart placed 1\nfile 1 2 3 /a\nfile 1 2 3 /a\nend\n",
		"headstart placed 1\nfile 1 2 3 /a\nextent 0 0 0\nend\n",
		"headstart placed 1\nfile 1 2 3 /a\nextent 9223372036854775807 1 0\nend\n",
		"headstart placed 1\nfile 1 2 3 /a\nextent 0 1 9223372036854775807\nend\n",
		"headstart placed 1\nfile 1 2 3 /a\nextent 0 1 1 1\nend\n",
		"headstart placed 1\nfile 1 2 3 /a\nextent 99999999999999999999 1 1\nend\n",
		"headstart placed 1\nunknown\nend\n",
	};
	_cleanup_(place_record_releasep) struct place_record record = {0};
	char zero[] = "headstart placed 1\nend\0\n";

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (parse(bad[i], &record) != -EBADMSG)
			fail_msg("this is accepted: %s", bad[i]);
	assert_int_equal(place_record_parse(zero, sizeof(zero) - 1, &record), -EBADMSG);
	assert_int_equal(parse("headstart placed 1\nend\n", &record), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_saved_is_loaded),
		cmocka_unit_test(another_inode_has_no_places),
		cmocka_unit_test(a_file_is_found_by_its_path_also_after_another_went),
		cmocka_unit_test(a_record_has_no_more_files_than_can_be_read),
		cmocka_unit_test(damaged_texts_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
