/* SPDX-License-Identifier: MIT */
/* Unit tests of the pages that tell whether a start is cold, with drafts made by hand. */
#include "drafts.h"

#include <string.h>

#include "base/cleanup.h"

static void probes_are_late_pages_of_big_files(void **state)
{
	static const struct test_file files[] = {{"/lib/libc.so.6", PROFILE_REGULAR, 1, 0},
		{"/lib/big.so", PROFILE_REGULAR, 2, 0}, {"/lib/small.so", PROFILE_REGULAR, 3, 0},
		{"/lib", PROFILE_DIRECTORY, 4, 0}, {"/root/secret", PROFILE_REGULAR, 5, 0}, {0}};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, files);

	draft.files[4].public = false;
	touch(&draft, 0, 0, 500, 0);
	add_extent(&draft, (struct draft_extent){1, 0, 50, 0, 600, 3, DRAFT_NOWHERE});
	add_extent(&draft, (struct draft_extent){1, 70, 10, 0, 700, 3, DRAFT_NOWHERE});
	add_extent(&draft,
		(struct draft_extent){1, 90, 10, 0, 800, 2, DRAFT_NOWHERE}); /* not touched in all runs */
	touch(&draft, 2, 5, 2, 900);
	touch(&draft, 4, 0, 300, 1000);
	assert_int_equal(draft_probe(&draft), 0);
	assert_int_equal(draft.n_probes, 2);
	assert_int_equal(draft.probes[0].file, 1);
	assert_int_equal(draft.probes[0].page, 79);
	assert_int_equal(draft.probes[1].file, 2);
	assert_int_equal(draft.probes[1].page, 6);
}

/* A database, on which the program may have locks, is probed only if there is nothing else. */
static void probes_are_of_files_that_nobody_locks(void **state)
{
	static const struct test_file files[] = {{"/home/u/places.sqlite", PROFILE_REGULAR, 1, 0},
		{"/opt/app/lib.so", PROFILE_REGULAR, 2, 0}, {"/usr/share/data", PROFILE_REGULAR, 3, 0}, {0}};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, files);
	_cleanup_(draft_releasep) struct plan_draft alone = make_draft(DEVICE_SOLID, files);

	draft.files[1].elf = true;
	touch(&draft, 0, 0, 5000, 0);
	touch(&draft, 1, 0, 50, 5000);
	touch(&draft, 2, 0, 60, 5050);
	assert_int_equal(draft_probe(&draft), 0);
	assert_int_equal(draft.n_probes, 2);
	assert_int_equal(draft.probes[0].file, 2);
	assert_int_equal(draft.probes[1].file, 1);
	touch(&alone, 0, 0, 5000, 0);
	assert_int_equal(draft_probe(&alone), 0);
	assert_int_equal(alone.n_probes, 1);
	assert_int_equal(alone.probes[0].file, 0);

	/* An image of which programs only read. */
	draft.n_probes = 0;
	draft.files[0].image = true;
	assert_int_equal(draft_probe(&draft), 0);
	assert_int_equal(draft.n_probes, 3);
	assert_int_equal(draft.probes[0].file, 0);
}

static void databases_below_usr_are_not_probed(void **state)
{
	static const struct test_file files[] = {{"/usr/lib/sysimage/rpm/Packages", PROFILE_REGULAR, 1, 0},
		{"/usr/local/share/data", PROFILE_REGULAR, 2, 0},
		{"/usr/share/app/cache", PROFILE_REGULAR, 3, 0}, {"/usr/share/data", PROFILE_REGULAR, 4, 0},
		{0}};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, files);

	draft.files[2].database = true;
	for (uint32_t i = 0; i < 4; i++)
		touch(&draft, i, 0, 500 - i, 500 * i);
	assert_int_equal(draft_probe(&draft), 0);
	assert_int_equal(draft.n_probes, 1);
	assert_int_equal(draft.probes[0].file, 3);
}

static void a_probe_of_the_c_library_is_better_than_none(void **state)
{
	static const struct test_file files[] = {{"/lib/libc.so.6", PROFILE_REGULAR, 1, 0}, {0}};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, files);

	touch(&draft, 0, 0, 5, 0);
	assert_int_equal(draft_probe(&draft), 0);
	assert_int_equal(draft.n_probes, 1);
	assert_int_equal(draft.probes[0].page, 4);
}

static void probes_stop_where_the_head_is_full(void **state)
{
	static char paths[8][2000];
	struct test_file files[9] = {0};

	for (size_t i = 0; i < 8; i++) {
		memset(paths[i], 'x', sizeof(paths[i]) - 1);
		paths[i][0] = '/';
		paths[i][1] = (char)('a' + i);
		files[i] = (struct test_file){paths[i], PROFILE_REGULAR, i, 0};
	}
	{
		_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, files);

		for (uint32_t i = 0; i < 8; i++)
			touch(&draft, i, 0, 8 - i, i);
		assert_int_equal(draft_probe(&draft), 0);
		assert_int_equal(draft.n_probes, 1);
		assert_int_equal(draft.probes[0].file, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_are_late_pages_of_big_files),
		cmocka_unit_test(probes_are_of_files_that_nobody_locks),
		cmocka_unit_test(databases_below_usr_are_not_probed),
		cmocka_unit_test(a_probe_of_the_c_library_is_better_than_none),
		cmocka_unit_test(probes_stop_where_the_head_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
