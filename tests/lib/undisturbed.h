/* SPDX-License-Identifier: MIT */
/*
 * Runs each test that depends on the page cache again, at most ten times, if it failed while something disturbed it:
 * somebody emptied the page cache, memory was short, or programs waited for a processor. See until_undisturbed of
 * sh-lib.sh.
 */
#pragma once

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define UNDISTURBED_TRIES 10

/* The sum of the counters; 0 where the kernel reports none. */
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

/*
 * How often the running test was tried before: for waits that must be longer on a machine that turned out to be busy.
 */
static unsigned undisturbed_try;

/* Runs each test by itself until it passes, as described above. Returns how many failed. */
static inline int until_undisturbed(const struct CMUnitTest *tests, size_t n)
{
	int failed = 0;

	for (size_t i = 0; i < n; i++) {
		int r = 1;

		for (undisturbed_try = 0; undisturbed_try < UNDISTURBED_TRIES; undisturbed_try++) {
			uint64_t before = disturbances();

			r = _cmocka_run_group_tests(tests[i].name, &tests[i], 1, NULL, NULL);
			if (r == 0 || disturbances() == before)
				break;
			printf("try %u of '%s' failed, disturbed\n", undisturbed_try + 1, tests[i].name);
		}
		failed += r;
	}
	return failed;
}
