/* SPDX-License-Identifier: MIT */
/* What `headstart measure` prints of a measurement. */
#pragma once

#include "measure/measure.h"
#include "measure/verdict.h"

struct measure_report {
	const struct measure_options *options;
	const struct measure_result *result;
	const char *until; /* as the user gave it */
	double without, with, warm, speedup;
	struct interval without_interval, with_interval, speedup_interval;
};

/* Computes the figures. Returns 0 or -ENOMEM. */
int measure_report_init(struct measure_report *report, const struct measure_options *options,
	const struct measure_result *result, const char *until);

/* For people; notes go to stderr. Both return 0, or an exit status after printing the reason. */
int measure_report_text(const struct measure_report *report);
int measure_report_json(const struct measure_report *report);
