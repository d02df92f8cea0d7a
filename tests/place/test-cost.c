/* SPDX-License-Identifier: MIT */
/* Unit tests of the cost model: which reads a start makes, and where files lie after they were moved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "place/cost.h"

#define PAGE UINT64_C(4096)
#define FAR  (UINT64_C(1) << 30)

/* A disk with a head, 1 ms a page, 10 ms a seek wherever to, 4096 bytes in a millisecond; reads 8 pages around a fault. */
static struct place_disk make_disk(struct place_file *files, size_t n)
{
	return (struct place_disk){
		.device = {.class = DEVICE_ROTATIONAL,
			.measured = true,
			.read_ahead_kb = 32,
			.size = FAR * 8,
			.model = {.latency_us = 1000, .seek_us = 10000, .bytes_per_ms = 4096, .depth = 1}},
		.page_size = PAGE,
		.files = files,
		.n_files = n,
		.area = PLACE_NO_AREA,
	};
}

static void a_fault_reads_what_lies_around_it(void **state)
{
	struct place_file file = {.size = 100 * PAGE};
	struct place_disk disk = make_disk(&file, 1);
	struct place_touch touches[] = {{0, 50, 1}, {0, 52, 1}, {0, 0, 1}};
	struct place_start start = {.touches = touches, .n_touches = 3};
	const struct device_extent whole = {0, 100 * PAGE, FAR};
	struct place_cost cost;

	assert_int_equal(place_cost_alone(&disk, &start, &(struct place_map){&whole, 1}, &cost), 0);
	/* Eight pages around page 50; at the touch of page 52, which is marked, eight more; then those at page 0. */
	assert_int_equal(cost.reads, 3);
	assert_int_equal(cost.bytes, 24 * PAGE);
	start.n_touches = 1;
	assert_int_equal(place_cost_alone(&disk, &start, &(struct place_map){&whole, 1}, &cost), 0);
	assert_int_equal(cost.bytes, 8 * PAGE);
}

static void the_beginning_of_a_file_reads_four_pages(void **state)
{
	struct place_file file = {.size = 100 * PAGE};
	struct place_disk disk = make_disk(&file, 1);
	struct place_touch touch = {0, 0, 1};
	struct place_start start = {.touches = &touch, .n_touches = 1};
	const struct device_extent whole = {0, 100 * PAGE, FAR};
	struct place_cost cost;

	assert_int_equal(place_cost_alone(&disk, &start, &(struct place_map){&whole, 1}, &cost), 0);
	assert_int_equal(cost.bytes, 4 * PAGE);
	assert_int_equal(cost.us, 1000 + 10000 + 4000);
}

/* What is left of the segment, which ends at page 60; then nothing more, for no page is marked. Data is read around. */
static void a_fault_in_code_reads_on(void **state)
{
	struct place_run code[] = {{20, 40}, {70, 20}};
	struct place_file file = {.size = 100 * PAGE, .code = {.items = code, .n = 2}};
	struct place_disk disk = make_disk(&file, 1);
	struct place_touch touches[] = {{0, 56, 4}, {0, 30, 1}, {0, 38, 1}, {0, 10, 1}};
	struct place_start start = {.touches = touches, .n_touches = 1};
	const struct device_extent whole = {0, 100 * PAGE, FAR};
	struct place_cost cost;

	disk.code_reads_on = true;
	assert_int_equal(place_cost_alone(&disk, &start, &(struct place_map){&whole, 1}, &cost), 0);
	assert_int_equal(cost.bytes, 4 * PAGE);
	start.n_touches = 3;
	assert_int_equal(place_cost_alone(&disk, &start, &(struct place_map){&whole, 1}, &cost), 0);
	assert_int_equal(cost.reads, 3);
	assert_int_equal(cost.bytes, (4 + 8 + 8) * PAGE);
	start.n_touches = 4;
	assert_int_equal(place_cost_alone(&disk, &start, &(struct place_map){&whole, 1}, &cost), 0);
	assert_int_equal(cost.bytes, (4 + 8 + 8 + 8) * PAGE);
	/* Before Linux 6.17: around page 56, and on behind that when page 58 is touched; around pages 30 and 38. */
	disk.code_reads_on = false;
	start.n_touches = 3;
	assert_int_equal(place_cost_alone(&disk, &start, &(struct place_map){&whole, 1}, &cost), 0);
	assert_int_equal(cost.bytes, 4 * 8 * PAGE);
}

