/* SPDX-License-Identifier: MIT */
/* Unit tests of merging profiles, and of cutting a profile at an exec point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "fixture.h"
#include "profile/recordings/from-exec.h"
#include "profile/recordings/merge.h"

#define R (struct profile_range[])

static struct profile one_file(const struct profile_range *ranges, const char *build_id, int64_t recorded)
{
	struct profile profile = fixture_empty();

	fixture_ranges(&profile, "/lib/a", ranges);
	profile.recorded = recorded;
	if (build_id) {
		memcpy(profile.files[0].build_id, build_id, strlen(build_id));
		profile.files[0].build_id_size = strlen(build_id);
	}
	assert_int_equal(profile_finish(&profile), 0);
	return profile;
}

static void counts_add_up_and_order_stays(void **state)
{
	_cleanup_(profile_releasep) struct profile into = one_file(R{{10, 10, 0, 1}, {0}}, NULL, 1);
	_cleanup_(profile_releasep) struct profile from =
		one_file(R{{15, 10, 0, 1}, {5, 2, 10, 1}, {0}}, NULL, 2);

	assert_int_equal(profile_merge(&into, &from), 0);
	assert_int_equal(into.runs, 2);
	/*
	 * 10..14 in one run, 15..19 in both. 20..24 and 5..6 are new, and come after the others, in the order of
	 * `from` and without holes.
	 */
	fixture_assert_ranges(
		&into, "/lib/a", R{{5, 2, 15, 1}, {10, 5, 0, 1}, {15, 5, 5, 2}, {20, 5, 10, 1}, {0}});
	assert_int_equal(into.touches, 17);
	/* A third run, like the first. */
	from.recorded = 3;
	assert_int_equal(profile_merge(&into, &from), 0);
	assert_int_equal(into.runs, 3);
	fixture_assert_ranges(
		&into, "/lib/a", R{{5, 2, 15, 2}, {10, 5, 0, 1}, {15, 5, 5, 3}, {20, 5, 10, 2}, {0}});
	assert_int_equal(into.touches, 17);
}

static void a_range_inside_another_splits_it(void **state)
{
	_cleanup_(profile_releasep) struct profile into = one_file(R{{0, 10, 0, 1}, {0}}, NULL, 1);
	_cleanup_(profile_releasep) struct profile from = one_file(R{{4, 2, 0, 1}, {0}}, NULL, 2);

	assert_int_equal(profile_merge(&into, &from), 0);
	fixture_assert_ranges(&into, "/lib/a", R{{0, 4, 0, 1}, {4, 2, 4, 2}, {6, 4, 6, 1}, {0}});
}

static void files_only_one_knows_are_kept(void **state)
{
	_cleanup_(profile_releasep) struct profile into = fixture_small(), from = fixture_empty();

	fixture_look(&from, "/new/folder", PROFILE_DIRECTORY, 0);
	fixture_ranges(&from, "/new/file", R{{3, 2, 1, 1}, {0}});
	fixture_ranges(&from, "/opt/app/bin/app", R{{0, 1, 3, 1}, {0}});
	fixture_ranges(&from, "/new/later", R{{0, 1, 4, 1}, {0}});
	memcpy(fixture_file(&from, "/opt/app/bin/app")->build_id, "0123456789abcdefghij", 20);
	fixture_file(&from, "/opt/app/bin/app")->build_id_size = 20;
	assert_int_equal(profile_add_exec(&from, "/new/helper", 4), 0);
	assert_int_equal(profile_finish(&from), 0);
	assert_int_equal(into.touches, 21);
	assert_int_equal(profile_merge(&into, &from), 0);
	assert_int_equal(into.n_files, 8);
	assert_int_equal(fixture_file(&into, "/opt/app/bin")->order, 0);
	assert_int_equal(fixture_file(&into, "/new/folder")->order, 21);
	assert_int_equal(fixture_file(&into, "/new/file")->order, 22);
	fixture_assert_ranges(&into, "/new/file", R{{3, 2, 22, 1}, {0}});
	/* If both profiles have the page, there is no hole. */
	fixture_assert_ranges(&into, "/new/later", R{{0, 1, 24, 1}, {0}});
	assert_int_equal(into.touches, 25);
	assert_int_equal(into.n_execs, 3);
	assert_string_equal(into.execs[2].path, "/new/helper");
	assert_int_equal(into.execs[2].order, 24);
}

