/* SPDX-License-Identifier: MIT */
/*
 * What can disturb a test that goes by the page cache or by the order of events: somebody emptied the page cache, memory was
 * short, or programs waited for a processor, or this machine for its host.
 *
 * Something always waits for a processor for some microseconds, if only the test's own processes for each other. So waiting
 * counts only from a share of the time on. Emptied caches and reclaimed memory always count.
 */
#pragma once

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DISTURBING_LOAD    0.05 /* of the time */
#define DISTURBANCES_TEXT  128  /* bytes of a text that says what disturbed */
#define PRESSURE_NOT_KNOWN UINT64_MAX

/* Counters since the machine has booted. */
struct disturbances {
	uint64_t drops;         /* how often the caches were emptied */
	uint64_t reclaimed;     /* pages that the kernel took because memory was short */
	uint64_t waited;        /* µs in which a program waited for a processor, or PRESSURE_NOT_KNOWN */
	uint64_t stolen, ticks; /* clock ticks that the host took, and all; of all processors */
	uint64_t
		queue; /* programs that wait, in percent of the processors; no counter, but what the load says */
	uint64_t at; /* µs */
};

static inline void disturbances_of_memory(struct disturbances *now)
{
	FILE *vmstat = fopen("/proc/vmstat", "re");
	uint64_t value;
	char name[64];

	while (vmstat && fscanf(vmstat, "%63s %" SCNu64, name, &value) == 2) {
		if (strcmp(name, "drop_pagecache") == 0 || strcmp(name, "drop_slab") == 0)
			now->drops += value;
		else if (strcmp(name, "pgsteal_kswapd") == 0 || strcmp(name, "pgsteal_direct") == 0)
			now->reclaimed += value;
	}
	if (vmstat)
		fclose(vmstat);
}

static inline void disturbances_of_processors(struct disturbances *now)
{
	FILE *pressure = fopen("/proc/pressure/cpu", "re"), *stat = fopen("/proc/stat", "re");
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	double load = 0;

	if (!pressure || fscanf(pressure, "some %*s %*s %*s total=%" SCNu64, &now->waited) != 1)
		now->waited = PRESSURE_NOT_KNOWN;
	if (stat && fscanf(stat, "cpu") == 0)
		for (int i = 0; i < 8; i++) {
			uint64_t ticks = 0;

			if (fscanf(stat, "%" SCNu64, &ticks) != 1)
				break;
			now->ticks += ticks;
			now->stolen = i == 7 ? ticks : 0;
		}
	if (getloadavg(&load, 1) == 1 && load > (double)processors)
		now->queue = (uint64_t)(100 * (load / (double)processors - 1));
	if (pressure)
		fclose(pressure);
	if (stat)
		fclose(stat);
}

static inline struct disturbances disturbances_now(void)
{
	struct disturbances now = {0};
	struct timespec clock;

	disturbances_of_memory(&now);
	disturbances_of_processors(&now);
	clock_gettime(CLOCK_MONOTONIC, &clock);
	now.at = (uint64_t)clock.tv_sec * 1000000 + (uint64_t)clock.tv_nsec / 1000;
	return now;
}

/*
 * The share of the time in which a program waited for a processor, and this machine for its host. Without PSI, the length of
 * the queue stands for the former.
 */
static inline double disturbances_load(const struct disturbances *before, const struct disturbances *after)
{
	double load = 0;

	if (after->ticks > before->ticks)
		load = (double)(after->stolen - before->stolen) / (double)(after->ticks - before->ticks);
	if (after->waited == PRESSURE_NOT_KNOWN)
		return load + (double)after->queue / 100;
	return after->at > before->at
		? load + (double)(after->waited - before->waited) / (double)(after->at - before->at)
		: load;
}

/* Says in `why` what disturbed whatever happened in between. Returns false if nothing did. */
static inline bool disturbances_between(
	const struct disturbances *before, const struct disturbances *after, char *why, size_t size)
{
	double load = disturbances_load(before, after);
	char text[64];

	snprintf(text, sizeof(text), ", programs waited for a processor %.0f %% of the time", 100 * load);
	snprintf(why, size, "%s%s%s", after->drops != before->drops ? ", the caches were emptied" : "",
		after->reclaimed != before->reclaimed ? ", memory was reclaimed" : "",
		load > DISTURBING_LOAD ? text : "");
	if (why[0] == '\0')
		return false;
	memmove(why, why + 2, strlen(why + 2) + 1);
	return true;
}

/*
 * Likewise, until now. The kernel counts an emptied cache only when it is done with it, which may be after the test has failed
 * for it: so this looks again after a second.
 */
static inline bool disturbances_since(const struct disturbances *before, char *why, size_t size)
{
	struct disturbances now = disturbances_now(), later;

	if (disturbances_between(before, &now, why, size))
		return true;
	sleep(1);
	later = disturbances_now();
	now.drops = later.drops;
	return disturbances_between(before, &now, why, size);
}
