/* SPDX-License-Identifier: MIT */
/* Unit tests of the search for commands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/run/search.h"
#include "base/run/wrapper.h"
#include "tree.h"

static void an_empty_folder_is_the_working_folder(void **state)
{
	const char *rest = ":/a::b/c:", *const wanted[] = {".", "/a", ".", "b/c", "."};
	char folder[PATH_MAX];

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_true(search_next(&rest, folder));
		assert_string_equal(folder, wanted[i]);
	}
	assert_false(search_next(&rest, folder));
	assert_false(search_next(&rest, folder));
}

static void a_folder_that_does_not_fit_is_left_out(void **state)
{
	static char list[PATH_MAX + 8];
	const char *rest = list;
	char folder[PATH_MAX];

	memset(list, 'x', PATH_MAX);
	strcpy(list + PATH_MAX, ":/a");
	assert_true(search_next(&rest, folder));
	assert_string_equal(folder, "/a");
	assert_false(search_next(&rest, folder));
	rest = list + 1; /* fits exactly, with its NUL; the command does not */
	assert_true(search_next(&rest, folder));
	assert_int_equal(strlen(folder), PATH_MAX - 1);
}

/* An executable FOLDER/sh with that text. */
static void write_program(const char *folder, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/sh", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

/* Accepts the path in the context; refuses everything in /locked. */
static int check(void *context, const char *candidate)
{
	if (strcmp(candidate, context) == 0)
		return 0;
	return strncmp(candidate, "/locked/", 8) == 0 ? -EACCES : -ENOENT;
}

static void the_first_that_is_accepted_is_found_whatever_stands_before_it(void **state)
{
	char tool[] = "/there/tool", here[] = "./tool", found[PATH_MAX];

	assert_int_equal(search_folders("/none:/locked:/there:/later", "tool", check, tool, found), 0);
	assert_string_equal(found, "/there/tool");
	assert_int_equal(search_folders("/locked:/none", "tool", check, tool, found), -EACCES);
	assert_int_equal(search_folders("/none", "tool", check, tool, found), -ENOENT);
	assert_int_equal(search_folders("", "tool", check, here, found), 0);
}

static void only_programs_are_executable(void **state)
{
	assert_int_equal(search_check_executable(NULL, "/bin/sh"), 0);
	assert_int_equal(search_check_executable(NULL, "/bin"), -EACCES);
	assert_int_equal(search_check_executable(NULL, "/etc/passwd"), -EACCES);
	assert_int_equal(search_check_executable(NULL, "/nowhere/sh"), -ENOENT);
}

/* As `headstart install --app` writes one, and a text that only begins in the same way. */
static void a_wrapper_is_not_the_program_behind_it(void **state)
{
	char folder[] = "/tmp/headstart-test.XXXXXX", found[PATH_MAX];
	char list[sizeof(folder) + sizeof(":/bin")];

	assert_non_null(mkdtemp(folder));
	sprintf(list, "%s:/bin", folder);
	write_program(folder, WRAPPER_HEAD "sh\nexec /bin/sh\n");
	assert_int_equal(search_folders(list, "sh", wrapper_check_program, NULL, found), 0);
	assert_string_equal(found, "/bin/sh");
	write_program(folder, "#!/bin/sh\n# Written by headstart\n");
	assert_int_equal(search_folders(list, "sh", wrapper_check_program, NULL, found), 0);
	assert_memory_equal(found, folder, strlen(folder));
	assert_int_equal(tree_remove(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_folder_is_the_working_folder),
		cmocka_unit_test(a_folder_that_does_not_fit_is_left_out),
		cmocka_unit_test(the_first_that_is_accepted_is_found_whatever_stands_before_it),
		cmocka_unit_test(only_programs_are_executable),
		cmocka_unit_test(a_wrapper_is_not_the_program_behind_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
