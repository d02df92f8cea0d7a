/* SPDX-License-Identifier: MIT */
/* Turns a speed-up and its interval into a sentence. */
#include "measure/verdict.h"

#include <stdio.h>

#define SMALL 1.1 /* from here on people say "1.1 times" and not "10 %" */

enum verdict_kind verdict_of(const struct interval *speedup, unsigned prefetched)
{
	if (prefetched == 0)
		return VERDICT_UNMEASURED;
	if (speedup->low > 1)
		return VERDICT_FASTER;
	return speedup->high < 1 ? VERDICT_SLOWER : VERDICT_NO_DIFFERENCE;
}

const char *verdict_name(enum verdict_kind kind)
{
	static const char *const names[] = {
		[VERDICT_FASTER] = "faster",
		[VERDICT_SLOWER] = "slower",
		[VERDICT_NO_DIFFERENCE] = "none",
		[VERDICT_UNMEASURED] = "unmeasured",
	};

	return names[kind];
}

/* "2.1 times", "8 %": how much more than 1 the factor is. */
static void factor_text(double factor, char *buffer, size_t size)
{
	if (factor < SMALL)
		snprintf(buffer, size, "%.1f %%", (factor - 1) * 100);
	else
		snprintf(buffer, size, "%.*f times", factor < 10 ? 1 : 0, factor);
}

const char *verdict_text(enum verdict_kind kind, double median, bool stale, char buffer[VERDICT_MAX])
{
	char factor[VERDICT_MAX / 2];

	switch (kind) {
	case VERDICT_FASTER:
		factor_text(median, factor, sizeof(factor));
		snprintf(buffer, VERDICT_MAX, "%s faster with headstart", factor);
		break;
	case VERDICT_SLOWER:
		factor_text(1 / median, factor, sizeof(factor));
		snprintf(buffer, VERDICT_MAX, "%s slower with headstart: leave it off", factor);
		break;
	case VERDICT_NO_DIFFERENCE:
		snprintf(buffer, VERDICT_MAX, "no measurable difference: leave it off");
		break;
	case VERDICT_UNMEASURED:
		snprintf(buffer, VERDICT_MAX,
			"not measured: headstart read nothing ahead, because what it looks at %s",
			stale ? "has changed, is gone, or was in memory" : "was in memory at each start");
		break;
	}
	return buffer;
}
