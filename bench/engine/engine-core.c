/* SPDX-License-Identifier: MIT */
/*
 * One measurement of bench/micro-engine: opens or reads the files of a workload in one way, and prints how long it
 * took. The caller makes the files cold; "resident" in the output is what was in memory before.
 *
 *     engine-core prepare - ORDER 0 0 LIST                     prints a workload
 *     engine-core open WAY ORDER CHUNK DEPTH WORKLOAD          microseconds to open all files
 *     engine-core data WAY ORDER CHUNK DEPTH WORKLOAD          and to read all ranges of open files
 *     engine-core run FIRST ORDER CHUNK DEPTH WORKLOAD         both, by the prefetcher's own engine
 *
 * ORDER is touch or physical, CHUNK is bytes, DEPTH opens or reads at once (run: OPENS/READS), FIRST is
 * opens-first or together.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "prefetch/plan-job.h"
#include "prefetch/residency.h"
#include "ways.h"
#include "workload.h"

uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static int fail(const char *subject, const char *why)
{
	fprintf(stderr, "engine-core: '%s': %s\n", subject, why);
	return EXIT_FAILURE;
}

static void print(const struct way_result *result, uint64_t resident)
{
	printf("{\"submit_us\": %" PRIu64 ", \"done_us\": %" PRIu64 ", \"resident\": %" PRIu64 "}\n",
		result->submit_us, result->done_us, resident);
}

static const struct way *find_way(const struct way *ways, const char *name)
{
	while (ways->name && !streq(ways->name, name))
		ways++;
	return ways->name ? ways : NULL;
}

static void open_all(const struct plan_view *plan, int *fds)
{
	for (uint32_t i = 0; i < plan->file_count; i++) {
		fds[i] = open(plan_file_path(plan, i), O_RDONLY | O_CLOEXEC);
		posix_fadvise(fds[i], 0, 0, POSIX_FADV_RANDOM);
	}
}

static int measure_way(
	const char *what, const char *name, const struct plan_view *plan, const struct way_options *options)
{
	bool opens = streq(what, "open");
	const struct way *way = find_way(opens ? open_ways : data_ways, name);
	_cleanup_free_ int *fds = calloc(plan->file_count + 1, sizeof(*fds));
	struct way_result result = {0};
	uint64_t from, resident = 0;
	int r;

	if (!way || !fds)
		return fail(name, way ? strerror(ENOMEM) : "no such way");
	if (!opens) {
		open_all(plan, fds);
		residency_of_plan(plan, &resident);
	}
	from = now_us();
	r = way->run(plan, fds, options, &result);
	if (r < 0)
		return fail(name, strerror(-r));
	result.done_us = now_us() - from;
	print(&result, resident);
	return EXIT_SUCCESS;
}

static int measure_run(const char *first, const struct plan_view *plan, const char *depth, uint32_t chunk)
{
	struct prefetch_options options = {
		.engine = PREFETCH_URING, .wait = true, .memory_budget = UINT64_MAX};
	struct prefetch_tuning tuning = {.chunk = chunk, .opens_first = streq(first, "opens-first")};
	struct prefetch_result result;
	struct way_result times;
	int r;

	if (sscanf(depth, "%" SCNu32 "/%" SCNu32, &tuning.open_depth, &tuning.read_depth) != 2)
		return fail(depth, "not OPENS/READS");
	r = prefetch_run_tuned(plan, &options, &tuning, &result);
	if (r < 0 || result.engine != PREFETCH_URING || result.opened != plan->file_count)
		return fail("run", r < 0 ? strerror(-r) : "io_uring or a file is missing");
	times = (struct way_result){.submit_us = result.opened_us, .done_us = result.elapsed_us};
	print(&times, 0);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	_cleanup_(workload_release) struct workload workload = {0};
	struct way_options options;
	enum plan_order order;
	bool prepare;
	int r;

	if (argc != 7)
		return fail("usage", "prepare|open|data|run WAY touch|physical CHUNK DEPTH WORKLOAD");
	options.chunk = (uint32_t)strtoul(argv[4], NULL, 10);
	options.depth = (uint32_t)strtoul(argv[5], NULL, 10);
	order = streq(argv[3], "physical") ? PLAN_ORDER_PHYSICAL : PLAN_ORDER_TOUCH;
	prepare = streq(argv[1], "prepare");
	r = prepare ? workload_make(argv[6], order, &workload) : workload_read(argv[6], order, &workload);
	if (r < 0)
		return fail(argv[6], strerror(-r));
	if (prepare) {
		workload_print(&workload);
		return EXIT_SUCCESS;
	}
	if (streq(argv[1], "run"))
		return measure_run(argv[2], &workload.view, argv[5], options.chunk);
	return measure_way(argv[1], argv[2], &workload.view, &options);
}
