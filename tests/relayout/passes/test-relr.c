/* SPDX-License-Identifier: MIT */
/* Unit tests of DT_RELR: packed places are read back, and every way in which a table can be wrong is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/relr.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_encodes(const uint64_t *places, size_t n_places, const uint64_t *want, size_t n_want)
{
	_cleanup_free_ uint64_t *words = NULL;
	size_t n_words;

	assert_int_equal(relr_encode(places, n_places, &words, &n_words), 0);
	assert_int_equal(n_words, n_want);
	assert_memory_equal(words, want, n_want * sizeof(*want));
}

static void assert_read_back(const uint64_t *places, size_t n_places)
{
	_cleanup_free_ uint64_t *words = NULL;
	struct relr_reader reader = {0};
	size_t n_words;
	uint64_t place;

	assert_int_equal(relr_encode(places, n_places, &words, &n_words), 0);
	reader.table = (const uint8_t *)words;
	reader.size = n_words * sizeof(*words);
	for (size_t i = 0; i < n_places; i++) {
		assert_int_equal(relr_next(&reader, &place), 1);
		assert_int_equal(place, places[i]);
	}
	assert_int_equal(relr_next(&reader, &place), 0);
	assert_int_equal(relr_next(&reader, &place), 0);
}

static void words_are_as_the_generic_abi_has_them(void **state)
{
	const uint64_t one[] = {0x1000}, one_word[] = {0x1000};
	const uint64_t run[] = {0x1000, 0x1008, 0x1010, 0x1020}, run_words[] = {0x1000, 0x17};
	/* The last place of a bitmap, the first of the next, and the first that no further bitmap reaches. */
	const uint64_t far[] = {0x1000, 0x1000 + 63 * 8, 0x1000 + 64 * 8, 0x1000 + 8 + 3 * 63 * 8};
	const uint64_t far_words[] = {0x1000, UINT64_C(1) << 63 | 1, 3, 0x1000 + 8 + 3 * 63 * 8};

	assert_encodes(one, COUNT(one), one_word, COUNT(one_word));
	assert_encodes(run, COUNT(run), run_words, COUNT(run_words));
	assert_encodes(far, COUNT(far), far_words, COUNT(far_words));
	assert_read_back(far, COUNT(far));
}

static void places_of_any_density_are_read_back(void **state)
{
	uint64_t places[3000];

	srand(7);
	for (unsigned gap = 1; gap < 2000; gap = gap * 2 + 1) {
		uint64_t at = 8;

		for (size_t i = 0; i < COUNT(places); i++) {
			at += 8 * (1 + (uint64_t)rand() % gap);
			places[i] = at;
		}
		for (size_t n = 1; n < 70; n++)
			assert_read_back(places, n);
		assert_read_back(places, COUNT(places));
	}
}

static void the_ends_of_the_address_space_are_places(void **state)
{
	const uint64_t places[] = {0, 8, UINT64_MAX - 15, UINT64_MAX - 7};

	assert_read_back(places, COUNT(places));
}

static void places_that_cannot_be_packed_are_refused(void **state)
{
	const uint64_t odd[] = {0x1001}, half[] = {0x1000, 0x100c}, twice[] = {0x1000, 0x1000},
		       back[] = {0x1008, 0x1000};
	uint64_t *words = NULL;
	size_t n_words = 99;

	assert_int_equal(relr_encode(odd, 1, &words, &n_words), -EINVAL);
	assert_int_equal(relr_encode(half, 2, &words, &n_words), -EINVAL);
	assert_int_equal(relr_encode(twice, 2, &words, &n_words), -EINVAL);
	assert_int_equal(relr_encode(back, 2, &words, &n_words), -EINVAL);
	assert_int_equal(relr_encode(NULL, 0, &words, &n_words), -EINVAL);
	assert_null(words);
	assert_int_equal(n_words, 99);
}

static void tables_that_make_no_sense_are_refused(void **state)
{
	const uint64_t bitmap_first[] = {3}, cut[] = {0x1000, 3};
	struct relr_reader reader = {.table = (const uint8_t *)bitmap_first, .size = sizeof(bitmap_first)};
	uint64_t place = 99;

	assert_int_equal(relr_next(&reader, &place), -EINVAL);
	assert_int_equal(place, 99);
	reader = (struct relr_reader){.table = (const uint8_t *)cut, .size = sizeof(cut) - 1};
	assert_int_equal(relr_next(&reader, &place), 1);
	assert_int_equal(relr_next(&reader, &place), -EINVAL);
}

static void a_table_need_not_be_the_shortest(void **state)
{
	/*
	 * An address for each place, an empty bitmap, places out of order and places twice: all are read as they
	 * stand.
	 */
	const uint64_t words[] = {0x2000, 0x1000, 1, 3, 0x1000},
		       want[] = {0x2000, 0x1000, 0x1008 + 63 * 8, 0x1000};
	uint8_t unaligned[sizeof(words) + 1];
	struct relr_reader reader = {.table = unaligned + 1, .size = sizeof(words)};
	uint64_t place;

	memcpy(unaligned + 1, words, sizeof(words));
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(relr_next(&reader, &place), 1);
		assert_int_equal(place, want[i]);
	}
	assert_int_equal(relr_next(&reader, &place), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_as_the_generic_abi_has_them),
		cmocka_unit_test(places_of_any_density_are_read_back),
		cmocka_unit_test(the_ends_of_the_address_space_are_places),
		cmocka_unit_test(places_that_cannot_be_packed_are_refused),
		cmocka_unit_test(tables_that_make_no_sense_are_refused),
		cmocka_unit_test(a_table_need_not_be_the_shortest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
