/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of the passes over plans, with drafts made by hand: budget, places, gaps, order, probes, costs, whose
 * files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "plan/build/draft.h"
#include "plan/build/time/cost.h"

#define PAGE 4096u

static struct profile profile = {.page_size = PAGE, .program = (char *)"/bin/app"};
static struct profile_range some_range = {0, 1, 0, 1};

struct test_file {
	const char *path;
	enum profile_kind kind;
	uint64_t inode;
	uint32_t device;
};

/* Files that had ranges in the profile, as all regular files here had. */
static struct profile_file sources[32];

static void add_device(struct plan_draft *draft, enum device_class class)
{
	assert_int_equal(ARRAY_RESERVE(draft->devices, draft->devices_capacity, draft->n_devices + 1), 0);
	draft->devices[draft->n_devices] =
		(struct draft_device){.number = draft->n_devices, .device.class = class};
	draft->n_devices++;
}

static struct plan_draft make_draft(enum device_class class, const struct test_file *files)
{
	struct plan_draft draft = {.profile = &profile, .device = class};

	add_device(&draft, class);
	for (size_t i = 0; files[i].path; i++) {
		sources[i] = (struct profile_file){.path = (char *)files[i].path, .kind = files[i].kind};
		if (files[i].kind == PROFILE_REGULAR) {
			sources[i].ranges = &some_range;
			sources[i].n_ranges = 1;
		}
		assert_int_equal(ARRAY_RESERVE(draft.files, draft.files_capacity, i + 1), 0);
		draft.files[draft.n_files++] = (struct draft_file){
			.source = &sources[i],
			.inode = files[i].inode,
			.device = files[i].device,
			.public = true,
		};
	}
	return draft;
}

static void add(struct plan_draft *draft, struct draft_extent extent)
{
	assert_int_equal(ARRAY_RESERVE(draft->extents, draft->extents_capacity, draft->n_extents + 1), 0);
	draft->extents[draft->n_extents++] = extent;
	draft->files[extent.file].pages += extent.pages;
}

/* An extent whose place on the disk is unknown. */
static void touch(struct plan_draft *draft, uint32_t file, uint32_t page, uint32_t pages, uint32_t order)
{
	add(draft, (struct draft_extent){file, page, pages, 0, order, 1, DRAFT_NOWHERE});
}

static void expect(const struct plan_draft *draft, size_t i, uint32_t file, uint32_t page, uint32_t pages,
	uint32_t gap, uint32_t order)
{
	assert_true(i < draft->n_extents);
	assert_int_equal(draft->extents[i].file, file);
	assert_int_equal(draft->extents[i].page, page);
	assert_int_equal(draft->extents[i].pages, pages);
	assert_int_equal(draft->extents[i].gap, gap);
	assert_int_equal(draft->extents[i].order, order);
}

static const struct test_file two_files[] = {
	{"/lib/a", PROFILE_REGULAR, 20, 0}, {"/lib/b", PROFILE_REGULAR, 10, 0}, {0}};

static struct plan_cost cost_of_class(enum device_class class)
{
	return plan_cost_of(&(struct device){.class = class});
}

static struct device measured(
	enum device_class class, uint32_t latency_us, uint32_t bytes_per_ms, uint32_t depth)
{
	return (struct device){
		.class = class,
		.measured = true,
		.size = UINT64_C(1) << 30,
		.model = {.latency_us = latency_us, .bytes_per_ms = bytes_per_ms, .depth = depth},
	};
}

/* Measurements count before the constants of a class, but only what was measured. */
static void a_measured_device_costs_what_was_measured(void **state)
{
	struct device emmc = measured(DEVICE_SOLID, 284, 120000, 4);
	struct device nvme = measured(DEVICE_SOLID, 81, 3000000, 59);
	struct device half = measured(DEVICE_ROTATIONAL, 400, 0, 0);
	struct plan_cost slow = plan_cost_of(&emmc), fast = plan_cost_of(&nvme), open = plan_cost_of(&half);

	assert_int_equal(plan_cost_gap_pages(&slow, PAGE), 2);
	assert_int_equal(plan_cost_chunk_pages(&slow, PAGE), 8);
	assert_int_equal(plan_cost_gap_pages(&fast, PAGE), 0);
	assert_int_equal(plan_cost_chunk_pages(&fast, PAGE), 59);
	assert_int_equal(open.request_us, 400);
	assert_int_equal(open.bytes_per_ms, cost_of_class(DEVICE_ROTATIONAL).bytes_per_ms);
	assert_int_equal(open.queue, 1);
}

