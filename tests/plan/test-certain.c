/* SPDX-License-Identifier: MIT */
/* Unit test of what any start of a program touches: for a plan of root's, nothing is looked for where others can change it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "plan/asked/certain.h"
#include "tree.h"

static char folder[] = "/tmp/headstart-certain.XXXXXX";

static int make_folder(void **state)
{
	if (!mkdtemp(folder) || chmod(folder, 0755) < 0)
		return -1;
	return mkdir(tree_path(folder, "own"), 0755);
}

static int remove_folder(void **state)
{
	return tree_remove(folder);
}

static void add(struct profile *profile, const char *name, uint32_t order)
{
	const struct profile_range range = {.pages = 1, .order = order, .runs = 1};
	size_t index;

	assert_int_equal(profile_add_file(profile, tree_path(folder, name), PROFILE_REGULAR, &index), 0);
	profile->files[index].order = order;
	profile->files[index].size = 4096;
	assert_int_equal(profile_file_add_range(&profile->files[index], range), 0);
}

/* Whether a file in the program's own folder, touched after what was asked for, belongs to any start. */
static bool own_folder_counts(bool of_root)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	_cleanup_(profile_releasep) struct profile certain = {0};
	struct profile recording = {
		.command = strdup("program asked"),
		.program = strdup(tree_path(folder, "program")),
		.kernel = strdup("6.18.0"),
		.device = strdup(""),
		.milestone = strdup("exit"),
		.asked_path = strdup(tree_path(folder, "asked")),
		.page_size = 4096,
		.runs = 1,
	};
	const struct profile_file *found, *other;

	add(&recording, "program", 0);
	add(&recording, "asked", 1);
	add(&recording, "own/late", 2);
	add(&recording, "late", 3);
	assert_int_equal(profile_finish(&recording), 0);
	assert_int_equal(recordings_add(&recordings, &recording), 0);
	assert_int_equal(certain_of(&recordings, "operand=file own=own", of_root, &certain), 0);
	assert_int_equal(profile_find_file(&certain, tree_path(folder, "program"), &found), 0);
	assert_non_null(found);
	assert_int_equal(profile_find_file(&certain, tree_path(folder, "late"), &other), 0);
	assert_null(other);
	assert_int_equal(profile_find_file(&certain, tree_path(folder, "own/late"), &found), 0);
	return found != NULL;
}

static void root_looks_for_nothing_where_others_can_change_it(void **state)
{
	assert_true(own_folder_counts(false));
	assert_int_equal(own_folder_counts(true), geteuid() == 0);
	assert_int_equal(chmod(tree_path(folder, "own"), 0777), 0);
	assert_true(own_folder_counts(false));
	assert_false(own_folder_counts(true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(root_looks_for_nothing_where_others_can_change_it),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