/* The file grew after its size was taken, or its headers lie. */
static void code_beyond_the_file_is_not_read(void **state)
{
	struct place_run code = {90, 1u << 20};
	struct place_file file = {.size = 100 * PAGE, .code = {.items = &code, .n = 1}};
	struct place_disk disk = make_disk(&file, 1);
	struct place_touch touch = {0, 98, 1};
	struct place_start start = {.touches = &touch, .n_touches = 1};
	const struct device_extent whole = {0, 4000 * PAGE, FAR};
	struct place_cost cost;

	disk.code_reads_on = true;
	disk.device.read_ahead_kb = 8192;
	assert_int_equal(place_cost_alone(&disk, &start, &(struct place_map){&whole, 1}, &cost), 0);
	assert_int_equal(cost.bytes, 2 * PAGE);
}

static void a_window_in_pieces_costs_a_way_each(void **state)
{
	struct place_file file = {.size = 100 * PAGE};
	struct place_disk disk = make_disk(&file, 1);
	struct place_touch touch = {0, 50, 1};
	struct place_start start = {.touches = &touch, .n_touches = 1};
	const struct device_extent cut[] = {
		{0, 50 * PAGE, FAR}, {50 * PAGE, PAGE, 4 * FAR}, {51 * PAGE, 49 * PAGE, FAR + 51 * PAGE}};
	struct place_cost cost;

	assert_int_equal(place_cost_alone(&disk, &start, &(struct place_map){cut, 3}, &cost), 0);
	assert_int_equal(cost.reads, 3);
	assert_int_equal(cost.seeks, 3);
}

static void many_extents_cost_their_tree(void **state)
{
	struct place_file file = {.size = 5 * PAGE};
	struct place_disk disk = make_disk(&file, 1);
	struct place_touch touch = {0, 4, 1};
	struct place_start start = {.touches = &touch, .n_touches = 1};
	struct device_extent extents[5];
	struct place_cost few, many;

	for (size_t i = 0; i < 5; i++)
		extents[i] = (struct device_extent){i * PAGE, PAGE, FAR + i * PAGE};
	assert_int_equal(place_cost_planned(&disk, &start, &(struct place_map){extents + 1, 4}, &few), 0);
	assert_int_equal(place_cost_planned(&disk, &start, &(struct place_map){extents, 5}, &many), 0);
	assert_int_equal(many.reads, few.reads + 1);
	assert_true(many.us > few.us);
}

static void a_plan_reads_in_the_order_of_the_disk(void **state)
{
	struct place_file files[] = {{.size = PAGE}, {.size = PAGE}, {.size = PAGE}};
	struct place_disk disk = make_disk(files, 3);
	struct place_touch touches[] = {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}};
	struct place_start start = {.touches = touches, .n_touches = 3};
	const struct device_extent places[] = {{0, PAGE, FAR}, {0, PAGE, 3 * FAR}, {0, PAGE, FAR + PAGE}};
	const struct place_map maps[] = {{&places[0], 1}, {&places[1], 1}, {&places[2], 1}};
	struct place_cost planned, alone;

	assert_int_equal(place_cost_planned(&disk, &start, maps, &planned), 0);
	assert_int_equal(place_cost_alone(&disk, &start, maps, &alone), 0);
	assert_int_equal(planned.reads, 2); /* the first and the third are neighbours */
	assert_int_equal(planned.seeks, 2);
	assert_int_equal(alone.seeks, 3);
	assert_true(planned.us < alone.us);
}

/* A page lies between two of one extent, and two between these and the next file's. */
static void a_plan_reads_gaps_of_files_and_none_between_files(void **state)
{
	struct place_file files[] = {{.size = 100 * PAGE}, {.size = 100 * PAGE}};
	struct place_disk disk = make_disk(files, 2);
	struct place_touch touches[] = {{0, 0, 1}, {0, 2, 1}, {1, 1, 1}};
	struct place_start start = {.touches = touches, .n_touches = 3};
	const struct device_extent places[] = {{0, 4 * PAGE, FAR}, {0, 4 * PAGE, FAR + 4 * PAGE}};
	const struct place_map maps[] = {{&places[0], 1}, {&places[1], 1}};
	struct place_cost cost;

	assert_int_equal(place_cost_planned(&disk, &start, maps, &cost), 0);
	assert_int_equal(cost.reads, 2);
	assert_int_equal(cost.bytes, 4 * PAGE);
}