static void gaps_cost_what_the_device_says(void **state)
{
	struct plan_cost free_requests = {.bytes_per_ms = 1000000, .queue = 1};
	struct plan_cost seeks = {.seek_us = 4096, .request_us = 0, .bytes_per_ms = 1000, .queue = 1};
	struct plan_cost queued = {.request_us = 64 * 4096, .bytes_per_ms = 1000, .queue = 64};
	struct plan_cost endless = {.seek_us = UINT32_MAX, .bytes_per_ms = UINT32_MAX, .queue = 1};
	struct plan_cost hdd = cost_of_class(DEVICE_ROTATIONAL), solid = cost_of_class(DEVICE_SOLID);
	struct plan_cost unknown = cost_of_class(DEVICE_UNKNOWN);

	assert_int_equal(plan_cost_gap_pages(&free_requests, PAGE), 0);
	assert_int_equal(plan_cost_gap_pages(&seeks, PAGE), 1);
	assert_int_equal(plan_cost_gap_pages(&queued, PAGE), 1);
	assert_int_equal(plan_cost_gap_pages(&endless, PAGE), UINT32_MAX);
	assert_int_equal(plan_cost_chunk_pages(&queued, PAGE), 64);
	assert_int_equal(plan_cost_chunk_pages(&free_requests, PAGE), 1);
	assert_true(plan_cost_gap_pages(&hdd, PAGE) >= 16 && plan_cost_gap_pages(&hdd, PAGE) <= 64);
	assert_true(plan_cost_gap_pages(&solid, PAGE) <= 4);
	assert_memory_equal(&solid, &unknown, sizeof(solid));
}

static void the_budget_keeps_what_is_touched_first(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, two_files);

	touch(&draft, 0, 0, 4, 50);
	touch(&draft, 0, 100, 4, 10);
	touch(&draft, 1, 0, 4, 60);
	assert_int_equal(draft_cut(&draft, 0), 0);
	assert_int_equal(draft.n_extents, 3);
	assert_int_equal(draft_cut(&draft, 6 * PAGE + PAGE - 1), 0);
	assert_int_equal(draft.n_extents, 2);
	expect(&draft, 0, 0, 100, 4, 0, 10);
	expect(&draft, 1, 0, 0, 2, 0, 50);
	assert_int_equal(draft.n_files, 1);
	assert_int_equal(draft.files[0].pages, 6);
}

static void files_cut_away_renumber_the_rest(void **state)
{
	static const struct test_file files[] = {{"/d", PROFILE_DIRECTORY, 1, 0},
		{"/lib/a", PROFILE_REGULAR, 2, 0}, {"/lib/b", PROFILE_REGULAR, 3, 0}, {0}};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, files);

	touch(&draft, 1, 0, 4, 50);
	touch(&draft, 2, 7, 4, 10);
	assert_int_equal(draft_cut(&draft, 4 * PAGE), 0);
	assert_int_equal(draft.n_files, 2);
	assert_string_equal(draft.files[0].source->path, "/d");
	assert_string_equal(draft.files[1].source->path, "/lib/b");
	assert_int_equal(draft.n_extents, 1);
	expect(&draft, 0, 1, 7, 4, 0, 10);
}

