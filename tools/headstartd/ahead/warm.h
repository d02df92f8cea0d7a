/* SPDX-License-Identifier: MIT */
/* Warms programs before somebody starts them: a child carries their plans out, one after the other, while the disks have nothing else to do. */
#pragma once

#include <stdint.h>

#include "headstartd/carry/carry.h"
#include "learn/habits.h"

#define WARM_MAX 64 /* programs */

/* What the child tells of each program that it has warmed; all of them fit into a pipe. */
struct warmed {
	uint64_t hash;  /* struct habit */
	uint64_t bytes; /* of the plan */
};

/*
 * Becomes the child: warms the likeliest of the programs until a quarter of the free memory is used up, and writes to `tell`. Exits
 * with 0 when that is done, or with 1 if the disks had something else to do.
 */
_Noreturn void warm_programs(const struct carry *carry, const struct habits *habits, int64_t local, int tell);
