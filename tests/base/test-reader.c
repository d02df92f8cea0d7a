/* SPDX-License-Identifier: MIT */
/* Unit tests of reading tables and strings that may be hostile: nothing beyond the end is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/reader.h"

static const char file[] = {1, 0, 2, 0, 3, 'a', 'b', 0};

static struct reader whole(void)
{
	return (struct reader){file, sizeof(file)};
}

static void tables_are_cut_one_behind_the_other(void **state)
{
	struct reader pairs, bytes, strings;
	uint16_t item[2];

	assert_true(reader_cut(
		whole(), (const struct reader_table[]){{&pairs, 2, 2}, {&bytes, 1, 1}, {&strings, 3, 1}}, 3));
	assert_true(reader_next(&pairs, item, 2));
	assert_memory_equal(item, file, 2);
	assert_true(reader_next(&pairs, item, 2));
	assert_memory_equal(item, file + 2, 2);
	assert_false(reader_next(&pairs, item, 2));
	assert_int_equal(*reader_take(&bytes, 1, 1), 3);
	assert_string_equal(reader_string(&strings), "ab");
	assert_null(reader_string(&strings));
}

static void tables_must_fill_the_file(void **state)
{
	struct reader one, other;

	assert_true(reader_cut(whole(), (const struct reader_table[]){{&one, 0, 4}, {&other, 8, 1}}, 2));
	assert_int_equal(one.size, 0);
	assert_false(reader_cut(whole(), (const struct reader_table[]){{&one, 7, 1}}, 1));
	assert_false(reader_cut(whole(), (const struct reader_table[]){{&one, 8, 1}, {&other, 1, 1}}, 2));
	assert_false(reader_cut(whole(), (const struct reader_table[]){{&one, UINT64_MAX, 8}}, 1));
	assert_false(reader_cut(whole(), (const struct reader_table[]){{&one, UINT64_MAX / 8 + 2, 8}}, 1));
}

static void half_an_item_is_not_copied(void **state)
{
	struct reader rest = {file, 3};
	uint32_t item = 7;

	assert_false(reader_next(&rest, &item, sizeof(item)));
	assert_int_equal(item, 7);
	assert_int_equal(rest.size, 3);
}

static void string_without_an_end_is_none(void **state)
{
	struct reader rest = {file + 5, 2};

	assert_null(reader_string(&rest));
	assert_null(reader_copy_string(&rest));
	assert_int_equal(rest.size, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_cut_one_behind_the_other),
		cmocka_unit_test(tables_must_fill_the_file),
		cmocka_unit_test(half_an_item_is_not_copied),
		cmocka_unit_test(string_without_an_end_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
