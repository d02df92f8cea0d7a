/* SPDX-License-Identifier: MIT */
/* The notes of which users have a plan of which program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "headstartd/users/owners.h"
#include "tree.h"

static char folder[64];

static int begin(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/headstart-test-XXXXXX");
	return mkdtemp(folder) ? setenv("HEADSTART_STATE", folder, 1) : -1;
}

static int end(void **state)
{
	(void)state;
	return tree_remove(folder);
}

static void what_is_noted_is_that_users_and_that_programs(void **state)
{
	(void)state;
	assert_false(owners_has(1000, "/usr/bin/one"));
	owners_note(1000, "/usr/bin/one");
	owners_note(1000, "/usr/bin/one");
	assert_true(owners_has(1000, "/usr/bin/one"));
	assert_false(owners_has(100, "/usr/bin/one"));
	assert_false(owners_has(1000, "/usr/local/bin/one"));
	owners_drop(100, "/usr/bin/one");
	owners_drop(1000, "/usr/local/bin/one");
	assert_true(owners_has(1000, "/usr/bin/one"));
	owners_drop(1000, "/usr/bin/one");
	assert_false(owners_has(1000, "/usr/bin/one"));
}

static void only_root_can_look(void **state)
{
	static const char *const folders[] = {"learn", "learn/users", "learn/users/4294967294"};
	char path[128];
	struct stat st;

	(void)state;
	owners_note(4294967294u, "/usr/bin/one");
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, folders[i]);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode, S_IFDIR | 0700);
	}
}

static void program_is_forgotten_for_all_users(void **state)
{
	(void)state;
	for (uid_t user = 1; user < 5; user++) {
		owners_note(user, "/usr/bin/one");
		owners_note(user, "/usr/bin/two");
	}
	owners_forget("/usr/bin/one");
	for (uid_t user = 1; user < 5; user++) {
		assert_false(owners_has(user, "/usr/bin/one"));
		assert_true(owners_has(user, "/usr/bin/two"));
	}
}

static void without_notes_nothing_is_forgotten(void **state)
{
	(void)state;
	owners_forget("/usr/bin/one");
	owners_drop(1, "/usr/bin/one");
	setenv("HEADSTART_STATE", "/proc/nowhere", 1);
	owners_note(1, "/usr/bin/one");
	assert_false(owners_has(1, "/usr/bin/one"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_noted_is_that_users_and_that_programs, begin, end),
		cmocka_unit_test_setup_teardown(only_root_can_look, begin, end),
		cmocka_unit_test_setup_teardown(program_is_forgotten_for_all_users, begin, end),
		cmocka_unit_test_setup_teardown(without_notes_nothing_is_forgotten, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