static void a_changed_file_is_that_of_the_later_recording(void **state)
{
	_cleanup_(profile_releasep) struct profile old = one_file(R{{0, 4, 0, 1}, {0}}, "old-build", 1);
	_cleanup_(profile_releasep) struct profile new = one_file(R{{2, 4, 0, 1}, {0}}, "new-build", 2);
	_cleanup_(profile_releasep) struct profile again = one_file(R{{0, 4, 0, 1}, {0}}, "old-build", 1);

	/*
	 * The pages are those of the new file. If the old file had a page of the same number, the page keeps the old
	 * place in the order.
	 */
	assert_int_equal(profile_merge(&old, &new), 0);
	assert_memory_equal(old.files[0].build_id, "new-build", 9);
	fixture_assert_ranges(&old, "/lib/a", R{{2, 4, 2, 1}, {0}});
	assert_int_equal(old.runs, 2);
	/* The other way round, the later one stays unchanged. */
	assert_int_equal(profile_merge(&new, &again), 0);
	assert_memory_equal(new.files[0].build_id, "new-build", 9);
	fixture_assert_ranges(&new, "/lib/a", R{{2, 4, 0, 1}, {0}});
	assert_int_equal(new.runs, 2);
}

static void a_file_that_became_a_link_is_one(void **state)
{
	_cleanup_(profile_releasep) struct profile into = one_file(R{{0, 4, 0, 1}, {0}}, NULL, 1);
	_cleanup_(profile_releasep) struct profile from = fixture_empty();

	fixture_look(&from, "/lib/a", PROFILE_SYMLINK, 0);
	assert_int_equal(profile_finish(&from), 0);
	assert_int_equal(profile_merge(&into, &from), 0);
	assert_int_equal(into.files[0].kind, PROFILE_SYMLINK);
	assert_int_equal(into.files[0].n_ranges, 0);
}

static void the_description_is_that_of_the_later_recording(void **state)
{
	_cleanup_(profile_releasep) struct profile into = fixture_small(), from = fixture_small();

	from.recorded = into.recorded + 1;
	from.bias = PROFILE_BIAS_LOST;
	into.bias = PROFILE_BIAS_TIMEOUT;
	free(from.kernel);
	from.kernel = strdup("7.0");
	assert_int_equal(profile_merge(&into, &from), 0);
	assert_string_equal(into.kernel, "7.0");
	assert_int_equal(into.recorded, from.recorded);
	assert_int_equal(into.bias, PROFILE_BIAS_LOST | PROFILE_BIAS_TIMEOUT);
	free(from.kernel);
	from.kernel = strdup("5.0");
	from.recorded = 1;
	assert_int_equal(profile_merge(&into, &from), 0);
	assert_string_equal(into.kernel, "7.0");
}

static void what_does_not_go_together_is_refused(void **state)
{
	_cleanup_(profile_releasep) struct profile into = fixture_small(), from = fixture_small();
	uint64_t bytes = profile_bytes(&into);

	from.page_size = 16384;
	assert_int_equal(profile_merge(&into, &from), -EINVAL);
	from.page_size = 4096;
	free(from.program);
	free(from.execs[0].path);
	from.program = strdup("/another");
	from.execs[0].path = strdup("/another");
	assert_int_equal(profile_merge(&into, &from), -EINVAL);
	into.runs = UINT32_MAX;
	free(from.program);
	free(from.execs[0].path);
	from.program = strdup(into.program);
	from.execs[0].path = strdup(into.program);
	assert_int_equal(profile_merge(&into, &from), -EOVERFLOW);
	assert_int_equal(into.n_files, 5);
	assert_int_equal(profile_bytes(&into), bytes);
}

