/* SPDX-License-Identifier: MIT */
/* Unit tests of the parts of a report: numbers in words, UTF-8, bars, text that is safe for a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/json-text.h"
#include "report/table.h"
#include "report/touched.h"
#include "report/utf8.h"
#include "report/words.h"

static void sizes_have_one_decimal(void **state)
{
	char text[WORDS_MAX];

	assert_string_equal(words_bytes(0, text), "0 B");
	assert_string_equal(words_bytes(999, text), "999 B");
	assert_string_equal(words_bytes(1000, text), "1.0 kB");
	assert_string_equal(words_bytes(999949, text), "999.9 kB");
	assert_string_equal(words_bytes(999950, text), "1.0 MB");
	assert_string_equal(words_bytes(43100000, text), "43.1 MB");
	assert_string_equal(words_bytes(UINT64_MAX, text), "18.4 EB");
}

static void counts_have_groups_of_three(void **state)
{
	char text[WORDS_MAX];

	assert_string_equal(words_count(0, text), "0");
	assert_string_equal(words_count(999, text), "999");
	assert_string_equal(words_count(1000, text), "1,000");
	assert_string_equal(words_count(1234567, text), "1,234,567");
	assert_string_equal(words_count(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

static void times_of_any_year_are_told(void **state)
{
	char text[WORDS_MAX];

	assert_int_equal(strncmp(words_time(86400 * 365, text), "197", 3), 0);
	assert_string_equal(words_time(INT64_MIN, text), "second -9223372036854775808");
	assert_string_equal(words_time(INT64_MAX, text), "second 9223372036854775807");
}

static void only_well_formed_utf8_counts(void **state)
{
	assert_int_equal(utf8_length("a"), 1);
	assert_int_equal(utf8_length("\xc3\xa9"), 2);
	assert_int_equal(utf8_length("\xe2\x82\xac"), 3);
	assert_int_equal(utf8_length("\xf0\x9f\x98\x80"), 4);
	assert_int_equal(utf8_length(""), 0);
	assert_int_equal(utf8_length("\x80"), 0);
	assert_int_equal(utf8_length("\xc3"), 0);
	assert_int_equal(utf8_length("\xe2\x82"), 0);
	assert_int_equal(utf8_length("\xc0\xaf"), 0);         /* overlong */
	assert_int_equal(utf8_length("\xe0\x80\xaf"), 0);     /* overlong */
	assert_int_equal(utf8_length("\xf0\x80\x80\xaf"), 0); /* overlong */
	assert_int_equal(utf8_length("\xed\xa0\x80"), 0);     /* a surrogate */
	assert_int_equal(utf8_length("\xf4\x90\x80\x80"), 0); /* beyond U+10FFFF */
	assert_int_equal(utf8_length("\xff"), 0);
}

static void bars_share_out_pages(void **state)
{
	struct table_bar bar = {.file_pages = 2 * TABLE_BAR_CELLS};
	struct table_bar small = {.file_pages = 1};

	table_bar_add(&bar, 1, 4);
	assert_true(bar.cells[0] == 0.5 && bar.cells[1] == 1 && bar.cells[2] == 0.5 && bar.cells[3] == 0);
	table_bar_add(&bar, 2 * TABLE_BAR_CELLS - 1, 100); /* beyond the end: the file has grown */
	assert_true(bar.cells[TABLE_BAR_CELLS - 1] == 0.5);
	table_bar_add(&small, 0, 1);
	assert_true(small.cells[0] == 1 && small.cells[TABLE_BAR_CELLS - 1] == 1);
}

static void assert_cut(const char *text, size_t width, enum table_cut cut, bool utf8, const char *expected)
{
	const struct report_style style = {.utf8 = utf8};
	_cleanup_free_ char *written = NULL;
	size_t size;
	FILE *out = open_memstream(&written, &size);

	assert_non_null(out);
	table_cut_text(out, text, width, cut, &style);
	fclose(out);
	assert_string_equal(written, expected);
}

