/* SPDX-License-Identifier: MIT */
/* Runs the launcher's detached processes. */
#include "launcher/launch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/run/process.h"
#include "prefetch/limits/process-room.h"
#include "prefetch/log.h"
#include "prefetch/prefetch.h"
#include "prefetch/stale-mark.h"
#include "prefetcher/detach.h"
#include "prefetcher/heal.h"
#include "prefetcher/plan-lock.h"
#include "prefetcher/time-limit.h"
#include "verb.h"

/* How long the program's start is delayed at most if that was asked for, and how long a prefetcher works at most. */
#define WAIT_LIMIT_MS 30000

/* How long the program waits for its prefetcher to take the plan. That takes a fraction of a millisecond on an idle machine. */
#define CLAIM_LIMIT_MS 20

/*
 * Likewise where the prefetcher stays our child. Later it may never come: it closes copies of what the program inherits first, and whoever serves
 * such a file may not answer. The program then has a child that it does not know, without an exit signal.
 */
#define CLAIM_LIMIT_STAYS_MS 2000

#define END_LIMIT_MS 1000 /* for a prefetcher that has done its work */

/*
 * A disk with a head carries out the plan fastest if nothing else moves it, so the program waits: as long as the plan
 * says. On other devices the program's own work overlaps the reads (docs/decisions/when-the-program-waits.md).
 */
static int wait_max_ms(const struct launch *launch)
{
	uint32_t planned = LE32(launch->plan.view.header->wait_ms);

	if (detach_stays() || launch->wait == LAUNCH_WAIT_DONE)
		return WAIT_LIMIT_MS; /* if it stays, we reap the prefetcher before we start the program */
	if (launch->wait != LAUNCH_WAIT_AUTO)
		return 0;
	return planned < WAIT_LIMIT_MS ? (int)planned : WAIT_LIMIT_MS;
}

#define WORTH_SAYING_MB 0.05

/* What of the plan came in time, and what late. */
static void say_result(const struct launch *launch, const struct prefetch_result *result)
{
	const char *program = plan_program(&launch->plan.view);
	double asked = (double)result->bytes_asked / 1e6, read = (double)result->bytes_read / 1e6;
	double seconds = (double)result->elapsed_us / 1e6;
	bool waits = wait_max_ms(launch) > 0;
	char rest[96] = "";

	/* Our own look at the probes brings in a page or two. */
	if (result->read_known && asked - read >= WORTH_SAYING_MB)
		snprintf(rest, sizeof(rest), "; %.1f MB more %s", asked - read,
			waits ? "were in memory already" : "came too late, or were in memory already");
	if (!result->read_known)
		verb_note("asked for %.1f MB in %.2f s for '%s'", asked, seconds, program);
	else if (waits)
		verb_note("read %.1f MB in %.2f s before '%s' began%s", read, seconds, program, rest);
	else
		verb_note("read %.1f MB in %.2f s while '%s' started%s", read, seconds, program, rest);
	if (result->bytes_swept)
		verb_note("before that, asked for %.1f MB of metadata", (double)result->bytes_swept / 1e6);
	if (result->bytes_skipped_budget)
		verb_note("left out %.1f MB: the limit on memory or time was reached",
			(double)result->bytes_skipped_budget / 1e6);
}

/* Holds the plan to the end of this process, and tells the launcher so. Returns its descriptor, or -1. */
static int claim(const struct launch *launch)
{
	int fd = open_regular(launch->plan_path, 0);

	if (fd >= 0)
		plan_claim(fd);
	(void)!write(DETACHED_PIPE, "", 1);
	return fd;
}

static void carry_out(const void *context)
{
	const struct launch *launch = context;
	struct prefetch_options options = {
		.wait = true,
		.alongside = wait_max_ms(launch) == 0,
		.time_budget_ms =
			launch->time_ms && launch->time_ms < WAIT_LIMIT_MS ? launch->time_ms : WAIT_LIMIT_MS,
		.memory_limit = launch->memory_limit,
	};
	struct prefetch_result result;
	struct stat plan_file;
	int plan_fd;

	time_limit_set(WAIT_LIMIT_MS);
	plan_fd = claim(launch);
	if (plan_fd >= 0 && fstat(plan_fd, &plan_file) == 0)
		options.plan_owner = plan_file.st_uid;
	if (prefetch_run(&launch->plan.view, &options, &result) < 0)
		return;
	if (launch->verbose)
		say_result(launch, &result);
	close(DETACHED_PIPE);
	prefetch_log(&launch->plan.view, &options, &result);
	if (result.outdated && plan_mark_stale(launch->plan_path) && launch->refresh)
		launch_planner(plan_program(&launch->plan.view), launch->plan_path);
}

/*
 * Returns when the prefetcher holds the plan: a shim in the program, or headstartd, which sees that the program is executed, would otherwise start a
 * second one. False if it does not within the limit.
 */
static bool await_claim(int pipe_end, int limit_ms)
{
	struct pollfd claimed = {.fd = pipe_end, .events = POLLIN};

	return poll(&claimed, 1, limit_ms) > 0;
}

/* Returns when the prefetcher has closed its end of the pipe or died, or after `limit_ms`. */
static void await_prefetcher(int pipe_end, int limit_ms)
{
	struct pollfd ended = {.fd = pipe_end};

	poll(&ended, 1, limit_ms);
}

int launch_prefetcher(const struct launch *launch)
{
	_cleanup_close_ int pipe_end = -1;
	pid_t child;
	int r;

	if (process_room("") < PROCESS_ROOM_MIN)
		return -EAGAIN;
	r = detach(carry_out, launch, launch->verbose, &pipe_end, &child);
	if (r < 0)
		return r;
	if (!await_claim(pipe_end, child > 0 ? CLAIM_LIMIT_STAYS_MS : CLAIM_LIMIT_MS) && child > 0)
		return 0; /* one that does not stay may only be late, and is waited for as any other */
	if (wait_max_ms(launch) > 0)
		await_prefetcher(pipe_end, wait_max_ms(launch));
	if (child > 0)
		(void)process_wait(child, END_LIMIT_MS);
	return 0;
}

int launch_planner(const char *program, const char *stale_plan)
{
	const struct heal heal = {.program = program, .plan_path = stale_plan};

	return detach_stays() ? -ECHILD : heal_plan(&heal);
}
