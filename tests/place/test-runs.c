/* SPDX-License-Identifier: MIT */
/* Unit tests of sorted lists of runs of pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "base/cleanup.h"
#include "place/runs.h"

#define PAGE 4096u

static void add(struct place_runs *runs, uint64_t page, uint64_t pages)
{
	assert_int_equal(place_runs_add(runs, page, pages), 0);
}

static void expect(const struct place_runs *runs, size_t i, uint32_t page, uint32_t pages)
{
	assert_true(i < runs->n);
	assert_int_equal(runs->items[i].page, page);
	assert_int_equal(runs->items[i].pages, pages);
}

static void runs_are_joined_over_small_gaps(void **state)
{
	_cleanup_(place_runs_releasep) struct place_runs runs = {0};

	add(&runs, 20, 5);
	add(&runs, 0, 4);
	add(&runs, 6, 2);
	add(&runs, 1, 2);
	place_runs_join(&runs, 2);
	assert_int_equal(runs.n, 2);
	expect(&runs, 0, 0, 8);
	expect(&runs, 1, 20, 5);
	assert_int_equal(place_runs_pages(&runs), 13);
}

static void runs_beyond_all_pages_are_refused(void **state)
{
	_cleanup_(place_runs_releasep) struct place_runs runs = {0};

	assert_int_equal(place_runs_add(&runs, UINT32_MAX, 1), -EOVERFLOW);
	assert_int_equal(place_runs_add(&runs, UINT64_MAX, UINT64_MAX), -EOVERFLOW);
	assert_int_equal(place_runs_add(&runs, 5, 0), 0);
	assert_int_equal(runs.n, 0);
}

static void what_others_have_is_left_out(void **state)
{
	_cleanup_(place_runs_releasep) struct place_runs runs = {0}, other = {0}, rest = {0};

	add(&runs, 0, 10);
	add(&runs, 20, 10);
	add(&other, 3, 2);
	add(&other, 8, 14);
	add(&other, 29, 9);
	assert_int_equal(place_runs_without(&runs, &other, &rest), 0);
	assert_int_equal(rest.n, 3);
	expect(&rest, 0, 0, 3);
	expect(&rest, 1, 5, 3);
	expect(&rest, 2, 22, 7);
}

static void holes_have_nothing_to_move(void **state)
{
	_cleanup_(place_runs_releasep) struct place_runs runs = {0}, within = {0};
	const struct device_extent extents[] = {{2 * PAGE, 3 * PAGE, 0}, {8 * PAGE, 4 * PAGE, 90 * PAGE}};

	add(&runs, 0, 4);
	add(&runs, 6, 20);
	assert_int_equal(place_runs_within(&runs, extents, 2, PAGE, &within), 0);
	assert_int_equal(within.n, 2);
	expect(&within, 0, 2, 2);
	expect(&within, 1, 8, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_joined_over_small_gaps),
		cmocka_unit_test(runs_beyond_all_pages_are_refused),
		cmocka_unit_test(what_others_have_is_left_out),
		cmocka_unit_test(holes_have_nothing_to_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
