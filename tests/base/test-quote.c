/* SPDX-License-Identifier: MIT */
/* Unit tests of quoting: plain words stay plain, and a shell reads every other word back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/quote.h"

static void only_what_needs_quotes_has_them(void **state)
{
	static const char *const words[][2] = {{"plain/a-b.c", "plain/a-b.c"}, {"", "''"}, {"a b", "'a b'"},
		{"$(x)", "'$(x)'"}, {"it's", "'it'\\''s'"}, {"'", "''\\'''"}, {"PATH=/x", "'PATH=/x'"},
		{"~", "'~'"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		_cleanup_free_ char *quoted = quoted_shell(words[i][0]);

		assert_string_equal(quoted, words[i][1]);
	}
}

/* Every byte but NUL. */
static void a_shell_reads_every_byte_back(void **state)
{
	char word[256] = "", back[512];
	_cleanup_free_ char *quoted = NULL, *command = NULL;
	FILE *pipe;
	size_t n;

	for (int i = 1; i < 256; i++)
		word[i - 1] = (char)i;
	quoted = quoted_shell(word);
	assert_non_null(quoted);
	assert_true(asprintf(&command, "printf %%s %s", quoted) > 0);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	n = fread(back, 1, sizeof(back) - 1, pipe);
	assert_int_equal(pclose(pipe), 0);
	back[n] = '\0';
	assert_string_equal(back, word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_needs_quotes_has_them),
		cmocka_unit_test(a_shell_reads_every_byte_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