static struct plan_draft draft_with_metadata(struct device device, const struct profile_block_range *ranges)
{
	struct plan_draft draft = {.profile = &profile};
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
	expect(&draft, 0, 0, 2, 2, 0, 7);
	assert_int_equal(draft.extents[0].physical, 1002 * PAGE);
	expect(&draft, 1, 0, 4, 2, 0, 9);
	assert_int_equal(draft.extents[1].physical, 500 * PAGE);
	expect(&draft, 2, 0, 6, 2, 0, 11);
	assert_true(draft.extents[2].physical == DRAFT_NOWHERE);
	expect(&draft, 3, 0, 8, 2, 0, 13);
	assert_int_equal(draft.extents[3].physical, 900 * PAGE);
	expect(&draft, 4, 0, 10, 2, 0, 15);
	assert_true(draft.extents[4].physical == DRAFT_NOWHERE);
}

static void a_file_without_places_stays_whole(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_ROTATIONAL, two_files);

	touch(&draft, 0, 2, 10, 7);
	assert_int_equal(draft_split(&draft, 0, NULL, 0), 0);
	assert_int_equal(draft.n_extents, 1);
	expect(&draft, 0, 0, 2, 10, 0, 7);
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
	add(&draft, (struct draft_extent){1, 6 + 2 * limit, 1, 0, 8, 1, 51 * PAGE}); /* another file */
	draft_merge(&draft, 0);
	assert_int_equal(draft.n_extents, 4);
	expect(&draft, 0, 0, 0, 3 + limit, limit, 5);
	expect(&draft, 1, 0, 4 + 2 * limit, 1, 0, 6);
	expect(&draft, 2, 0, 5 + 2 * limit, 1, 0, 7);
	expect(&draft, 3, 1, 6 + 2 * limit, 1, 0, 8);
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
	expect(&draft, 0, 0, 1, 1, 0, 0);
	expect(&draft, 1, 0, 6, 4, 2, 1);
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
		expect(&draft, i, 1, 4 * i, 1, 0, 10 - i); /* the file has a new number by then */
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
	expect(&draft, 0, 0, 1, 6, 3, 0);
	expect(&draft, 1, 0, 10, 1, 0, 3);
}

static void gaps_are_read_only_within_the_budget(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_ROTATIONAL, two_files);

	touch(&draft, 0, 0, 1, 0);
	touch(&draft, 0, 3, 1, 1);
	touch(&draft, 0, 6, 1, 2);
	draft_merge(&draft, 6 * PAGE);
	assert_int_equal(draft.n_extents, 2);
	expect(&draft, 0, 0, 0, 4, 2, 0);
	expect(&draft, 1, 0, 6, 1, 0, 2);
}

/* What is left out to see whether it is needed would otherwise be read as a gap. */
static void gaps_with_pages_that_are_left_out_are_not_read(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_ROTATIONAL, two_files);
	struct profile_range ranges[] = {{0, 1, 0, 1}, {3, 1, 1, 1}, {4, 1, 2, 1, {.unsure = 1, .out = 1}},
		{6, 1, 3, 1}, {7, 1, 4, 1, {.unsure = 1}}, {8, 1, 5, 1}};

	sources[0].ranges = ranges;
	sources[0].n_ranges = sizeof(ranges) / sizeof(*ranges);
	touch(&draft, 0, 0, 1, 0);
	touch(&draft, 0, 3, 1, 1);
	touch(&draft, 0, 6, 1, 2);
	touch(&draft, 0, 8, 1, 2);
	draft_merge(&draft, 0);
	assert_int_equal(draft.n_extents, 2);
	expect(&draft, 0, 0, 0, 4, 2, 0);
	expect(&draft, 1, 0, 6, 3, 1, 2);
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
	expect(&draft, 0, 0, 0, chunk, 0, 1001 - chunk);
	expect(&draft, 1, 0, chunk, chunk, 0, 1001 - 2 * chunk);
}

/* Ten windows of 128 KiB, far from each other: each a seek, a latency and its bytes. */
static struct plan_draft far_windows(enum device_class class)
{
	struct plan_draft draft = make_draft(class, two_files);

	draft.disk = &draft.devices[0].device;
	for (uint32_t i = 0; i < 10; i++)
		add(&draft,
			(struct draft_extent){0, i * 320, 8, 0, 100 - i * 10, 1, (uint64_t)i * 320 * PAGE});
	/* again in the same window: it is there by then */
	add(&draft, (struct draft_extent){0, 16, 1, 0, 200, 1, 16 * PAGE});
	return draft;
}