static void assert_safe(const char *text, size_t width, bool utf8, const char *expected)
{
	assert_cut(text, width, TABLE_CUT_BEGIN, utf8, expected);
}

static void text_is_safe_and_fits(void **state)
{
	assert_safe("/usr/lib/a", 10, true, "/usr/lib/a");
	assert_safe("/usr/lib/a", 9, true, "…sr/lib/a");
	assert_safe("/usr/lib/a", 7, false, "...ib/a");
	assert_safe("\x1b[0m", 99, true, "\\x1b[0m");
	assert_safe("a\x7f\n\t", 99, true, "a\\x7f\\x0a\\x09");
	assert_safe("\xc3\xa9\xc2\x9b\xff", 99, true, "\xc3\xa9\\xc2\\x9b\\xff");
	assert_safe("\xc3\xa9", 99, false, "\\xc3\\xa9");
	/* It counts characters, not bytes, and never cuts an escape in two. */
	assert_safe("\xc3\xa9\xc3\xa9\xc3\xa9", 3, true, "\xc3\xa9\xc3\xa9\xc3\xa9");
	assert_safe("abc\x01z", 4, true, "…z");
}

static void text_keeps_its_beginning_if_that_says_more(void **state)
{
	assert_cut("-c 'print(1)'", 13, TABLE_CUT_END, true, "-c 'print(1)'");
	assert_cut("-c 'print(1)'", 6, TABLE_CUT_END, true, "-c 'p…");
	assert_cut("-c 'print(1)'", 6, TABLE_CUT_END, false, "-c ...");
	assert_cut("\xc3\xa9\xc3\xa9\xc3\xa9", 2, TABLE_CUT_END, true, "\xc3\xa9…");
	assert_cut("a\x01zzz", 5, TABLE_CUT_END, true, "a…");
	assert_cut("a\x01zzz", 6, TABLE_CUT_END, true, "a\\x01…");
}

static void json_has_no_control_characters(void **state)
{
	static const char text[] = "a\x1b\x7f\xc2\x80\xc2\x9f\xc2\xa0\xc3\xa9<\xff";
	_cleanup_free_ char *written = NULL;
	size_t size;
	FILE *out = open_memstream(&written, &size);

	assert_non_null(out);
	assert_int_equal(json_text_write(out, text), 0);
	assert_int_equal(json_print(out, json_text(text), 0, "\n"), 0);
	fclose(out);
	assert_string_equal(written,
		"\"a\\u001b\\u007f\\u0080\\u009f\xc2\xa0\xc3\xa9\\u003c\xef\xbf\xbd\""
		"\"a\\u001b\\u007f\\u0080\\u009f\xc2\xa0\xc3\xa9<\xef\xbf\xbd\"\n");
}

/* Of the last page of a file only what the file has of it. */
static void bytes_of_every_run_and_of_one_run_are_counted(void **state)
{
	struct profile_range ranges[] = {{2, 3, 10, 2}, {5, 1, 1, 1}, {9, 2, 4, 3}};
	const struct profile_file file = {
		.path = (char *)"/lib/a", .size = 10 * 4096 + 100, .ranges = ranges, .n_ranges = 3};
	struct touched_sizes touched = touched_of(&file, 3, 4096);

	assert_int_equal(touched.bytes, 5 * 4096 + 100);
	assert_int_equal(touched.every_run, 4096 + 100);
	assert_int_equal(touched.one_run, 4096);
	touched = touched_of(NULL, 3, 4096);
	assert_int_equal(touched.bytes + touched.every_run + touched.one_run, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_have_one_decimal),
		cmocka_unit_test(counts_have_groups_of_three),
		cmocka_unit_test(times_of_any_year_are_told),
		cmocka_unit_test(only_well_formed_utf8_counts),
		cmocka_unit_test(bars_share_out_pages),
		cmocka_unit_test(json_has_no_control_characters),
		cmocka_unit_test(bytes_of_every_run_and_of_one_run_are_counted),
		cmocka_unit_test(text_is_safe_and_fits),
		cmocka_unit_test(text_keeps_its_beginning_if_that_says_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
