/* SPDX-License-Identifier: MIT */
/* Where the time of a start, or of a boot, went, for people and for programs. */
#pragma once

#include <stdio.h>

#include "report/style.h"
#include "timeline/sums.h"

/* Both return 0 or -ENOMEM. Check ferror() for write errors. */
int report_timeline_text(FILE *out, const struct timeline *timeline, const struct report_style *style);
int report_timeline_json(FILE *out, const struct timeline *timeline);

/*
 * "9.1 of 11.0 s were waiting for 1,330 reads, 7.2 s of it seeks; 0.6 s computing; prefetching is expected to save
 * 7.4 s." The caller frees it. NULL if memory runs out.
 */
char *report_timeline_sentence(const struct timeline *timeline, const struct sums *sums);

/* Writes "of 120 reads that headstart made ahead, 110 came in time, 8 late, and 2 in vain". There are some. */
void report_timeline_prefetched(FILE *out, const struct sums *sums);

/*
 * What a reader looks at first, the cause with the largest part: "waiting for reads: 2.1 of 2.5 s; 1.9 s of it for 60 files in
 * /usr/share/fonts". The caller frees it. NULL if memory runs out.
 */
char *report_timeline_mostly(const struct timeline *timeline, const struct sums *sums);

/* "'start' (4711) was waiting for events (poll, select, epoll): /run/…, and nobody answered until its time was up" */
char *report_timeline_wait(const struct timeline *timeline, const struct sum_wait *wait);
