/* SPDX-License-Identifier: MIT */
/* Unit tests of the order of a plan, and the blocks that a lazy device fetches first, with drafts made by hand. */
#include "drafts.h"

#include "base/cleanup.h"

static void rotational_plans_go_by_inode_and_place(void **state)
{
	static const struct test_file files[] = {{"/lib/a", PROFILE_REGULAR, 20, 0},
		{"/lib", PROFILE_DIRECTORY, 5, 0}, {"/lib/b", PROFILE_REGULAR, 10, 0}, {0}};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_ROTATIONAL, files);

	add_extent(&draft, (struct draft_extent){0, 0, 1, 0, 1, 1, 700});
	add_extent(&draft, (struct draft_extent){0, 8, 1, 0, 2, 1, DRAFT_NOWHERE});
	add_extent(&draft, (struct draft_extent){0, 4, 1, 0, 3, 1, DRAFT_NOWHERE});
	add_extent(&draft, (struct draft_extent){2, 0, 1, 0, 4, 1, 600});
	add_extent(&draft, (struct draft_extent){2, 4, 1, 0, 5, 1, 800});
	draft.probes[draft.n_probes++] = (struct draft_probe){0, 8};
	assert_int_equal(draft_sort(&draft), 0);
	assert_string_equal(draft.files[0].source->path, "/lib");
	assert_string_equal(draft.files[1].source->path, "/lib/b");
	assert_string_equal(draft.files[2].source->path, "/lib/a");
	assert_int_equal(draft.probes[0].file, 2);
	expect_extent(&draft, 0, 1, 0, 1, 0, 4);
	expect_extent(&draft, 1, 2, 0, 1, 0, 1);
	expect_extent(&draft, 2, 1, 4, 1, 0, 5);
	expect_extent(&draft, 3, 2, 4, 1, 0, 3);
	expect_extent(&draft, 4, 2, 8, 1, 0, 2);
}

static void other_plans_go_by_touch_with_folders_first(void **state)
{
	static const struct test_file files[] = {{"/usr/lib/a/x", PROFILE_REGULAR, 20, 0},
		{"/usr/lib/b", PROFILE_REGULAR, 10, 0}, {"/usr/lib/a", PROFILE_DIRECTORY, 5, 0},
		{"/usr/li", PROFILE_DIRECTORY, 6, 0}, {"/usr/lib", PROFILE_SYMLINK, 7, 0},
		{"/", PROFILE_DIRECTORY, 2, 0}, {0}};
	static const char *const order[] = {
		"/", "/usr/lib", "/usr/lib/a", "/usr/lib/a/x", "/usr/lib/b", "/usr/li"};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, files);

	touch(&draft, 0, 0, 1, 2);
	touch(&draft, 0, 5, 1, 0);
	touch(&draft, 1, 9, 1, 1);
	assert_int_equal(draft_sort(&draft), 0);
	for (size_t i = 0; i < draft.n_files; i++)
		assert_string_equal(draft.files[i].source->path, order[i]);
	expect_extent(&draft, 0, 3, 5, 1, 0, 0);
	expect_extent(&draft, 1, 4, 9, 1, 0, 1);
	expect_extent(&draft, 2, 3, 0, 1, 0, 2);
}

static void each_device_keeps_its_own_order(void **state)
{
	static const struct test_file files[] = {{"/hdd/a", PROFILE_REGULAR, 9, 0},
		{"/ssd/b", PROFILE_REGULAR, 50, 1}, {"/hdd/c", PROFILE_REGULAR, 3, 0}, {0}};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_ROTATIONAL, files);

	add_device(&draft, DEVICE_SOLID);
	add_extent(&draft, (struct draft_extent){0, 0, 1, 0, 1, 1, 700});
	touch(&draft, 1, 4, 1, 3);
	touch(&draft, 1, 9, 1, 2);
	add_extent(&draft, (struct draft_extent){2, 0, 1, 0, 4, 1, 600});
	assert_int_equal(draft_sort(&draft), 0);
	assert_string_equal(draft.files[0].source->path, "/ssd/b");
	assert_string_equal(draft.files[1].source->path, "/hdd/c");
	assert_string_equal(draft.files[2].source->path, "/hdd/a");
	expect_extent(&draft, 0, 0, 9, 1, 0, 2);
	expect_extent(&draft, 1, 0, 4, 1, 0, 3);
	expect_extent(&draft, 2, 1, 0, 1, 0, 4);
	expect_extent(&draft, 3, 2, 0, 1, 0, 1);
}

