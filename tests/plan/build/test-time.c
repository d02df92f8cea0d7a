/* SPDX-License-Identifier: MIT */
/* Unit tests of costs, waits and savings of plans, with drafts made by hand. */
#include "drafts.h"

#include "base/cleanup.h"

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

/* Ten windows of 128 KiB, far from each other: each a seek, a latency and its bytes. */
static struct plan_draft far_windows(enum device_class class)
{
	struct plan_draft draft = make_draft(class, two_files);

	draft.disk = &draft.devices[0].device;
	for (uint32_t i = 0; i < 10; i++)
		add_extent(&draft,
			(struct draft_extent){0, i * 320, 8, 0, 100 - i * 10, 1, (uint64_t)i * 320 * PAGE});
	/* again in the same window: it is there by then */
	add_extent(&draft, (struct draft_extent){0, 16, 1, 0, 200, 1, 16 * PAGE});
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
