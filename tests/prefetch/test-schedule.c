/* SPDX-License-Identifier: MIT */
/* Unit tests of the order in which a plan's files are opened and its extents read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "prefetch/plan-job.h"
#include "prefetch/schedule.h"

#define LATE SCHEDULE_LEAD_TOUCHES

/* Three regular files and a folder; extents of the first and the last moments, in physical order. */
static struct plan_file files[] = {
	{.kind = LE32(PLAN_REGULAR), .size = LE64(1 << 20)},
	{.kind = LE32(PLAN_DIRECTORY)},
	{.kind = LE32(PLAN_REGULAR), .size = LE64(1 << 20)},
	{.kind = LE32(PLAN_REGULAR), .size = LE64(1 << 20)},
};
static struct plan_extent extents[] = {
	{.file = LE32(3), .page = LE32(0), .pages = LE32(1), .order = LE32(LATE)},
	{.file = LE32(2), .page = LE32(9), .pages = LE32(1), .order = LE32(LATE - 1)},
	{.file = LE32(0), .page = LE32(4), .pages = LE32(2), .order = LE32(LATE + 7)},
	{.file = LE32(2), .page = LE32(1), .pages = LE32(3), .order = LE32(LATE + 100)},
	{.file = LE32(0), .page = LE32(0), .pages = LE32(1), .order = LE32(0)},
};
static const struct plan_header header = {.page_size = LE32(4096), .window_pages = LE32(32)};
static const struct plan_view plan = {
	.header = &header, .files = files, .extents = extents, .file_count = 4, .extent_count = 5};

static void the_plans_own_order_is_kept(void **state)
{
	struct schedule schedule;

	assert_int_equal(schedule_init(&schedule, &plan, false), 0);
	assert_int_equal(schedule.lead_files, 0);
	assert_int_equal(schedule.lead_extents, 0);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(schedule.files[i], i);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(schedule.extents[i], i);
	schedule_release(&schedule);
}

static void the_lead_comes_first_in_its_own_order(void **state)
{
	static const uint32_t expected_files[] = {0, 2, 1, 3}, expected_extents[] = {1, 4, 0, 2, 3};
	struct schedule schedule;

	assert_int_equal(schedule_init(&schedule, &plan, true), 0);
	assert_int_equal(schedule.lead_files, 2);
	assert_int_equal(schedule.lead_extents, 2);
	assert_memory_equal(schedule.files, expected_files, sizeof(expected_files));
	assert_memory_equal(schedule.extents, expected_extents, sizeof(expected_extents));
	schedule_release(&schedule);
}

static void the_lead_waits_for_its_own_files_only(void **state)
{
	const struct prefetch_options options = {.alongside = true};
	const struct prefetch_tuning tuning = {
		.open_depth = 1, .read_depth = 1, .chunk = 4096, .opens_first = true};
	struct plan_job_cursor cursor = {0};
	struct plan_job job;

	assert_int_equal(plan_job_init(&job, &plan, &options, &tuning), 0);
	job.tried = 1;
	assert_false(plan_job_may_read(&job, &cursor));
	job.tried = 2;
	assert_true(plan_job_may_read(&job, &cursor));
	cursor.extent = 2;
	assert_false(plan_job_may_read(&job, &cursor));
	job.tried = 4;
	assert_true(plan_job_may_read(&job, &cursor));
	plan_job_release(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_plans_own_order_is_kept),
		cmocka_unit_test(the_lead_comes_first_in_its_own_order),
		cmocka_unit_test(the_lead_waits_for_its_own_files_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
