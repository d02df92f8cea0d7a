/* SPDX-License-Identifier: MIT */
/* A set of addresses does what one bit for each address would do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "record/follow/pages/ranges.h"

#define SIZE  64 /* addresses */
#define STEPS 20000

static bool all_are(const bool *bits, unsigned start, unsigned end, bool value)
{
	for (unsigned i = start; i < end; i++)
		if (bits[i] != value)
			return false;
	return true;
}

static void check(const struct ranges *ranges, const bool *bits, unsigned start, unsigned end)
{
	assert_int_equal(ranges_cover(ranges, start, end), all_are(bits, start, end, true));
	assert_int_equal(ranges_meet(ranges, start, end), !all_are(bits, start, end, false));
	for (size_t i = 1; i < ranges->n; i++)
		assert_true(ranges->items[i - 1].end < ranges->items[i].start);
}

static void it_is_as_if_each_address_had_a_bit(void **state)
{
	struct ranges ranges = {0};
	bool bits[SIZE] = {0};

	srandom(1);
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned start = (unsigned)random() % SIZE, size = 1 + (unsigned)random() % 9;
		unsigned end = start + size < SIZE ? start + size : SIZE;
		bool add = random() % 2;

		assert_int_equal((add ? ranges_add : ranges_remove)(&ranges, start, end), 0);
		memset(bits + start, add, end - start);
		start = (unsigned)random() % SIZE;
		check(&ranges, bits, start, start + 1 + (unsigned)random() % (SIZE - start));
	}
	ranges_release(&ranges);
}

static void addresses_can_be_the_first_and_the_last(void **state)
{
	struct ranges ranges = {0};

	assert_int_equal(ranges_add(&ranges, 0, UINT64_MAX), 0);
	assert_int_equal(ranges_remove(&ranges, 1, UINT64_MAX - 1), 0);
	assert_true(ranges_cover(&ranges, 0, 1));
	assert_true(ranges_cover(&ranges, UINT64_MAX - 1, UINT64_MAX));
	assert_false(ranges_meet(&ranges, 1, UINT64_MAX - 1));
	ranges_release(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_as_if_each_address_had_a_bit),
		cmocka_unit_test(addresses_can_be_the_first_and_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
