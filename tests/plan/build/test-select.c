/* SPDX-License-Identifier: MIT */
/* Unit tests of what is left out of a plan: by its budget, and because it is somebody else's, with drafts made by hand. */
#include "drafts.h"

#include <limits.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"

static void the_budget_keeps_what_is_touched_first(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, two_files);

	touch(&draft, 0, 0, 4, 50);
	touch(&draft, 0, 100, 4, 10);
	touch(&draft, 1, 0, 4, 60);
	assert_int_equal(draft_cut(&draft, 0), 0);
	assert_int_equal(draft.n_extents, 3);
	assert_int_equal(draft_cut(&draft, 6 * PAGE + PAGE - 1), 0);
	assert_int_equal(draft.n_extents, 2);
	expect_extent(&draft, 0, 0, 100, 4, 0, 10);
	expect_extent(&draft, 1, 0, 0, 2, 0, 50);
	assert_int_equal(draft.n_files, 1);
	assert_int_equal(draft.files[0].pages, 6);
}

static void files_cut_away_renumber_the_rest(void **state)
{
	static const struct test_file files[] = {{"/d", PROFILE_DIRECTORY, 1, 0},
		{"/lib/a", PROFILE_REGULAR, 2, 0}, {"/lib/b", PROFILE_REGULAR, 3, 0}, {0}};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, files);

	touch(&draft, 1, 0, 4, 50);
	touch(&draft, 2, 7, 4, 10);
	assert_int_equal(draft_cut(&draft, 4 * PAGE), 0);
	assert_int_equal(draft.n_files, 2);
	assert_string_equal(draft.files[0].source->path, "/d");
	assert_string_equal(draft.files[1].source->path, "/lib/b");
	assert_int_equal(draft.n_extents, 1);
	expect_extent(&draft, 0, 1, 7, 4, 0, 10);
}

static bool is_others(bool shared, enum profile_kind kind, const char *path)
{
	const struct plan_draft draft = {.shared = shared};
	const struct profile_file file = {.kind = kind};

	return draft_is_others(&draft, &file, path);
}

/* A plan for everybody names only root's files. The owner of these cannot be determined. */
static void what_cannot_be_determined_is_not_roots(void **state)
{
	char overlong[PATH_MAX + 1] = "/";
	struct rlimit files, none;

	memset(overlong + 1, 'x', sizeof(overlong) - 2);
	for (unsigned shared = 0; shared < 2; shared++) {
		assert_false(is_others(shared, PROFILE_DIRECTORY, "/usr"));
		assert_false(is_others(shared, PROFILE_REGULAR, "/nonexistent/file")); /* nobody's */
		assert_int_equal(
			is_others(shared, PROFILE_REGULAR, "/etc/passwd/below"), shared); /* ENOTDIR */
		assert_int_equal(is_others(shared, PROFILE_REGULAR, "relative"), shared);
		assert_int_equal(is_others(shared, PROFILE_REGULAR, overlong), shared);
		assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
		none = (struct rlimit){.rlim_cur = 0, .rlim_max = files.rlim_max};
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
		assert_int_equal(is_others(shared, PROFILE_DIRECTORY, "/usr"), shared); /* EMFILE */
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_budget_keeps_what_is_touched_first),
		cmocka_unit_test(files_cut_away_renumber_the_rest),
		cmocka_unit_test(what_cannot_be_determined_is_not_roots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
