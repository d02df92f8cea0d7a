/* SPDX-License-Identifier: MIT */
/* What a measurement means for a person. */
#pragma once

#include <stdbool.h>

#include "measure/statistics.h"

#define VERDICT_MAX 160 /* bytes */

enum verdict_kind { VERDICT_FASTER, VERDICT_SLOWER, VERDICT_NO_DIFFERENCE, VERDICT_UNMEASURED };

/* `speedup`: the interval of the time without headstart divided by that with it; `prefetched`: in how many starts headstart read ahead. */
enum verdict_kind verdict_of(const struct interval *speedup, unsigned prefetched);

/* "faster", "slower", "none", "unmeasured": for programs. */
const char *verdict_name(enum verdict_kind kind);

/*
 * "2.1 times faster with headstart", "no measurable difference: leave it off". `median` is the speed-up itself; `stale`: some files of
 * the plan have changed or are gone, which may be why the prefetcher was not started.
 */
const char *verdict_text(enum verdict_kind kind, double median, bool stale, char buffer[VERDICT_MAX]);
