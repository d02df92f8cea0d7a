/* SPDX-License-Identifier: MIT */
/*
 * Tests that go by the page cache are run again, ten times at most, if they failed while something disturbed them: somebody
 * emptied the page cache, memory was short, or programs waited for a processor. As until_undisturbed of sh-lib.sh.
 */
#pragma once

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define UNDISTURBED_TRIES 10

/* The sum of what is counted; 0 where the kernel tells nothing. */
static inline uint64_t disturbances(void)
{
	static const char *const counters[] = {
		"drop_pagecache", "drop_slab", "pgsteal_kswapd", "pgsteal_direct"};
	FILE *vmstat = fopen("/proc/vmstat", "re"), *pressure = fopen("/proc/pressure/cpu", "re");
	uint64_t sum = 0, value;
	char name[64];

	while (vmstat && fscanf(vmstat, "%63s %" SCNu64, name, &value) == 2)
		for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
			sum += strcmp(name, counters[i]) == 0 ? value : 0;
	if (pressure && fscanf(pressure, "some %*s %*s %*s total=%" SCNu64, &value) == 1)
		sum += value;
	if (vmstat)
		fclose(vmstat);
	if (pressure)
		fclose(pressure);
	return sum;
}

/* Runs the tests, which return how many of them failed; returns that of the last time. */
static inline int until_undisturbed(int (*run)(void))
{
	int failed = 0;

	for (int i = 0; i < UNDISTURBED_TRIES; i++) {
		uint64_t before = disturbances();

		failed = run();
		if (failed == 0 || disturbances() == before)
			break;
		printf("try %d failed, disturbed\n", i + 1);
	}
	return failed;
}