static void a_program_waits_no_longer_than_its_own_reads_would_take(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = far_windows(DEVICE_ROTATIONAL);
	struct device *disk = &draft.devices[0].device;

	*disk = measured(DEVICE_ROTATIONAL, 1000, 131072, 1);
	disk->model.seek_us = 8000;
	assert_int_equal(draft_wait(&draft), 0);
	assert_int_equal(draft.wait_ms, 10 * (1 + 8 + 1));
	disk->model.stroke_us = 16000; /* 160 to 288 pages of 2^18: a fortieth */
	assert_int_equal(draft_wait(&draft), 0);
	assert_uint_in_range(draft.wait_ms, 104, 108);
	*disk = (struct device){
		.class = DEVICE_ROTATIONAL, .size = UINT64_C(1) << 40}; /* by its class alone */
	assert_int_equal(draft_wait(&draft), 0);
	assert_uint_in_range(draft.wait_ms, 90, 110);
}

/* What is expected of a plan is told of measured disks only. */
static void a_plan_saves_latencies_and_ways(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = far_windows(DEVICE_ROTATIONAL);
	struct device *disk = &draft.devices[0].device;

	*disk = measured(DEVICE_ROTATIONAL, 1000, 32768, 1);
	disk->model.seek_us = 8000;
	assert_int_equal(draft_wait(&draft), 0);
	assert_int_equal(draft.summary.alone_ms, 10 * (1 + 8 + 4));
	draft_saving(&draft);
	/* Eleven reads, nine ways, and 81 pages; the way to the page behind the first eight is shorter. */
	assert_uint_in_range(draft.summary.planned_ms, 11 + 9 * 8 + 10, 11 + 10 * 8 + 10);

	draft.device = DEVICE_SOLID;
	*disk = measured(DEVICE_SOLID, 1000, 4096, 16);
	assert_int_equal(draft_wait(&draft), 0);
	assert_int_equal(draft.summary.alone_ms, 10 * (1 + 32));
	draft_saving(&draft);
	assert_int_equal(draft.summary.planned_ms, 81); /* the bytes; eleven latencies at once are hidden */
	disk->model.bytes_per_ms = 4096000;
	draft_saving(&draft);
	assert_int_equal(draft.summary.planned_ms, 0); /* 0.7 */
}

static void nothing_is_expected_of_a_disk_that_was_not_measured(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = far_windows(DEVICE_ROTATIONAL);

	assert_int_equal(draft_wait(&draft), 0);
	draft_saving(&draft);
	assert_true(draft.wait_ms > 0);
	assert_int_equal(draft.summary.alone_ms, 0);
	assert_int_equal(draft.summary.planned_ms, 0);
}

static void a_guess_makes_no_program_wait(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = far_windows(DEVICE_ROTATIONAL);
	struct device *disk = &draft.devices[0].device;

	*disk = (struct device){.class = DEVICE_ROTATIONAL, .virtual_disk = true};
	assert_int_equal(draft_wait(&draft), 0);
	assert_int_equal(draft.wait_ms, 0);
	disk->by_rule = true; /* somebody knows */
	assert_int_equal(draft_wait(&draft), 0);
	assert_true(draft.wait_ms > 0);
}

static void nobody_waits_for_a_disk_without_seeks(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = far_windows(DEVICE_SOLID);

	assert_int_equal(draft_wait(&draft), 0);
	assert_int_equal(draft.wait_ms, 0);
}

static void a_wait_has_bounds(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = far_windows(DEVICE_ROTATIONAL);

	draft.devices[0].device = measured(DEVICE_ROTATIONAL, UINT32_MAX, 1, 1);
	assert_int_equal(draft_wait(&draft), 0);
	assert_int_equal(draft.wait_ms, 30000);
	draft.devices[0].device = measured(DEVICE_ROTATIONAL, 0, UINT32_MAX, 1);
	assert_int_equal(draft_wait(&draft), 0);
	assert_int_equal(draft.wait_ms, 1);
}

