/* SPDX-License-Identifier: MIT */
/* Unit test: the interpreter of a script is the one that the kernel would use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/script.h"
#include "memory-file.h"
#include "tree.h"

static char interpreter[SCRIPT_HEAD];

static bool is_script(const char *text, size_t size)
{
	_cleanup_close_ int fd = memory_file(text, size);

	return script_interpreter(fd, interpreter);
}

static void expect(const char *text, const char *expected)
{
	bool found = is_script(text, strlen(text));

	assert_int_equal(found, expected != NULL);
	if (found)
		assert_string_equal(interpreter, expected);
}

static void first_word(void **state)
{
	expect("#!/bin/sh", "/bin/sh");
	expect("#!/bin/sh\necho\n", "/bin/sh");
	expect("#! \t/bin/sh -e\n", "/bin/sh");
	expect("#!/usr/bin/env\tperl\n", "/usr/bin/env");
	expect("#!bin/sh\n", "bin/sh");
	expect("#!/bin/sh\r\n", "/bin/sh\r");
	assert_true(is_script("#!/bin/sh\0 -e\n", 14));
	assert_string_equal(interpreter, "/bin/sh");
}

static void no_script(void **state)
{
	expect("", NULL);
	expect("#!", NULL);
	expect("#! \t", NULL);
	expect("#! \n/bin/sh\n", NULL);
	expect(" #!/bin/sh\n", NULL);
	expect("# /bin/sh\n", NULL);
	assert_false(script_interpreter(-1, interpreter));
}

/* If a path does not end where the kernel stops reading, it may be the beginning of another path. */
static void longest_path(void **state)
{
	char text[SCRIPT_HEAD + 2];

	memset(text, 'a', sizeof(text));
	memcpy(text, "#!/", 3);
	text[SCRIPT_HEAD - 1] = '\n';
	assert_true(is_script(text, sizeof(text)));
	assert_int_equal(strlen(interpreter), SCRIPT_HEAD - 3);
	assert_true(is_script(text, SCRIPT_HEAD - 1));
	text[SCRIPT_HEAD - 1] = 'a';
	text[SCRIPT_HEAD] = '\n';
	assert_false(is_script(text, sizeof(text)));
}

static const char *refused;

static bool may_look(const char *path)
{
	return strcmp(path, refused) != 0;
}

static void no_path_is_followed_that_may_not_be_looked_at(void **state)
{
	char folder[] = "/tmp/headstart-script.XXXXXX";
	const char *script, *shell;
	char *executed = NULL;
	FILE *file;

	assert_non_null(mkdtemp(folder));
	script = tree_path(folder, "script");
	shell = tree_path(folder, "interpreter");
	file = fopen(script, "we");
	assert_non_null(file);
	fprintf(file, "#!%s\n", shell);
	assert_int_equal(fclose(file), 0);
	file = fopen(shell, "we");
	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(script_executed(script, NULL, &executed), 0);
	assert_string_equal(executed, shell);
	free(executed);
	executed = NULL;
	refused = script;
	assert_int_equal(script_executed(script, may_look, &executed), -EACCES);
	refused = shell;
	assert_int_equal(script_executed(script, may_look, &executed), -EACCES);
	assert_null(executed);
	assert_int_equal(tree_remove(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_word),
		cmocka_unit_test(no_script),
		cmocka_unit_test(longest_path),
		cmocka_unit_test(no_path_is_followed_that_may_not_be_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
