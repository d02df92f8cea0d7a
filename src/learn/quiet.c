/* SPDX-License-Identifier: MIT */
#include "learn/quiet.h"

#define BUSY_PERCENT 2u /* of the time: journals are written now and then on an idle machine, too */
#define IO_MAX       5u /* percent; these are averages of ten seconds, so they lag behind */
#define CPU_MAX      25u
#define MEMORY_MANY  10u /* from here on it is short of memory, as in prefetch/limits/budget.c … */
#define MEMORY_FEW   1u  /* … until less than that */

static void give_reason(struct quiet *quiet, enum quiet_reason reason, uint64_t now_ms)
{
	quiet->reason = reason;
	quiet->reason_ms = now_ms;
}

static void look_for_reason(struct quiet *quiet, const struct machine *now)
{
	const struct machine *last = &quiet->last;

	if (!quiet->seen && now->boot_ms < QUIET_BOOT_MS)
		give_reason(quiet, QUIET_BOOTED, now->now_ms);
	if (quiet->seen && now->boot_ms - now->now_ms >= last->boot_ms - last->now_ms + QUIET_RESUME_MS)
		give_reason(quiet, QUIET_RESUMED, now->now_ms);
	if (now->memory >= MEMORY_MANY) {
		quiet->short_of_memory = true;
		quiet->reason = QUIET_NO_REASON;
	}
	if (quiet->short_of_memory && now->memory < MEMORY_FEW) {
		quiet->short_of_memory = false;
		give_reason(quiet, QUIET_MEMORY, now->now_ms);
	}
	if (now->now_ms - quiet->reason_ms >= QUIET_WARM_MS)
		quiet->reason = QUIET_NO_REASON;
}

/* A counter that went back is another disk's: one was taken out. */
static bool disks_were_busy(const struct machine *last, const struct machine *now)
{
	return now->disks_ms < last->disks_ms ||
		(now->disks_ms - last->disks_ms) * 100 > (now->now_ms - last->now_ms) * BUSY_PERCENT;
}

void quiet_look(struct quiet *quiet, const struct machine *machine)
{
	look_for_reason(quiet, machine);
	if (quiet->own_work)
		quiet->since_ms = machine->now_ms > QUIET_MS - QUIET_AGAIN_MS
			? machine->now_ms - (QUIET_MS - QUIET_AGAIN_MS)
			: 0;
	else if (!quiet->seen || disks_were_busy(&quiet->last, machine))
		quiet->since_ms = machine->now_ms;
	quiet->own_work = false;
	quiet->last = *machine;
	quiet->seen = true;
}

bool quiet_now(const struct quiet *quiet)
{
	const struct machine *last = &quiet->last;

	return quiet->seen && !quiet->own_work && last->now_ms - quiet->since_ms >= QUIET_MS &&
		last->io < IO_MAX && last->cpu < CPU_MAX && last->memory < MEMORY_MANY && !last->disk_asleep;
}

enum quiet_reason quiet_wants_warming(const struct quiet *quiet)
{
	return quiet->last.on_battery || quiet->last.disk_asleep ? QUIET_NO_REASON : quiet->reason;
}

void quiet_work(struct quiet *quiet)
{
	quiet->own_work = true;
}

void quiet_warmed(struct quiet *quiet)
{
	quiet->reason = QUIET_NO_REASON;
}

uint64_t quiet_next_ms(const struct quiet *quiet, bool wanted)
{
	if (!quiet->seen)
		return 0;
	wanted |= quiet->reason || quiet->short_of_memory;
	return quiet->last.now_ms + (wanted ? QUIET_LOOK_MS : QUIET_REST_MS);
}

const char *quiet_reason_text(enum quiet_reason reason)
{
	static const char *const texts[] = {
		[QUIET_NO_REASON] = "there is no reason",
		[QUIET_BOOTED] = "the machine has booted",
		[QUIET_RESUMED] = "the machine was asleep",
		[QUIET_MEMORY] = "memory was short",
	};

	return texts[reason];
}
