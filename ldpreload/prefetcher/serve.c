/* SPDX-License-Identifier: MIT */
#include "prefetcher/serve.h"

#include "core/clock.h"
#include "core/shim.h"
#include "prefetcher/carrier.h"
#include "prefetcher/spawn.h"
#include "prefetcher/wait.h"

#define WAIT_MAX_MS 10000      /* a prefetcher that takes longer is stuck, or of little use */
#define AGE_MAX_MS  (1u << 31) /* of one that cannot be ended, as while a disk does not answer */
#define LIFE_MAX_MS 32000      /* a prefetcher ends before that (tools/prefetcher/time-limit.h) */

static bool plan_is_carried_out(int plan_fd)
{
	int64_t since_ms;
	int process;

	if (carrier_of_daemon(plan_fd, &process))
		return true;
	process = carrier_of(plan_fd, LIFE_MAX_MS, &since_ms);
	return process != 0 && carrier_is_ours(process) && carrier_is_prefetcher(process);
}

/*
 * How long programs sleep at most until this plan is carried out: as long as the plan says, unless HEADSTART_WAIT is 0.
 * On a disk with a head they would otherwise sleep longer, in page faults, because the reads of both move the head to
 * and fro (docs/decisions/when-the-program-waits.md).
 */
static uint32_t wait_max_ms(const struct plan *plan)
{
	if (shim_start.no_wait)
		return 0;
	return plan->wait_ms < WAIT_MAX_MS ? plan->wait_ms : WAIT_MAX_MS;
}

/* Starts a prefetcher if one is needed. Returns its process id, or 0. */
static int start(const char *program, const struct plan *plan, const char *mode)
{
	int process = 0;

	if (!plan->cold) {
		shim_log(program, "plan=warm");
	} else if (plan_is_carried_out(plan->fd)) {
		shim_log(program, "plan=running");
	} else {
		process = spawn_prefetcher(plan->fd, mode);
		shim_log(program, process ? "plan=started" : "plan=not-started");
	}
	return process;
}

void serve_next(const char *program, const struct plan *plan)
{
	start(program, plan, "--alongside");
}

void serve_own(const char *program, const struct plan *plan)
{
	int64_t limit_ms = plan->cold ? wait_max_ms(plan) : 0;
	int process = start(program, plan, limit_ms > 0 ? NULL : "--alongside");
	int64_t now = now_ms(), since = now;
	int daemons = 0;

	if (limit_ms <= 0)
		return;
	if (process == 0 && carrier_of_daemon(plan->fd, &daemons)) {
		if (carrier_of(plan->fd, AGE_MAX_MS, &since) != daemons)
			since = now; /* it has not said yet when it began */
	} else if (process == 0) {
		process = carrier_of(plan->fd, WAIT_MAX_MS, &since);
	}
	if (since + WAIT_MAX_MS - now < limit_ms)
		limit_ms = since + WAIT_MAX_MS - now;
	if (limit_ms > 0 && daemons != 0)
		wait_for_daemon(plan->fd, daemons, limit_ms);
	else if (limit_ms > 0 && process != 0)
		wait_for_prefetcher(process, limit_ms);
}
