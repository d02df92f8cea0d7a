/* SPDX-License-Identifier: MIT */
/* Unit tests of the places of extents, and which gaps between them are read, with drafts made by hand. */
#include "drafts.h"

#include "base/cleanup.h"

static struct plan_draft draft_with_metadata(struct device device, const struct profile_block_range *ranges)
{
	struct plan_draft draft = {.profile = &drafts_profile};
	struct profile_file_system source = {.id = 7, .ranges = (struct profile_block_range *)ranges};

	while (ranges[source.n_ranges].pages)
		source.n_ranges++;
	assert_int_equal(draft_add_metadata(&draft, &source, &device, "/mnt"), 0);
	assert_int_equal(draft.n_file_systems, 1);
	assert_int_equal(draft.file_systems[0].ranges, draft.n_metadata);
	return draft;
}

static void expect_metadata(
	const struct plan_draft *draft, size_t i, uint32_t page, uint32_t pages, uint32_t gap)
{
	assert_true(i < draft->n_metadata);
	assert_int_equal(draft->metadata[i].page, page);
	assert_int_equal(draft->metadata[i].pages, pages);
	assert_int_equal(draft->metadata[i].gap, gap);
}

/* 128 KiB are 32 pages. */
static void gaps_in_metadata_are_read_where_a_way_of_the_head_takes_longer(void **state)
{
	const struct profile_block_range ranges[] = {{10, 1}, {12, 1}, {44, 2}, {79, 1}, {112, 1}, {0}};
	_cleanup_(draft_releasep) struct plan_draft hard =
		draft_with_metadata((struct device){.class = DEVICE_ROTATIONAL}, ranges);
	_cleanup_(draft_releasep) struct plan_draft solid =
		draft_with_metadata((struct device){.class = DEVICE_SOLID}, ranges);

	assert_int_equal(hard.n_metadata, 2);
	expect_metadata(&hard, 0, 10, 36, 32);
	expect_metadata(&hard, 1, 79, 34, 32);
	assert_int_equal(solid.n_metadata, 5);
	expect_metadata(&solid, 2, 44, 2, 0);
}

/* 1 ms and 8 MB/s: 8,000 bytes pass in the time of a way, so one page is read. */
static void gaps_in_metadata_follow_the_measured_disk(void **state)
{
	const struct profile_block_range ranges[] = {{10, 1}, {12, 1}, {15, 1}, {0}};
	struct device disk = {.class = DEVICE_ROTATIONAL, .measured = true};

	disk.model = (struct device_model){.seek_us = 1000, .bytes_per_ms = 8000, .depth = 1};
	_cleanup_(draft_releasep) struct plan_draft draft = draft_with_metadata(disk, ranges);

	assert_int_equal(draft.n_metadata, 2);
	expect_metadata(&draft, 0, 10, 3, 1);
	expect_metadata(&draft, 1, 15, 1, 0);
}

static void extents_are_cut_where_their_place_ends(void **state)
{
	static const struct device_extent places[] = {
		{.offset = 0, .length = 4 * PAGE, .physical = 1000 * PAGE},
		{.offset = 4 * PAGE, .length = 2 * PAGE, .physical = 500 * PAGE},
		{.offset = 8 * PAGE,
			.length = PAGE + 1024,
			.physical = 900 * PAGE}, /* blocks smaller than a page */
	};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_ROTATIONAL, two_files);

	touch(&draft, 0, 2, 10, 7);
	assert_int_equal(draft_split(&draft, 0, places, 3), 0);
	assert_int_equal(draft.n_extents, 5);
	expect_extent(&draft, 0, 0, 2, 2, 0, 7);
	assert_int_equal(draft.extents[0].physical, 1002 * PAGE);
	expect_extent(&draft, 1, 0, 4, 2, 0, 9);
	assert_int_equal(draft.extents[1].physical, 500 * PAGE);
	expect_extent(&draft, 2, 0, 6, 2, 0, 11);
	assert_true(draft.extents[2].physical == DRAFT_NOWHERE);
	expect_extent(&draft, 3, 0, 8, 2, 0, 13);
	assert_int_equal(draft.extents[3].physical, 900 * PAGE);
	expect_extent(&draft, 4, 0, 10, 2, 0, 15);
	assert_true(draft.extents[4].physical == DRAFT_NOWHERE);
}

