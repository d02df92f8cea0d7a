/* SPDX-License-Identifier: MIT */
/* Unit tests: what two profiles have in common. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "fixture.h"
#include "profile/compare/difference.h"

static const struct difference_file *file_of(const struct difference *difference, const char *path)
{
	for (size_t i = 0; i < difference->n_files; i++)
		if (strcmp(difference->files[i].path, path) == 0)
			return &difference->files[i];
	fail_msg("no file %s", path);
	return NULL;
}

static void assert_file(const struct difference *difference, const char *path, enum difference_state state,
	struct difference_pages pages)
{
	const struct difference_file *file = file_of(difference, path);

	assert_int_equal(file->state, state);
	assert_int_equal(file->pages.only_a, pages.only_a);
	assert_int_equal(file->pages.only_b, pages.only_b);
	assert_int_equal(file->pages.both, pages.both);
}

static struct profile with_ranges(const char *path, const struct profile_range *ranges)
{
	struct profile profile = fixture_empty();

	fixture_ranges(&profile, path, ranges);
	assert_int_equal(profile_finish(&profile), 0);
	return profile;
}

/* Ranges that touch, overlap, contain each other, or lie apart. */
static void pages_of_both_are_counted_once(void **state)
{
	static const struct profile_range in_a[] = {
		{0, 10, 0, 1}, {20, 10, 10, 1}, {40, 1, 20, 1}, {50, 10, 21, 1}, {0}};
	static const struct profile_range in_b[] = {
		{5, 10, 0, 1}, {22, 2, 10, 1}, {26, 2, 12, 1}, {41, 9, 14, 1}, {50, 10, 23, 1}, {0}};
	_cleanup_(profile_releasep) struct profile a = with_ranges("/lib/x", in_a);
	_cleanup_(profile_releasep) struct profile b = with_ranges("/lib/x", in_b);
	_cleanup_(difference_releasep) struct difference difference = {0};

	assert_int_equal(difference_of_profiles(&a, &b, &difference), 0);
	assert_file(&difference, "/lib/x", DIFFERENCE_SAME, (struct difference_pages){12, 14, 19});
	assert_int_equal(difference.pages.both, 19);
	assert_int_equal(difference.counts[DIFFERENCE_SAME], 1);
}

static void profile_does_not_differ_from_itself(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = fixture_small();
	_cleanup_(difference_releasep) struct difference difference = {0};

	assert_int_equal(difference_of_profiles(&profile, &profile, &difference), 0);
	assert_int_equal(difference.n_files, profile.n_files);
	assert_int_equal(difference.counts[DIFFERENCE_SAME], profile.n_files);
	assert_int_equal(difference.pages.only_a + difference.pages.only_b, 0);
	assert_int_equal(difference.pages.both * profile.page_size, profile_bytes(&profile));
}

static void files_of_one_profile_and_other_builds_are_told_apart(void **state)
{
	static const struct profile_range two[] = {{0, 2, 0, 1}, {0}}, three[] = {{7, 3, 0, 1}, {0}};
	_cleanup_(profile_releasep) struct profile a = fixture_empty(), b = fixture_empty();
	_cleanup_(difference_releasep) struct difference difference = {0};

	fixture_ranges(&a, "/only/a", two);
	fixture_ranges(&a, "/build", (struct profile_range[]){{0, 2, 2, 1}, {0}});
	fixture_ranges(&b, "/only/b", three);
	fixture_ranges(&b, "/build", (struct profile_range[]){{0, 2, 3, 1}, {0}});
	assert_int_equal(profile_finish(&a), 0);
	assert_int_equal(profile_finish(&b), 0);
	fixture_file(&b, "/build")->build_id_size = 20;
	assert_int_equal(difference_of_profiles(&a, &b, &difference), 0);
	assert_file(&difference, "/only/a", DIFFERENCE_ONLY_A, (struct difference_pages){2, 0, 0});
	assert_file(&difference, "/only/b", DIFFERENCE_ONLY_B, (struct difference_pages){0, 3, 0});
	assert_file(&difference, "/build", DIFFERENCE_CHANGED, (struct difference_pages){2, 2, 0});
	assert_int_equal(difference.pages.only_a, 4);
	assert_int_equal(difference.pages.only_b, 5);
	fixture_file(&b, "/build")->build_id_size = 0;
	difference_release(&difference);
	fixture_file(&b, "/build")->size++;
	assert_int_equal(difference_of_profiles(&a, &b, &difference), 0);
	assert_file(&difference, "/build", DIFFERENCE_CHANGED, (struct difference_pages){2, 2, 0});
}

static void other_page_size_is_refused(void **state)
{
	_cleanup_(profile_releasep) struct profile a = fixture_small(), b = fixture_small();
	struct difference difference = {0};

	b.page_size *= 4;
	assert_int_equal(difference_of_profiles(&a, &b, &difference), -EINVAL);
	assert_null(difference.files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_of_both_are_counted_once),
		cmocka_unit_test(profile_does_not_differ_from_itself),
		cmocka_unit_test(files_of_one_profile_and_other_builds_are_told_apart),
		cmocka_unit_test(other_page_size_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
