/* SPDX-License-Identifier: MIT */
/* Unit test: the interpreter of a script is the one that the kernel would use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/script.h"
#include "memory-file.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_word),
		cmocka_unit_test(no_script),
		cmocka_unit_test(longest_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
