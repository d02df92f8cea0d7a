/* SPDX-License-Identifier: MIT */
#include "headstartd/ahead/warm.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/process.h"
#include "headstartd/carry/prefetcher.h"
#include "headstartd/helpers/child.h"
#include "lib/settings/settings.h"
#include "plan/store/load.h"
#include "plan/store/store.h"
#include "prefetch/limits/activity.h"
#include "prefetch/limits/budget.h"
#include "prefetch/limits/cgroup.h"

#define SESSION_S   900
#define PROGRAM_MS  20000 /* one plan takes so long at most */
#define LOOK_MS     1000  /* how long the disks are looked at before the next plan */
#define BUSY_MS     50    /* of that: somebody else needs them */
#define FREE_SHARE  4     /* at most a quarter of the free memory */
#define NUMBER_SIZE 24

static uint64_t plan_bytes(const struct plan_view *plan)
{
	uint64_t pages = 0;

	for (uint32_t i = 0; i < plan->extent_count; i++)
		pages += LE32(plan->extents[i].pages);
	for (uint32_t i = 0; i < plan->metadata_count; i++)
		pages += LE32(plan->metadata[i].pages);
	return pages * LE32(plan->header->page_size);
}

/* Memory that holds nothing: what is cached already is somebody's, too. */
static uint64_t find_budget(void)
{
	uint64_t free_kb, budget = memory_budget("");

	if (!kernel_number("", "", "/proc/meminfo", "MemFree:", &free_kb))
		return 0;
	free_kb = free_kb * 1024 / FREE_SHARE;
	return free_kb < budget ? free_kb : budget;
}

static bool disks_are_free(void)
{
	const struct timespec look = {.tv_sec = LOOK_MS / 1000, .tv_nsec = LOOK_MS % 1000 * 1000000};
	uint64_t before = disks_busy_ms("");

	nanosleep(&look, NULL);
	return disks_busy_ms("") - before <= BUSY_MS;
}

static bool carry_out(const char *prefetcher, const char *path, uint64_t bytes)
{
	_cleanup_(process_result_releasep) struct process_result result = {0};
	char budget[NUMBER_SIZE], time[NUMBER_SIZE];
	const char *argv[] = {
		prefetcher, "--idle", "--wait", "--memory-budget", budget, "--time-budget", time, path, NULL};
	const struct process_options options = {
		.argv = argv, .timeout_ms = 2 * PROGRAM_MS, .output_max = 4096};

	snprintf(budget, sizeof(budget), "%" PRIu64, bytes);
	snprintf(time, sizeof(time), "%d", PROGRAM_MS);
	return process_run(&options, &result) == 0 && result.status == 0;
}

/* Returns false if the disks have something else to do. */
static bool warm(const struct carry *carry, const struct habit *habit, uint64_t *budget, int tell)
{
	struct warmed warmed = {.hash = habit->hash};
	_cleanup_(loaded_plan_releasep) struct loaded_plan plan = {0};
	_cleanup_free_ char *path = NULL;

	if (store_find(STORE_PLAN, habit->path, &path) < 0 || plan_load_path(path, &plan, NULL) < 0)
		return true;
	warmed.bytes = plan_bytes(&plan.view);
	if (warmed.bytes == 0 || warmed.bytes > *budget)
		return true;
	*budget -= warmed.bytes; /* also of what is in memory already: another session may have warmed it */
	if (!prefetcher_is_needed(&plan.view))
		return true;
	if (!disks_are_free())
		return false;
	if (carry_out(carry->prefetcher, path, warmed.bytes))
		(void)!write(tell, &warmed, sizeof(warmed));
	return true;
}

_Noreturn void warm_programs(const struct carry *carry, const struct habits *habits, int64_t local, int tell)
{
	const struct habit *likely[WARM_MAX];
	const struct config_program *why;
	struct config config = {0}; /* goes with the process */
	uint64_t budget;
	size_t n;

	child_begin(carry->daemon, SIGKILL, SESSION_S);
	child_keep_only(tell);
	child_become_idle(SESSION_S);
	settings_read(&config, false, true);
	budget = config.never_warm ? 0 : find_budget();
	n = habits_choose(habits, local, likely, WARM_MAX);
	for (size_t i = 0; i < n && budget > 0; i++)
		if (config_allows(&config, likely[i]->path, &why) && !warm(carry, likely[i], &budget, tell))
			_exit(1);
	_exit(0);
}
