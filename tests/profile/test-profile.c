/* SPDX-License-Identifier: MIT */
/* Unit tests of a profile in memory: adding, finishing, checking, the index of paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "fixture.h"
#include "profile/edit.h"

static void files_are_found_again_by_path(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = fixture_empty();
	char path[64];
	size_t index;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < 20000; i++) {
			snprintf(path, sizeof(path), "/folder/file-%zu", i);
			assert_int_equal(profile_add_file(&profile, path, PROFILE_REGULAR, &index), 0);
			assert_int_equal(index, i);
		}
		assert_int_equal(profile.n_files, 20000);
	}
	assert_int_equal(profile_add_file(&profile, "/folder/file-7", PROFILE_SYMLINK, &index), 0);
	assert_int_equal(index, 7);
	assert_int_equal(profile.files[7].kind, PROFILE_REGULAR);
	/* Sorting moves the files: the index must find them at their new places. */
	for (size_t i = 0; i < 20000; i++)
		profile.files[i].order = (uint32_t)(20000 - i);
	assert_int_equal(profile_finish(&profile), 0);
	assert_int_equal(profile_add_file(&profile, "/folder/file-7", PROFILE_REGULAR, &index), 0);
	assert_int_equal(index, 20000 - 1 - 7);
}

static void finishing_sorts_and_joins(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = fixture_empty();

	fixture_ranges(&profile, "/second", (struct profile_range[]){{0, 1, 40, 1}, {0}});
	fixture_ranges(&profile, "/first",
		(struct profile_range[]){
			{12, 4, 14, 1}, /* follows the next in page and in order: the two are joined */
			{10, 2, 12, 1},
			{16, 1, 30, 1}, /* follows in page, but not in order */
			{2, 1, 5, 1},
			{3, 1, 6, 2}, /* follows, but was touched in another number of runs */
			{0},
		});
	fixture_file(&profile, "/first")->order = 5;
	profile.runs = 2;
	assert_int_equal(profile_add_exec(&profile, "/helper", 13), 0);
	assert_int_equal(profile_finish(&profile), 0);
	assert_string_equal(profile.files[0].path, "/first");
	fixture_assert_ranges(&profile, "/first",
		(struct profile_range[]){{2, 1, 5, 1}, {3, 1, 6, 2}, {10, 6, 12, 1}, {16, 1, 30, 1}, {0}});
	assert_int_equal(profile.touches, 41);
	assert_int_equal(profile.n_execs, 2);
	assert_string_equal(profile.execs[0].path, "/opt/app/bin/app");
	assert_int_equal(profile.execs[0].order, 0);
	assert_int_equal(profile_bytes(&profile), 10 * 4096);
}

static int finish_with(const struct profile_range *ranges)
{
	_cleanup_(profile_releasep) struct profile profile = fixture_empty();

	fixture_ranges(&profile, "/file", ranges);
	return profile_finish(&profile);
}

static void finishing_refuses_what_cannot_be(void **state)
{
	_cleanup_(profile_releasep) struct profile nameless = fixture_empty(), vast = fixture_empty();

	assert_int_equal(finish_with((struct profile_range[]){{0, 4, 0, 1}, {4, 4, 4, 1}, {0}}), 0);
	assert_int_equal(finish_with((struct profile_range[]){{0, 5, 0, 1}, {4, 4, 5, 1}, {0}}), -EINVAL);
	assert_int_equal(finish_with((struct profile_range[]){{0, 4, 0, 0}, {0}}), -EINVAL);
	assert_int_equal(finish_with((struct profile_range[]){{0, 4, 0, 2}, {0}}), -EINVAL);
	assert_int_equal(finish_with((struct profile_range[]){{UINT32_MAX, 2, 0, 1}, {0}}), -EINVAL);
	assert_int_equal(finish_with((struct profile_range[]){{0, 2, UINT32_MAX, 1}, {0}}), -EINVAL);
	/* More pages than a sum of bytes can hold. */
	fixture_ranges(&vast, "/a", (struct profile_range[]){{0, UINT32_MAX, 0, 1}, {0}});
	assert_int_equal(profile_finish(&vast), 0);
	fixture_ranges(&vast, "/b", (struct profile_range[]){{0, 1, 0, 1}, {0}});
	assert_int_equal(profile_finish(&vast), -EINVAL);
	free(TAKE_PTR(nameless.program));
	assert_int_equal(profile_finish(&nameless), -EINVAL);
}