static void a_file_without_places_stays_whole(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_ROTATIONAL, two_files);

	touch(&draft, 0, 2, 10, 7);
	assert_int_equal(draft_split(&draft, 0, NULL, 0), 0);
	assert_int_equal(draft.n_extents, 1);
	expect_extent(&draft, 0, 0, 2, 10, 0, 7);
}

/* Puts the extents that are there so far, all of one file, to places. */
static void put(struct plan_draft *draft, const struct device_extent *places, size_t n)
{
	size_t n_extents = draft->n_extents;

	for (size_t i = 0; i < n_extents; i++)
		assert_int_equal(draft_split(draft, i, places, n), 0);
}

static void rotational_gaps_are_read_if_they_are_gaps_on_disk(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_ROTATIONAL, two_files);
	struct plan_cost cost = cost_of_class(DEVICE_ROTATIONAL);
	uint32_t limit = plan_cost_gap_pages(&cost, PAGE);
	const struct device_extent places[] = {
		{.offset = 0, .length = (5 + 2 * limit) * PAGE, .physical = 1000 * PAGE},
		{.offset = (5 + 2 * limit) * PAGE, .length = PAGE, .physical = 50 * PAGE},
	};

	touch(&draft, 0, 0, 2, 90);
	touch(&draft, 0, 2 + limit, 1, 5);
	touch(&draft, 0, 4 + 2 * limit, 1, 6); /* too far */
	touch(&draft, 0, 5 + 2 * limit, 1, 7); /* elsewhere on the disk */
	put(&draft, places, 2);
	add_extent(&draft, (struct draft_extent){1, 6 + 2 * limit, 1, 0, 8, 1, 51 * PAGE}); /* another file */
	draft_merge(&draft, 0);
	assert_int_equal(draft.n_extents, 4);
	expect_extent(&draft, 0, 0, 0, 3 + limit, limit, 5);
	expect_extent(&draft, 1, 0, 4 + 2 * limit, 1, 0, 6);
	expect_extent(&draft, 2, 0, 5 + 2 * limit, 1, 0, 7);
	expect_extent(&draft, 3, 1, 6 + 2 * limit, 1, 0, 8);
}

/* As after `headstart place` for another program: two pages lie as far apart as in the file, and what is between them in the file does not. */
static void gaps_that_lie_elsewhere_on_the_disk_are_not_read(void **state)
{
	static const struct device_extent places[] = {
		{.offset = 0, .length = 2 * PAGE, .physical = 1000 * PAGE},
		{.offset = 2 * PAGE, .length = 3 * PAGE, .physical = 70 * PAGE},
		{.offset = 5 * PAGE, .length = 10 * PAGE, .physical = 1005 * PAGE},
	};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_ROTATIONAL, two_files);

	touch(&draft, 0, 1, 1, 0);
	touch(&draft, 0, 6, 1, 1);
	touch(&draft, 0, 9, 1, 2);
	put(&draft, places, 3);
	draft_merge(&draft, 0);
	assert_int_equal(draft.n_extents, 2);
	expect_extent(&draft, 0, 0, 1, 1, 0, 0);
	expect_extent(&draft, 1, 0, 6, 4, 2, 1);
}

/* The touched pages of a file lie one behind the other, and the rest where it was. */
static void between_pages_that_were_placed_nothing_is_read(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_ROTATIONAL, two_files);
	struct device_extent places[16];

	for (uint32_t page = 0; page < 16; page++)
		places[page] = (struct device_extent){
			page * PAGE, PAGE, (page % 4 == 0 ? 9000 + page / 4 : 100 + page) * PAGE};
	for (uint32_t page = 0; page < 16; page += 4)
		touch(&draft, 0, page, 1, 10 - page / 4);
	put(&draft, places, 16);
	draft_merge(&draft, 0);
	assert_int_equal(draft_sort(&draft), 0);
	assert_int_equal(draft.n_extents, 4);
	for (uint32_t i = 0; i < 4; i++) {
		expect_extent(&draft, i, 1, 4 * i, 1, 0, 10 - i); /* the file has a new number by then */
		assert_int_equal(draft.extents[i].physical, (9000 + i) * PAGE);
	}
}