static void an_exec_point_cuts_what_came_before(void **state)
{
	_cleanup_(profile_releasep) struct profile whole = fixture_small(), cut = {0};

	assert_int_equal(profile_from_exec(&whole, 1, &cut), 0);
	assert_string_equal(cut.program, "/opt/app/bin/helper");
	assert_string_equal(cut.command, "/opt/app/bin/helper");
	assert_int_equal(cut.n_execs, 1);
	assert_int_equal(cut.touches, 6);
	assert_int_equal(cut.n_files, 2);
	fixture_assert_ranges(&cut, "/opt/app/bin/helper", R{{0, 5, 0, 1}, {0}});
	fixture_assert_ranges(&cut, "/opt/app/lib/libapp.so.1.2", R{{25, 1, 5, 1}, {0}});
	assert_int_equal(fixture_file(&cut, "/opt/app/lib/libapp.so.1.2")->order, 5);
}

static void an_exec_point_is_found_by_path_and_by_name(void **state)
{
	_cleanup_(profile_releasep) struct profile whole = fixture_small();

	assert_int_equal(profile_find_exec(&whole, whole.program), 0);
	assert_int_equal(profile_find_exec(&whole, "/opt/app/bin/helper"), 1);
	assert_int_equal(profile_find_exec(&whole, "helper"), 1);
	assert_int_equal(profile_find_exec(&whole, "bin/helper"), -ENOENT);
	assert_int_equal(profile_find_exec(&whole, "elper"), -ENOENT);
}

static void a_cut_may_go_through_a_range(void **state)
{
	_cleanup_(profile_releasep) struct profile whole = fixture_empty(), cut = {0};

	fixture_ranges(&whole, "/lib/a", R{{100, 10, 0, 1}, {0}});
	fixture_look(&whole, "/late", PROFILE_DIRECTORY, 10);
	assert_int_equal(profile_add_exec(&whole, "/helper", 4), 0);
	assert_int_equal(profile_finish(&whole), 0);
	assert_int_equal(profile_from_exec(&whole, 1, &cut), 0);
	fixture_assert_ranges(&cut, "/lib/a", R{{104, 6, 0, 1}, {0}});
	assert_int_equal(fixture_file(&cut, "/late")->order, 6);
	assert_int_equal(profile_from_exec(&whole, 2, &cut), -EINVAL);
}

static void the_first_exec_point_is_all_of_it(void **state)
{
	_cleanup_(profile_releasep) struct profile whole = fixture_small(), cut = {0};

	assert_int_equal(profile_from_exec(&whole, 0, &cut), 0);
	assert_string_equal(cut.command, whole.command);
	assert_int_equal(cut.n_files, whole.n_files);
	assert_int_equal(cut.touches, whole.touches);
	assert_int_equal(profile_bytes(&cut), profile_bytes(&whole));
}

/* As of a build that runs for hours. A search through all of them for each would take minutes. */
static void exec_points_by_the_thousand(void **state)
{
	_cleanup_(profile_releasep) struct profile into = fixture_small(), from = fixture_small();
	const uint32_t many = 200000, last = into.touches;
	size_t before = into.n_execs;

	for (uint32_t i = 0; i < many; i++) {
		char path[48];

		snprintf(path, sizeof(path), "/usr/bin/program-%u", i);
		assert_int_equal(profile_add_exec(&into, path, last), 0);
		snprintf(path, sizeof(path), "/usr/bin/program-%u", i + many / 2);
		assert_int_equal(profile_add_exec(&from, path, last), 0);
	}
	assert_int_equal(profile_merge(&into, &from), 0);
	assert_int_equal(into.n_execs, before + many + many / 2);
	assert_true(profile_has_exec(&into, "/usr/bin/program-299999"));
	assert_false(profile_has_exec(&into, "/usr/bin/program-300000"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_add_up_and_order_stays),
		cmocka_unit_test(a_range_inside_another_splits_it),
		cmocka_unit_test(files_only_one_knows_are_kept),
		cmocka_unit_test(a_changed_file_is_that_of_the_later_recording),
		cmocka_unit_test(a_file_that_became_a_link_is_one),
		cmocka_unit_test(the_description_is_that_of_the_later_recording),
		cmocka_unit_test(what_does_not_go_together_is_refused),
		cmocka_unit_test(an_exec_point_cuts_what_came_before),
		cmocka_unit_test(an_exec_point_is_found_by_path_and_by_name),
		cmocka_unit_test(a_cut_may_go_through_a_range),
		cmocka_unit_test(the_first_exec_point_is_all_of_it),
		cmocka_unit_test(exec_points_by_the_thousand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
