/* SPDX-License-Identifier: MIT */
/* The ways that micro-engine compares. */
#pragma once

#include <stdint.h>

#include "format/plan-view.h"

struct way_result {
	uint64_t submit_us; /* until the caller may go on */
	uint64_t done_us;   /* until the last byte or the last file is there */
};

struct way_options {
	uint32_t chunk; /* bytes */
	uint32_t depth; /* requests, or threads, at once */
};

struct way {
	const char *name;
	/* Returns 0 or negative errno. fds: the open files of the plan. */
	int (*run)(const struct plan_view *plan, int *fds, const struct way_options *options,
		struct way_result *ret);
};

/* Each ends with a NULL name. A way to open fills in fds; a way to read gets them open. */
extern const struct way open_ways[];
extern const struct way data_ways[];

uint64_t now_us(void);