static void rotational_plans_go_by_inode_and_place(void **state)
{
	static const struct test_file files[] = {{"/lib/a", PROFILE_REGULAR, 20, 0},
		{"/lib", PROFILE_DIRECTORY, 5, 0}, {"/lib/b", PROFILE_REGULAR, 10, 0}, {0}};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_ROTATIONAL, files);

	add(&draft, (struct draft_extent){0, 0, 1, 0, 1, 1, 700});
	add(&draft, (struct draft_extent){0, 8, 1, 0, 2, 1, DRAFT_NOWHERE});
	add(&draft, (struct draft_extent){0, 4, 1, 0, 3, 1, DRAFT_NOWHERE});
	add(&draft, (struct draft_extent){2, 0, 1, 0, 4, 1, 600});
	add(&draft, (struct draft_extent){2, 4, 1, 0, 5, 1, 800});
	draft.probes[draft.n_probes++] = (struct draft_probe){0, 8};
	assert_int_equal(draft_sort(&draft), 0);
	assert_string_equal(draft.files[0].source->path, "/lib");
	assert_string_equal(draft.files[1].source->path, "/lib/b");
	assert_string_equal(draft.files[2].source->path, "/lib/a");
	assert_int_equal(draft.probes[0].file, 2);
	expect(&draft, 0, 1, 0, 1, 0, 4);
	expect(&draft, 1, 2, 0, 1, 0, 1);
	expect(&draft, 2, 1, 4, 1, 0, 5);
	expect(&draft, 3, 2, 4, 1, 0, 3);
	expect(&draft, 4, 2, 8, 1, 0, 2);
}

static void other_plans_go_by_touch_with_folders_first(void **state)
{
	static const struct test_file files[] = {{"/usr/lib/a/x", PROFILE_REGULAR, 20, 0},
		{"/usr/lib/b", PROFILE_REGULAR, 10, 0}, {"/usr/lib/a", PROFILE_DIRECTORY, 5, 0},
		{"/usr/li", PROFILE_DIRECTORY, 6, 0}, {"/usr/lib", PROFILE_SYMLINK, 7, 0},
		{"/", PROFILE_DIRECTORY, 2, 0}, {0}};
	static const char *const order[] = {
		"/", "/usr/lib", "/usr/lib/a", "/usr/lib/a/x", "/usr/lib/b", "/usr/li"};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, files);

	touch(&draft, 0, 0, 1, 2);
	touch(&draft, 0, 5, 1, 0);
	touch(&draft, 1, 9, 1, 1);
	assert_int_equal(draft_sort(&draft), 0);
	for (size_t i = 0; i < draft.n_files; i++)
		assert_string_equal(draft.files[i].source->path, order[i]);
	expect(&draft, 0, 3, 5, 1, 0, 0);
	expect(&draft, 1, 4, 9, 1, 0, 1);
	expect(&draft, 2, 3, 0, 1, 0, 2);
}

static void each_device_keeps_its_own_order(void **state)
{
	static const struct test_file files[] = {{"/hdd/a", PROFILE_REGULAR, 9, 0},
		{"/ssd/b", PROFILE_REGULAR, 50, 1}, {"/hdd/c", PROFILE_REGULAR, 3, 0}, {0}};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_ROTATIONAL, files);

	add_device(&draft, DEVICE_SOLID);
	add(&draft, (struct draft_extent){0, 0, 1, 0, 1, 1, 700});
	touch(&draft, 1, 4, 1, 3);
	touch(&draft, 1, 9, 1, 2);
	add(&draft, (struct draft_extent){2, 0, 1, 0, 4, 1, 600});
	assert_int_equal(draft_sort(&draft), 0);
	assert_string_equal(draft.files[0].source->path, "/ssd/b");
	assert_string_equal(draft.files[1].source->path, "/hdd/c");
	assert_string_equal(draft.files[2].source->path, "/hdd/a");
	expect(&draft, 0, 0, 9, 1, 0, 2);
	expect(&draft, 1, 0, 4, 1, 0, 3);
	expect(&draft, 2, 1, 0, 1, 0, 4);
	expect(&draft, 3, 2, 0, 1, 0, 1);
}