/* One page of each block comes first, in the order of need; the extents follow, whole. */
static void blocks_of_a_lazy_device_are_touched_first(void **state)
{
	const uint64_t block = 512 << 10;
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_LAZY, two_files);

	add_extent(&draft, (struct draft_extent){0, 0, 8, 0, 20, 1, 10 * block});
	/* two pages of the third block, needed earlier than the one before */
	add_extent(&draft, (struct draft_extent){0, 50, 2, 0, 5, 1, 12 * block + 8 * PAGE});
	/* across two ends of blocks */
	add_extent(&draft, (struct draft_extent){1, 0, 130, 0, 1, 1, 21 * block - PAGE});
	/* in a block that is there already by then, and without a place */
	add_extent(&draft, (struct draft_extent){0, 20, 1, 0, 30, 1, 10 * block + 20 * PAGE});
	touch(&draft, 1, 200, 1, 40);
	assert_int_equal(draft_touch_blocks(&draft), 0);
	assert_int_equal(draft_sort(&draft), 0);
	assert_int_equal(draft.n_extents, 10);
	expect_extent(&draft, 0, 1, 0, 1, 0, 1);
	expect_extent(&draft, 1, 1, 1, 1, 0, 1);
	expect_extent(&draft, 2, 1, 129, 1, 0, 1);
	expect_extent(&draft, 3, 0, 50, 1, 0, 5);
	expect_extent(&draft, 4, 0, 0, 1, 0, 20);
	expect_extent(&draft, 5, 1, 0, 130, 0, 1);
	expect_extent(&draft, 6, 0, 50, 2, 0, 5);
	expect_extent(&draft, 7, 0, 0, 8, 0, 20);
	expect_extent(&draft, 8, 0, 20, 1, 0, 30);
	expect_extent(&draft, 9, 1, 200, 1, 0, 40);
}

/* The earlier of two extents in a block touches it, in whichever order they come. */
static void a_block_is_touched_by_who_needs_it_first(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_LAZY, two_files);

	add_extent(&draft, (struct draft_extent){0, 0, 1, 0, 9, 1, 0});
	add_extent(&draft, (struct draft_extent){1, 7, 1, 0, 2, 1, 4 * PAGE});
	assert_int_equal(draft_touch_blocks(&draft), 0);
	assert_int_equal(draft_sort(&draft), 0);
	assert_int_equal(draft.n_extents, 3);
	expect_extent(&draft, 0, 1, 7, 1, 0, 2);
	assert_true(draft.extents[0].touch);
	expect_extent(&draft, 1, 1, 7, 1, 0, 2);
	assert_false(draft.extents[1].touch);
}

static void other_devices_have_no_blocks_to_touch(void **state)
{
	static const enum device_class classes[] = {DEVICE_SOLID, DEVICE_ROTATIONAL, DEVICE_UNKNOWN};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		_cleanup_(draft_releasep) struct plan_draft draft = make_draft(classes[i], two_files);

		add_extent(&draft, (struct draft_extent){0, 0, 1, 0, 9, 1, 0});
		assert_int_equal(draft_touch_blocks(&draft), 0);
		assert_int_equal(draft.n_extents, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rotational_plans_go_by_inode_and_place),
		cmocka_unit_test(other_plans_go_by_touch_with_folders_first),
		cmocka_unit_test(each_device_keeps_its_own_order),
		cmocka_unit_test(blocks_of_a_lazy_device_are_touched_first),
		cmocka_unit_test(a_block_is_touched_by_who_needs_it_first),
		cmocka_unit_test(other_devices_have_no_blocks_to_touch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