/* File systems cut long runs in pieces, and report those. */
static void pieces_that_continue_each_other_are_one_run(void **state)
{
	static const struct device_extent places[] = {
		{.offset = 0, .length = 2 * PAGE, .physical = 1000 * PAGE},
		{.offset = 2 * PAGE, .length = 3 * PAGE, .physical = 1002 * PAGE},
		{.offset = 5 * PAGE, .length = 3 * PAGE, .physical = 1005 * PAGE},
		{.offset = 9 * PAGE, .length = 3 * PAGE, .physical = 1009 * PAGE}, /* behind a hole */
	};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_ROTATIONAL, two_files);

	touch(&draft, 0, 1, 2, 0);
	touch(&draft, 0, 6, 1, 2);
	touch(&draft, 0, 10, 1, 3);
	put(&draft, places, 4);
	assert_int_equal(draft.n_extents, 3);
	draft_merge(&draft, 0);
	assert_int_equal(draft.n_extents, 2);
	expect_extent(&draft, 0, 0, 1, 6, 3, 0);
	expect_extent(&draft, 1, 0, 10, 1, 0, 3);
}

static void gaps_are_read_only_within_the_budget(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_ROTATIONAL, two_files);

	touch(&draft, 0, 0, 1, 0);
	touch(&draft, 0, 3, 1, 1);
	touch(&draft, 0, 6, 1, 2);
	draft_merge(&draft, 6 * PAGE);
	assert_int_equal(draft.n_extents, 2);
	expect_extent(&draft, 0, 0, 0, 4, 2, 0);
	expect_extent(&draft, 1, 0, 6, 1, 0, 2);
}

static void neighbours_join_up_to_a_chunk_in_touch_order(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, two_files);
	struct plan_cost cost = cost_of_class(DEVICE_SOLID);
	uint32_t chunk = plan_cost_chunk_pages(&cost, PAGE);

	for (uint32_t page = 0; page < 2 * chunk; page++)
		touch(&draft, 0, page, 1, 1000 - page);
	draft_merge(&draft, 0);
	assert_int_equal(draft.n_extents, 2);
	expect_extent(&draft, 0, 0, 0, chunk, 0, 1001 - chunk);
	expect_extent(&draft, 1, 0, chunk, chunk, 0, 1001 - 2 * chunk);
}

/* What lies apart on a lazy device is not joined over the gap: it may be in other blocks. */
static void extents_of_a_lazy_device_are_runs_on_the_disk(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_LAZY, two_files);

	add_extent(&draft, (struct draft_extent){0, 0, 1, 0, 0, 1, 0, .run_end = 2});
	add_extent(&draft, (struct draft_extent){0, 1, 1, 0, 1, 1, PAGE, .run_end = 2});
	add_extent(&draft, (struct draft_extent){0, 2, 1, 0, 2, 1, 1 << 30, .run_end = 3});
	draft_merge(&draft, 0);
	assert_int_equal(draft.n_extents, 2);
	expect_extent(&draft, 0, 0, 0, 2, 0, 0);
	expect_extent(&draft, 1, 0, 2, 1, 0, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_in_metadata_are_read_where_a_way_of_the_head_takes_longer),
		cmocka_unit_test(gaps_in_metadata_follow_the_measured_disk),
		cmocka_unit_test(extents_are_cut_where_their_place_ends),
		cmocka_unit_test(a_file_without_places_stays_whole),
		cmocka_unit_test(rotational_gaps_are_read_if_they_are_gaps_on_disk),
		cmocka_unit_test(gaps_that_lie_elsewhere_on_the_disk_are_not_read),
		cmocka_unit_test(between_pages_that_were_placed_nothing_is_read),
		cmocka_unit_test(pieces_that_continue_each_other_are_one_run),
		cmocka_unit_test(gaps_are_read_only_within_the_budget),
		cmocka_unit_test(neighbours_join_up_to_a_chunk_in_touch_order),
		cmocka_unit_test(extents_of_a_lazy_device_are_runs_on_the_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
