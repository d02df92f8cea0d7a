/* SPDX-License-Identifier: MIT */
/* Unit tests of metadata in profiles: put into order, merged, reduced to what is common, bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "fixture.h"
#include "profile/metadata.h"
#include "profile/recordings/common.h"
#include "profile/recordings/from-exec.h"
#include "profile/recordings/merge.h"

#define B (struct profile_block_range[])

static struct profile with_metadata(uint64_t file_system, const struct profile_block_range *ranges)
{
	struct profile profile = fixture_empty();

	fixture_ranges(&profile, "/lib/a", (struct profile_range[]){{0, 1, 0, 1}, {0}});
	fixture_metadata(&profile, file_system, ranges);
	assert_int_equal(profile_finish(&profile), 0);
	return profile;
}

static void assert_ranges(const struct profile *profile, size_t index, uint64_t file_system,
	const struct profile_block_range *expected)
{
	const struct profile_file_system *system = &profile->file_systems[index];
	size_t n = 0;

	assert_true(index < profile->n_file_systems);
	assert_int_equal(system->id, file_system);
	for (; expected[n].pages > 0; n++) {
		assert_true(n < system->n_ranges);
		assert_int_equal(system->ranges[n].page, expected[n].page);
		assert_int_equal(system->ranges[n].pages, expected[n].pages);
	}
	assert_int_equal(system->n_ranges, n);
}

static void ranges_that_overlap_or_touch_become_one(void **state)
{
	_cleanup_(profile_releasep) struct profile profile =
		with_metadata(7, B{{30, 2}, {10, 4}, {14, 1}, {11, 1}, {31, 4}, {10, 1}, {40, 1}, {0}});

	assert_ranges(&profile, 0, 7, B{{10, 5}, {30, 5}, {40, 1}, {0}});
	assert_int_equal(profile_metadata_pages(&profile), 11);
}

static void file_systems_are_kept_apart(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = with_metadata(9, B{{5, 1}, {0}});

	fixture_metadata(&profile, 3, B{{5, 1}, {6, 1}, {0}});
	assert_int_equal(profile_finish(&profile), 0);
	assert_int_equal(profile.n_file_systems, 2);
	assert_ranges(&profile, 0, 3, B{{5, 2}, {0}});
	assert_ranges(&profile, 1, 9, B{{5, 1}, {0}});
}

static void a_merged_profile_has_what_either_has(void **state)
{
	_cleanup_(profile_releasep) struct profile a = with_metadata(7, B{{10, 4}, {50, 1}, {0}});
	_cleanup_(profile_releasep) struct profile b = with_metadata(7, B{{12, 8}, {0}});

	fixture_metadata(&b, 8, B{{1, 1}, {0}});
	assert_int_equal(profile_finish(&b), 0);
	assert_int_equal(profile_merge(&a, &b), 0);
	assert_ranges(&a, 0, 7, B{{10, 10}, {50, 1}, {0}});
	assert_ranges(&a, 1, 8, B{{1, 1}, {0}});
}

static void what_is_common_is_what_both_have(void **state)
{
	_cleanup_(profile_releasep) struct profile a = with_metadata(7, B{{10, 10}, {50, 4}, {60, 1}, {0}});
	_cleanup_(profile_releasep) struct profile b = with_metadata(7, B{{5, 6}, {15, 2}, {19, 40}, {0}});

	fixture_metadata(&a, 6, B{{1, 1}, {0}});
	fixture_metadata(&b, 8, B{{1, 1}, {0}});
	assert_int_equal(profile_finish(&a), 0);
	assert_int_equal(profile_finish(&b), 0);
	assert_int_equal(profile_keep_common(&a, &b), 0);
	assert_int_equal(a.n_file_systems, 1);
	assert_ranges(&a, 0, 7, B{{10, 1}, {15, 2}, {19, 1}, {50, 4}, {0}});
}

/* When each block was read is not recorded. */
static void a_cut_profile_keeps_all_of_it(void **state)
{
	_cleanup_(profile_releasep) struct profile small = fixture_small(), cut = {0};

	assert_int_equal(profile_from_exec(&small, 1, &cut), 0);
	assert_int_equal(profile_metadata_pages(&cut), profile_metadata_pages(&small));
}

static void too_many_file_systems_are_left_out(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = with_metadata(1, B{{1, 1}, {0}});

	for (uint64_t id = 2; id <= PROFILE_FILE_SYSTEMS_MAX + 2; id++)
		fixture_metadata(&profile, id, B{{1, 1}, {0}});
	assert_int_equal(profile_finish(&profile), 0);
	assert_int_equal(profile.n_file_systems, PROFILE_FILE_SYSTEMS_MAX);
}

static void what_is_not_in_order_is_not_good(void **state)
{
	struct profile_block_range ranges[] = {{1, 1}, {3, 2}};
	struct profile_file_system systems[] = {
		{.id = 1, .ranges = ranges, .n_ranges = 2},
		{.id = 2, .ranges = ranges, .n_ranges = 2},
	};
	const struct profile profile = {.file_systems = systems, .n_file_systems = 2};

	assert_true(profile_metadata_good(&profile));
	systems[1].id = 1;
	assert_false(profile_metadata_good(&profile));
	systems[1].id = 2;
	systems[1].n_ranges = 0;
	assert_false(profile_metadata_good(&profile));
	systems[1].n_ranges = 2;
	ranges[1].page = 2; /* touches the first */
	assert_false(profile_metadata_good(&profile));
	ranges[1] = (struct profile_block_range){3, 0};
	assert_false(profile_metadata_good(&profile));
	ranges[1] = (struct profile_block_range){3, UINT32_MAX - 2};
	assert_false(profile_metadata_good(&profile));
	ranges[1] = (struct profile_block_range){3, UINT32_MAX - 3};
	assert_false(profile_metadata_good(&profile)); /* twice is more than 2^32 pages */
	systems[1].n_ranges = 1;
	assert_true(profile_metadata_good(&profile));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_that_overlap_or_touch_become_one),
		cmocka_unit_test(file_systems_are_kept_apart),
		cmocka_unit_test(a_merged_profile_has_what_either_has),
		cmocka_unit_test(what_is_common_is_what_both_have),
		cmocka_unit_test(a_cut_profile_keeps_all_of_it),
		cmocka_unit_test(too_many_file_systems_are_left_out),
		cmocka_unit_test(what_is_not_in_order_is_not_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