/* The page between two hot ones was moved elsewhere: only what is touched is read. */
static void a_plan_reads_no_gap_that_lies_elsewhere(void **state)
{
	struct place_file file = {.size = 3 * PAGE};
	struct place_disk disk = make_disk(&file, 1);
	struct place_touch touches[] = {{0, 0, 1}, {0, 2, 1}};
	struct place_start start = {.touches = touches, .n_touches = 2};
	const struct device_extent cut[] = {
		{0, PAGE, FAR}, {PAGE, PAGE, 4 * FAR}, {2 * PAGE, PAGE, FAR + 2 * PAGE}};
	struct place_cost cost;

	assert_int_equal(place_cost_planned(&disk, &start, &(struct place_map){cut, 3}, &cost), 0);
	assert_int_equal(cost.reads, 2);
	assert_int_equal(cost.bytes, 2 * PAGE);
}

static void ranges_beyond_the_file_are_not_read(void **state)
{
	struct place_file file = {.size = 2 * PAGE};
	struct place_disk disk = make_disk(&file, 1);
	struct place_touch touch = {0, 1, UINT32_MAX - 1};
	struct place_start start = {.touches = &touch, .n_touches = 1};
	const struct device_extent whole = {0, 2 * PAGE, FAR};
	struct place_cost cost;

	assert_int_equal(place_cost_alone(&disk, &start, &(struct place_map){&whole, 1}, &cost), 0);
	assert_int_equal(cost.bytes, 2 * PAGE);
}

static void moved_runs_lie_in_the_area(void **state)
{
	struct device_extent whole = {0, 100 * PAGE, FAR};
	struct place_run runs[] = {{0, 4}, {50, 10}};
	struct place_file file = {.size = 100 * PAGE,
		.extents = &whole,
		.n_extents = 1,
		.moved = {.items = runs, .n = 2},
		.at = 6 * PAGE};
	/* The area ends in the middle of the second run, and goes on elsewhere. */
	const struct device_extent area[] = {{0, 15 * PAGE, 5 * FAR}, {15 * PAGE, 20 * PAGE, 6 * FAR}};
	static const struct device_extent expected[] = {{0, 4 * PAGE, 5 * FAR + 6 * PAGE},
		{4 * PAGE, 46 * PAGE, FAR + 4 * PAGE}, {50 * PAGE, 5 * PAGE, 5 * FAR + 10 * PAGE},
		{55 * PAGE, 5 * PAGE, 6 * FAR}, {60 * PAGE, 40 * PAGE, FAR + 60 * PAGE}};
	_cleanup_free_ struct device_extent *after = NULL;
	size_t n;

	assert_int_equal(place_map_after(&file, area, 2, PAGE, &after, &n), 0);
	assert_int_equal(n, 5);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(after[i].offset, expected[i].offset);
		assert_int_equal(after[i].length, expected[i].length);
		assert_int_equal(after[i].physical, expected[i].physical);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fault_reads_what_lies_around_it),
		cmocka_unit_test(the_beginning_of_a_file_reads_four_pages),
		cmocka_unit_test(a_fault_in_code_reads_on),
		cmocka_unit_test(code_beyond_the_file_is_not_read),
		cmocka_unit_test(a_window_in_pieces_costs_a_way_each),
		cmocka_unit_test(many_extents_cost_their_tree),
		cmocka_unit_test(a_plan_reads_in_the_order_of_the_disk),
		cmocka_unit_test(a_plan_reads_gaps_of_files_and_none_between_files),
		cmocka_unit_test(a_plan_reads_no_gap_that_lies_elsewhere),
		cmocka_unit_test(ranges_beyond_the_file_are_not_read),
		cmocka_unit_test(moved_runs_lie_in_the_area),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