static void checking_knows_every_rule(void **state)
{
	_cleanup_(profile_releasep) struct profile good = fixture_small();

	assert_int_equal(profile_check(&good), 0);
#define BREAKS(field, value)                                                                                 \
	do {                                                                                                 \
		__typeof__(field) saved_ = (field);                                                          \
		(field) = (value);                                                                           \
		assert_int_equal(profile_check(&good), -EINVAL);                                             \
		(field) = saved_;                                                                            \
		assert_int_equal(profile_check(&good), 0);                                                   \
	} while (0)
	BREAKS(good.page_size, 0);
	BREAKS(good.page_size, 2048);
	BREAKS(good.page_size, 5000);
	BREAKS(good.page_size, 1u << 21);
	BREAKS(good.runs, 0);
	BREAKS(good.touches, 20);
	BREAKS(good.n_execs, 0);
	BREAKS(good.execs[0].order, 1);
	BREAKS(good.execs[1].order, 22);
	BREAKS(good.execs[1].path, (char[]){"relative"});
	BREAKS(good.program, (char[]){"/another"});
	BREAKS(good.files[0].path, (char[]){"relative"});
	BREAKS(good.files[0].path, (char[]){""});
	BREAKS(good.files[0].path, good.files[1].path);
	BREAKS(good.files[0].kind, 3);
	BREAKS(good.files[0].order, 21);
	BREAKS(good.files[0].order, 2);
	BREAKS(good.files[0].build_id_size, PROFILE_BUILD_ID_MAX + 1);
	BREAKS(fixture_file(&good, "/opt/app/bin/app")->kind, PROFILE_DIRECTORY);
#undef BREAKS
}

static void paths_are_shorter_than_path_max(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = fixture_empty();
	char path[PATH_MAX + 1];
	size_t index;

	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[PATH_MAX - 1] = '\0';
	assert_int_equal(profile_add_file(&profile, path, PROFILE_REGULAR, &index), 0);
	assert_int_equal(profile_finish(&profile), 0);
	path[PATH_MAX - 1] = 'x';
	path[PATH_MAX] = '\0';
	assert_int_equal(profile_add_file(&profile, path, PROFILE_REGULAR, &index), 0);
	assert_int_equal(profile_finish(&profile), -EINVAL);
}

static int stays(void *context, struct profile_file *file)
{
	return strcmp(file->path, context) != 0;
}

static int fails(void *context, struct profile_file *file)
{
	return strcmp(file->path, context) == 0 ? -ENOMEM : 1;
}

static void files_are_taken_out_and_others_found_again(void **state)
{
	_cleanup_(profile_releasep) struct profile small = fixture_small();
	const struct profile_file *found;
	size_t before = small.n_files;

	assert_int_equal(profile_keep_files(&small, fails, (char *)"/opt/app/bin/app"), -ENOMEM);
	assert_int_equal(small.n_files, before);
	assert_int_equal(profile_find_file(&small, "/opt/app/bin/app", &found), 0);
	assert_non_null(found);
	assert_int_equal(profile_keep_files(&small, stays, (char *)"/opt/app/bin/app"), 0);
	assert_int_equal(small.n_files, before - 1);
	assert_int_equal(profile_find_file(&small, "/opt/app/bin/app", &found), 0);
	assert_null(found);
	for (size_t i = 0; i < small.n_files; i++) {
		assert_int_equal(profile_find_file(&small, small.files[i].path, &found), 0);
		assert_ptr_equal(found, &small.files[i]);
	}
	assert_int_equal(profile_check(&small), 0);
}

static bool never(const void *context, const struct profile_exec *exec)
{
	return false;
}

static void the_program_itself_stays_an_exec_point(void **state)
{
	_cleanup_(profile_releasep) struct profile small = fixture_small();

	profile_keep_execs(&small, never, NULL);
	assert_int_equal(small.n_execs, 1);
	assert_string_equal(small.execs[0].path, small.program);
}

static bool is_odd(void *context, struct profile_range *page)
{
	page->doubt.unsure = *(const bool *)context;
	return page->page % 2;
}

/* Pages that follow each other are one range again only if nothing else tells them apart. */
static void pages_are_edited_one_by_one(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = fixture_empty();
	struct profile_file *file;
	bool unsure = true;
	size_t index;

	assert_int_equal(profile_add_file(&profile, "/a", PROFILE_REGULAR, &index), 0);
	file = &profile.files[index];
	assert_int_equal(profile_file_add_range(file, (struct profile_range){3, 4, 10, 1, {0}}), 0);
	assert_int_equal(profile_file_edit(file, is_odd, &unsure), 0);
	assert_int_equal(file->n_ranges, 2);
	assert_int_equal(file->ranges[1].page, 5);
	assert_int_equal(file->ranges[1].pages, 1);
	assert_int_equal(file->ranges[1].order, 12);
	assert_int_equal(file->ranges[1].doubt.unsure, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_found_again_by_path),
		cmocka_unit_test(finishing_sorts_and_joins),
		cmocka_unit_test(finishing_refuses_what_cannot_be),
		cmocka_unit_test(checking_knows_every_rule),
		cmocka_unit_test(paths_are_shorter_than_path_max),
		cmocka_unit_test(files_are_taken_out_and_others_found_again),
		cmocka_unit_test(the_program_itself_stays_an_exec_point),
		cmocka_unit_test(pages_are_edited_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
