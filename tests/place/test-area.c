/* SPDX-License-Identifier: MIT */
/* Unit tests of what an area is made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "base/cleanup.h"
#include "place/area.h"

#define PAGE UINT64_C(4096)

static void expect(const struct place_area *area, size_t i, uint64_t pages, uint64_t place, uint64_t donor)
{
	uint64_t at = i > 0 ? area->items[i - 1].offset + area->items[i - 1].length : 0;

	assert_true(i < area->n);
	assert_int_equal(area->items[i].offset, at);
	assert_int_equal(area->items[i].length, pages * PAGE);
	assert_int_equal(area->items[i].physical, place * PAGE);
	assert_int_equal(area->donors[i], donor * PAGE);
}

/* Five pieces of the free space, two of which continue each other though the donor has them far apart. */
static struct device_extent pieces[] = {
	{0, 10 * PAGE, 500 * PAGE},
	{10 * PAGE, 6 * PAGE, 108 * PAGE},
	{16 * PAGE, 3 * PAGE, 900 * PAGE},
	{19 * PAGE, 8 * PAGE, 100 * PAGE},
	{27 * PAGE, 4 * PAGE, 50 * PAGE},
};

static void the_longest_runs_are_taken_in_the_order_of_the_disk(void **state)
{
	const struct place_room room = {pieces, 5};
	_cleanup_(place_area_releasep) struct place_area area = PLACE_NO_AREA;

	assert_int_equal(place_area_pick(&room, 24 * PAGE, &area), 0);
	assert_int_equal(area.n, 3);
	expect(&area, 0, 8, 100, 19);
	expect(&area, 1, 6, 108, 10);
	expect(&area, 2, 10, 500, 0);
}

static void the_shortest_run_is_cut(void **state)
{
	const struct place_room room = {pieces, 5};
	_cleanup_(place_area_releasep) struct place_area area = PLACE_NO_AREA;

	assert_int_equal(place_area_pick(&room, 26 * PAGE, &area), 0);
	assert_int_equal(area.n, 4);
	expect(&area, 0, 2, 50, 27);
	expect(&area, 1, 8, 100, 19);
	expect(&area, 2, 6, 108, 10);
	expect(&area, 3, 10, 500, 0);
}

/* Also in the middle of a run of several pieces: what lies behind on the disk is left. */
static void a_run_of_pieces_is_cut(void **state)
{
	const struct place_room room = {pieces, 5};
	_cleanup_(place_area_releasep) struct place_area area = PLACE_NO_AREA;

	assert_int_equal(place_area_pick(&room, 9 * PAGE, &area), 0);
	assert_int_equal(area.n, 2);
	expect(&area, 0, 8, 100, 19);
	expect(&area, 1, 1, 108, 10);
}

static void all_of_the_room_is_an_area_and_more_is_none(void **state)
{
	const struct place_room room = {pieces, 5}, none = {NULL, 0};
	_cleanup_(place_area_releasep) struct place_area area = PLACE_NO_AREA;

	assert_int_equal(place_area_pick(&room, 32 * PAGE, &area), -ENOSPC);
	assert_int_equal(place_area_pick(&none, PAGE, &area), -ENOSPC);
	assert_int_equal(area.n, 0);
	assert_int_equal(place_area_pick(&room, 31 * PAGE, &area), 0);
	assert_int_equal(area.n, 5);
	expect(&area, 4, 3, 900, 16);
}

static void a_room_is_cut_at_the_end_of_the_donor(void **state)
{
	struct device_extent copies[5];
	struct place_room room = {copies, 5};

	for (size_t i = 0; i < 5; i++)
		copies[i] = pieces[i];
	place_room_cut(&room, 31 * PAGE);
	assert_int_equal(room.n, 5);
	place_room_cut(&room, 20 * PAGE);
	assert_int_equal(room.n, 4);
	assert_int_equal(copies[3].length, PAGE);
	place_room_cut(&room, 16 * PAGE);
	assert_int_equal(room.n, 2);
	assert_int_equal(copies[1].length, 6 * PAGE);
	place_room_cut(&room, 0);
	assert_int_equal(room.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_runs_are_taken_in_the_order_of_the_disk),
		cmocka_unit_test(the_shortest_run_is_cut),
		cmocka_unit_test(a_run_of_pieces_is_cut),
		cmocka_unit_test(all_of_the_room_is_an_area_and_more_is_none),
		cmocka_unit_test(a_room_is_cut_at_the_end_of_the_donor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
