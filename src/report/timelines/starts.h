/* SPDX-License-Identifier: MIT */
/* One start, or two that are compared: without headstart and with it, before a change and after it. */
#pragma once

#include "timeline/sums.h"

#define REPORT_STARTS_MAX 2

struct report_starts {
	const struct timeline *timelines; /* borrowed */
	struct sums sums[REPORT_STARTS_MAX];
	size_t n;
};

/* n is 1 or 2. *ret, all zero, is the caller's to release, also after a failure. Returns 0 or -ENOMEM. */
int report_starts_init(struct report_starts *ret, const struct timeline *timelines, size_t n);
void report_starts_release(struct report_starts *starts);

/*
 * Of one start report_timeline_sentence(). Of two, what was gained and where: "The second start took 3.5 s instead of
 * 11.0 s, 7.5 s less (3.1 times faster): …". The caller frees it. NULL if memory runs out.
 */
char *report_starts_sentence(const struct report_starts *starts);
