/* SPDX-License-Identifier: MIT */
/*
 * When the machine is quiet, so that plans can be made anew, and when programs that are likely to be started should be warmed: once
 * after it has booted, has resumed, or has been short of memory. Decides by what it is shown; where the kernel does not
 * report a pressure, that is 0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define QUIET_MS        10000u   /* so long nothing has used the disks */
#define QUIET_AGAIN_MS  2000u    /* … after work of our own */
#define QUIET_WARM_MS   1800000u /* a reason for warming is good for so long */
#define QUIET_LOOK_MS   5000u    /* between looks while something waits, for a quiet machine or for memory */
#define QUIET_REST_MS   30000u   /* … and otherwise */
#define QUIET_BOOT_MS   600000u  /* a daemon that starts so soon after booting was started by it */
#define QUIET_RESUME_MS 1000u    /* the machine slept at least so long */

/* What the machine does at a moment. */
struct machine {
	uint64_t now_ms;          /* CLOCK_MONOTONIC */
	uint64_t boot_ms;         /* CLOCK_BOOTTIME: goes on while the machine sleeps */
	uint64_t disks_ms;        /* sum over the disks: how long they had something to do since booting */
	unsigned io, cpu, memory; /* pressure: percent of the last ten seconds in which some task waited */
	bool disk_asleep;         /* a rotational disk, which work might wake */
	bool on_battery;
};

enum quiet_reason { QUIET_NO_REASON, QUIET_BOOTED, QUIET_RESUMED, QUIET_MEMORY };

struct quiet {
	struct machine last;
	bool seen;         /* last is set */
	uint64_t since_ms; /* the disks are idle since */
	bool short_of_memory;
	enum quiet_reason reason; /* for warming */
	uint64_t reason_ms;       /* since when */
	bool own_work;            /* what the disks have done since `last` was ours */
};

/* Takes the next look. */
void quiet_look(struct quiet *quiet, const struct machine *machine);

/* Whether the disks are idle, and nothing else waits for them or for processors, by the last look. */
bool quiet_now(const struct quiet *quiet);

/* Whether there is a reason to warm programs, which the machine does not forbid: QUIET_NO_REASON if not. */
enum quiet_reason quiet_wants_warming(const struct quiet *quiet);

/* Work of ours begins. The first look after it does not count what the disks did meanwhile. */
void quiet_work(struct quiet *quiet);

/* Programs were warmed: there is no reason any more. */
void quiet_warmed(struct quiet *quiet);

/* When the next look is due, if there is something to be done when it is quiet (`wanted`), or none. */
uint64_t quiet_next_ms(const struct quiet *quiet, bool wanted);

/* A text that follows "because". */
const char *quiet_reason_text(enum quiet_reason reason);
