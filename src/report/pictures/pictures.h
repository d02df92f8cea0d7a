/* SPDX-License-Identifier: MIT */
/* Timelines as pictures and for other programs. */
#pragma once

#include <stdio.h>

#include "timeline/timeline.h"

/* All return 0 or -ENOMEM. Check ferror() for write errors. Names are escaped, whatever is in them. */

/* One page of HTML that needs no network (page/README.md), of one start, or of two beside each other. */
int report_timeline_page(FILE *out, const struct timeline *timelines, size_t n);

/* The same as a picture that prints. Of many files and threads it shows those that were waited for most, and came first. */
int report_timeline_svg(FILE *out, const struct timeline *timelines, size_t n);

/*
 * For Perfetto and chrome://tracing: an object with "traceEvents", as "Trace Event Format" (Google, 2016) describes. Threads
 * have their states; each file has its reads, in a process of its own called "reads". n is 1.
 */
int report_timeline_perfetto(FILE *out, const struct timeline *timeline, size_t n);