static void probes_are_late_pages_of_big_files(void **state)
{
	static const struct test_file files[] = {{"/lib/libc.so.6", PROFILE_REGULAR, 1, 0},
		{"/lib/big.so", PROFILE_REGULAR, 2, 0}, {"/lib/small.so", PROFILE_REGULAR, 3, 0},
		{"/lib", PROFILE_DIRECTORY, 4, 0}, {"/root/secret", PROFILE_REGULAR, 5, 0}, {0}};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, files);

	draft.files[4].public = false;
	touch(&draft, 0, 0, 500, 0);
	add(&draft, (struct draft_extent){1, 0, 50, 0, 600, 3, DRAFT_NOWHERE});
	add(&draft, (struct draft_extent){1, 70, 10, 0, 700, 3, DRAFT_NOWHERE});
	add(&draft, (struct draft_extent){1, 90, 10, 0, 800, 2, DRAFT_NOWHERE}); /* not touched in all runs */
	touch(&draft, 2, 5, 2, 900);
	touch(&draft, 4, 0, 300, 1000);
	assert_int_equal(draft_probe(&draft), 0);
	assert_int_equal(draft.n_probes, 2);
	assert_int_equal(draft.probes[0].file, 1);
	assert_int_equal(draft.probes[0].page, 79);
	assert_int_equal(draft.probes[1].file, 2);
	assert_int_equal(draft.probes[1].page, 6);
}

/* A database, on which the program may have locks, is probed only if there is nothing else. */
static void probes_are_of_files_that_nobody_locks(void **state)
{
	static const struct test_file files[] = {{"/home/u/places.sqlite", PROFILE_REGULAR, 1, 0},
		{"/opt/app/lib.so", PROFILE_REGULAR, 2, 0}, {"/usr/share/data", PROFILE_REGULAR, 3, 0}, {0}};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, files);
	_cleanup_(draft_releasep) struct plan_draft alone = make_draft(DEVICE_SOLID, files);

	draft.files[1].elf = true;
	touch(&draft, 0, 0, 5000, 0);
	touch(&draft, 1, 0, 50, 5000);
	touch(&draft, 2, 0, 60, 5050);
	assert_int_equal(draft_probe(&draft), 0);
	assert_int_equal(draft.n_probes, 2);
	assert_int_equal(draft.probes[0].file, 2);
	assert_int_equal(draft.probes[1].file, 1);
	touch(&alone, 0, 0, 5000, 0);
	assert_int_equal(draft_probe(&alone), 0);
	assert_int_equal(alone.n_probes, 1);
	assert_int_equal(alone.probes[0].file, 0);

	/* An image of which programs only read. */
	draft.n_probes = 0;
	draft.files[0].image = true;
	assert_int_equal(draft_probe(&draft), 0);
	assert_int_equal(draft.n_probes, 3);
	assert_int_equal(draft.probes[0].file, 0);
}

static void a_probe_of_the_c_library_is_better_than_none(void **state)
{
	static const struct test_file files[] = {{"/lib/libc.so.6", PROFILE_REGULAR, 1, 0}, {0}};
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, files);

	touch(&draft, 0, 0, 5, 0);
	assert_int_equal(draft_probe(&draft), 0);
	assert_int_equal(draft.n_probes, 1);
	assert_int_equal(draft.probes[0].page, 4);
}

static void probes_stop_where_the_head_is_full(void **state)
{
	static char paths[8][2000];
	struct test_file files[9] = {0};

	for (size_t i = 0; i < 8; i++) {
		memset(paths[i], 'x', sizeof(paths[i]) - 1);
		paths[i][0] = '/';
		paths[i][1] = (char)('a' + i);
		files[i] = (struct test_file){paths[i], PROFILE_REGULAR, i, 0};
	}
	{
		_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_SOLID, files);

		for (uint32_t i = 0; i < 8; i++)
			touch(&draft, i, 0, 8 - i, i);
		assert_int_equal(draft_probe(&draft), 0);
		assert_int_equal(draft.n_probes, 1);
		assert_int_equal(draft.probes[0].file, 0);
	}
}

