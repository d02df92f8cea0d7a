/* SPDX-License-Identifier: MIT */
/*
 * Runs each test that depends on the page cache again, at most ten times, if it failed while something disturbed it. See
 * until_undisturbed of sh-lib.sh.
 */
#pragma once

#include "disturbances.h"

#define UNDISTURBED_TRIES 10

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
			struct disturbances before = disturbances_now();
			char why[DISTURBANCES_TEXT];

			r = _cmocka_run_group_tests(tests[i].name, &tests[i], 1, NULL, NULL);
			if (r == 0 || !disturbances_since(&before, why, sizeof(why)))
				break;
			printf("try %u of '%s' failed, disturbed (%s)\n", undisturbed_try + 1, tests[i].name,
				why);
		}
		failed += r;
	}
	return failed;
}
