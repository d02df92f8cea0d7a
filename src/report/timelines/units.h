/* SPDX-License-Identifier: MIT */
/* The units of a boot, for people. */
#pragma once

#include <stdio.h>

#include "report/style.h"
#include "timeline/sums.h"

/* Prints a table of them, those that waited longest for reads first. Returns 0 or -ENOMEM. */
int report_units_print(FILE *out, const struct timeline *timeline, const struct sums *sums,
	const struct report_style *style);