static bool is_others(bool shared, enum profile_kind kind, const char *path)
{
	const struct plan_draft draft = {.shared = shared};
	const struct profile_file file = {.kind = kind};

	return draft_is_others(&draft, &file, path);
}

/* A plan for everybody names only root's files. The owner of these cannot be determined. */
static void what_cannot_be_determined_is_not_roots(void **state)
{
	char overlong[PATH_MAX + 1] = "/";
	struct rlimit files, none;

	memset(overlong + 1, 'x', sizeof(overlong) - 2);
	for (unsigned shared = 0; shared < 2; shared++) {
		assert_false(is_others(shared, PROFILE_DIRECTORY, "/usr"));
		assert_false(is_others(shared, PROFILE_REGULAR, "/nonexistent/file")); /* nobody's */
		assert_int_equal(
			is_others(shared, PROFILE_REGULAR, "/etc/passwd/below"), shared); /* ENOTDIR */
		assert_int_equal(is_others(shared, PROFILE_REGULAR, "relative"), shared);
		assert_int_equal(is_others(shared, PROFILE_REGULAR, overlong), shared);
		assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
		none = (struct rlimit){.rlim_cur = 0, .rlim_max = files.rlim_max};
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
		assert_int_equal(is_others(shared, PROFILE_DIRECTORY, "/usr"), shared); /* EMFILE */
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
	}
}

/* One page of each block comes first, in the order of need; the extents follow, whole. */
static void blocks_of_a_lazy_device_are_touched_first(void **state)
{
	const uint64_t block = 512 << 10;
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_LAZY, two_files);

	add(&draft, (struct draft_extent){0, 0, 8, 0, 20, 1, 10 * block});
	/* two pages of the third block, needed earlier than the one before */
	add(&draft, (struct draft_extent){0, 50, 2, 0, 5, 1, 12 * block + 8 * PAGE});
	/* across two ends of blocks */
	add(&draft, (struct draft_extent){1, 0, 130, 0, 1, 1, 21 * block - PAGE});
	/* in a block that is there already by then, and without a place */
	add(&draft, (struct draft_extent){0, 20, 1, 0, 30, 1, 10 * block + 20 * PAGE});
	touch(&draft, 1, 200, 1, 40);
	assert_int_equal(draft_touch_blocks(&draft), 0);
	assert_int_equal(draft_sort(&draft), 0);
	assert_int_equal(draft.n_extents, 10);
	expect(&draft, 0, 1, 0, 1, 0, 1);
	expect(&draft, 1, 1, 1, 1, 0, 1);
	expect(&draft, 2, 1, 129, 1, 0, 1);
	expect(&draft, 3, 0, 50, 1, 0, 5);
	expect(&draft, 4, 0, 0, 1, 0, 20);
	expect(&draft, 5, 1, 0, 130, 0, 1);
	expect(&draft, 6, 0, 50, 2, 0, 5);
	expect(&draft, 7, 0, 0, 8, 0, 20);
	expect(&draft, 8, 0, 20, 1, 0, 30);
	expect(&draft, 9, 1, 200, 1, 0, 40);
}

/* The earlier of two extents in a block touches it, in whichever order they come. */
static void a_block_is_touched_by_who_needs_it_first(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_LAZY, two_files);

	add(&draft, (struct draft_extent){0, 0, 1, 0, 9, 1, 0});
	add(&draft, (struct draft_extent){1, 7, 1, 0, 2, 1, 4 * PAGE});
	assert_int_equal(draft_touch_blocks(&draft), 0);
	assert_int_equal(draft_sort(&draft), 0);
	assert_int_equal(draft.n_extents, 3);
	expect(&draft, 0, 1, 7, 1, 0, 2);
	assert_true(draft.extents[0].touch);
	expect(&draft, 1, 1, 7, 1, 0, 2);
	assert_false(draft.extents[1].touch);
}

