/* SPDX-License-Identifier: MIT */
/*
 * Names in /etc/ld.so.preload are found, added and removed. Adding a name and then removing it gives back the
 * original text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/texts/preload-text.h"

#define NAME "/usr/$LIB/h.so"

static void test_names_come_one_by_one(void **state)
{
	static const char text[] = "#first\n a:b # c\n\td#e\n#";
	static const char *const names[] = {"a", "b", "d"};
	const char *at = text, *end = text + strlen(text);
	size_t length;

	for (size_t i = 0; i < 3; i++, at += length) {
		at = preload_text_next(at, end, &length);
		assert_non_null(at);
		assert_int_equal(length, 1);
		assert_memory_equal(at, names[i], 1);
	}
	assert_null(preload_text_next(at, end, &length));
	assert_null(preload_text_next(text, text, &length));
}

static void expect_removed(const char *text, const char *wanted)
{
	char *rest;
	size_t size;

	assert_int_equal(preload_text_remove(text, strlen(text), NAME, &rest, &size), 0);
	assert_int_equal(size, strlen(wanted));
	assert_memory_equal(rest, wanted, size);
	assert_false(preload_text_has(rest, size, NAME));
	free(rest);
}

static void test_has(void **state)
{
	static const char *const with[] = {NAME, NAME "\n", "a\n" NAME, "a:" NAME ":b", "\t" NAME " ",
		"#x\n" NAME, NAME "#comment", "a #b\n" NAME};
	static const char *const without[] = {
		"", "#" NAME, "# " NAME "\n", NAME "x", "x" NAME, "a\n#\t" NAME "\nb"};

	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++)
		assert_true(preload_text_has(with[i], strlen(with[i]), NAME));
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		assert_false(preload_text_has(without[i], strlen(without[i]), NAME));
}

static void test_remove(void **state)
{
	expect_removed(NAME "\n", "");
	expect_removed(NAME, "");
	expect_removed("a\n" NAME "\n", "a\n");
	expect_removed("a\n" NAME "\nb\n", "a\nb\n");
	expect_removed(NAME "\nb", "b");
	expect_removed("a:" NAME ":b\n", "a:b\n");
	expect_removed("a " NAME "\nb\n", "a\nb\n");
	expect_removed(NAME " a\n", "a\n");
	expect_removed("a " NAME " " NAME "\nb\n", "a \nb\n");
	expect_removed(NAME "\n" NAME "\n", "");
	expect_removed("a " NAME "#b\n", "a#b\n");
	expect_removed("# " NAME "\n", "# " NAME "\n");
	expect_removed("", "");
}

/* Tries every text of at most five of these pieces. */
static void test_round_trip(void **state)
{
	static const char *const pieces[] = {"", "a", "/b.so", " ", "\n", ":", "\n\n", "#c", "\t"};
	const size_t n = sizeof(pieces) / sizeof(pieces[0]);

	for (size_t i = 0; i < n * n * n * n; i++) {
		char text[64] = "", *added, *rest;
		size_t size, rest_size, length;

		for (size_t j = 0, left = i; j < 4; j++, left /= n)
			strcat(text, pieces[left % n]);
		length = strlen(text);
		assert_int_equal(preload_text_add(text, length, NAME, &added, &size), 0);
		assert_memory_equal(added, text, length);
		assert_true(preload_text_has(added, size, NAME));
		assert_int_equal(added[size - 1], '\n');
		assert_int_equal(preload_text_remove(added, size, NAME, &rest, &rest_size), 0);
		/* All but a newline that was needed at the end of the last line. */
		assert_int_equal(rest_size, length && text[length - 1] != '\n' ? length + 1 : length);
		assert_memory_equal(rest, text, length);
		free(added);
		free(rest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_come_one_by_one),
		cmocka_unit_test(test_has),
		cmocka_unit_test(test_remove),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
