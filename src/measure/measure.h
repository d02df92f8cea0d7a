/* SPDX-License-Identifier: MIT */
/*
 * Measures what headstart gains for a command, on this machine: cold starts with and without, in turns, and a few warm
 * ones. Each cold start begins with the files of the plan out of the page cache (cold.h).
 */
#pragma once

#include <stdint.h>

#include "base/texts/milestone.h"
#include "format/plan-view.h"
#include "measure/cold.h"
#include "measure/statistics.h"

#define MEASURE_RUNS_MIN    3
#define MEASURE_RUNS_MAX    STATISTICS_MAX
#define MEASURE_WARM_STARTS 2

enum measure_kind {
	MEASURE_FIRST,   /* loads what the plan lacks, which is warm from then on; its time does not count */
	MEASURE_WARM,    /* without headstart */
	MEASURE_WITHOUT, /* cold, without headstart */
	MEASURE_WITH,    /* cold, by `headstart run` */
};

struct measure_options {
	const struct plan_view *plan;
	const char *plan_path;
	const char *launcher; /* path of the program `headstart` */
	const char *path;     /* of the command */
	char *const *argv;
	struct milestone until;
	double timeout; /* seconds, of a start */
	unsigned runs;  /* of each kind of cold start: MEASURE_RUNS_MIN to MEASURE_RUNS_MAX */
	/* Called before each start; `done` of `total` starts are over. May be NULL. */
	void (*progress)(void *context, enum measure_kind kind, unsigned done, unsigned total);
	void *context;
};

struct measure_result {
	double without[MEASURE_RUNS_MAX],
		with[MEASURE_RUNS_MAX];   /* seconds; of the same round at the same index */
	double warm[MEASURE_WARM_STARTS]; /* seconds */
	struct cold_report cold;          /* of the cold start before which most stayed in memory */
	unsigned prefetched;              /* starts with headstart for which a prefetcher read something */
	unsigned failed;                  /* starts whose command did not exit with status 0 */
	int status;                       /* of the last of these, as waitpid(2) has it */
};

/*
 * Returns 0, or, as start_run() does: -EPERM, -ETIME, -ECHILD, -EINTR, -ENOEXEC with *ret_exec_error; or negative errno. The
 * process becomes a child subreaper; it must have no children.
 */
int measure_run(const struct measure_options *options, struct measure_result *ret, int *ret_exec_error);