static void other_devices_have_no_blocks_to_touch(void **state)
{
	static const enum device_class classes[] = {DEVICE_SOLID, DEVICE_ROTATIONAL, DEVICE_UNKNOWN};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		_cleanup_(draft_releasep) struct plan_draft draft = make_draft(classes[i], two_files);

		add(&draft, (struct draft_extent){0, 0, 1, 0, 9, 1, 0});
		assert_int_equal(draft_touch_blocks(&draft), 0);
		assert_int_equal(draft.n_extents, 1);
	}
}

/* What lies apart on a lazy device is not joined over the gap: it may be in other blocks. */
static void extents_of_a_lazy_device_are_runs_on_the_disk(void **state)
{
	_cleanup_(draft_releasep) struct plan_draft draft = make_draft(DEVICE_LAZY, two_files);

	add(&draft, (struct draft_extent){0, 0, 1, 0, 0, 1, 0, .run_end = 2});
	add(&draft, (struct draft_extent){0, 1, 1, 0, 1, 1, PAGE, .run_end = 2});
	add(&draft, (struct draft_extent){0, 2, 1, 0, 2, 1, 1 << 30, .run_end = 3});
	draft_merge(&draft, 0);
	assert_int_equal(draft.n_extents, 2);
	expect(&draft, 0, 0, 0, 2, 0, 0);
	expect(&draft, 1, 0, 2, 1, 0, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_cost_what_the_device_says),
		cmocka_unit_test(a_measured_device_costs_what_was_measured),
		cmocka_unit_test(a_program_waits_no_longer_than_its_own_reads_would_take),
		cmocka_unit_test(a_plan_saves_latencies_and_ways),
		cmocka_unit_test(nothing_is_expected_of_a_disk_that_was_not_measured),
		cmocka_unit_test(a_guess_makes_no_program_wait),
		cmocka_unit_test(nobody_waits_for_a_disk_without_seeks),
		cmocka_unit_test(a_wait_has_bounds),
		cmocka_unit_test(the_budget_keeps_what_is_touched_first),
		cmocka_unit_test(files_cut_away_renumber_the_rest),
		cmocka_unit_test(gaps_in_metadata_are_read_where_a_way_of_the_head_takes_longer),
		cmocka_unit_test(gaps_in_metadata_follow_the_measured_disk),
		cmocka_unit_test(extents_are_cut_where_their_place_ends),
		cmocka_unit_test(a_file_without_places_stays_whole),
		cmocka_unit_test(rotational_gaps_are_read_if_they_are_gaps_on_disk),
		cmocka_unit_test(gaps_that_lie_elsewhere_on_the_disk_are_not_read),
		cmocka_unit_test(between_pages_that_were_placed_nothing_is_read),
		cmocka_unit_test(pieces_that_continue_each_other_are_one_run),
		cmocka_unit_test(gaps_are_read_only_within_the_budget),
		cmocka_unit_test(gaps_with_pages_that_are_left_out_are_not_read),
		cmocka_unit_test(neighbours_join_up_to_a_chunk_in_touch_order),
		cmocka_unit_test(rotational_plans_go_by_inode_and_place),
		cmocka_unit_test(other_plans_go_by_touch_with_folders_first),
		cmocka_unit_test(each_device_keeps_its_own_order),
		cmocka_unit_test(blocks_of_a_lazy_device_are_touched_first),
		cmocka_unit_test(a_block_is_touched_by_who_needs_it_first),
		cmocka_unit_test(other_devices_have_no_blocks_to_touch),
		cmocka_unit_test(extents_of_a_lazy_device_are_runs_on_the_disk),
		cmocka_unit_test(probes_are_late_pages_of_big_files),
		cmocka_unit_test(probes_are_of_files_that_nobody_locks),
		cmocka_unit_test(a_probe_of_the_c_library_is_better_than_none),
		cmocka_unit_test(probes_stop_where_the_head_is_full),
		cmocka_unit_test(what_cannot_be_determined_is_not_roots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
