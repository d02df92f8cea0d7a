/* SPDX-License-Identifier: MIT */
/* What micro-engine reads: files and ranges from a text, as a plan in memory. */
#pragma once

#include "format/plan-view.h"

struct workload {
	struct plan_view view; /* into the fields below */
	struct plan_header header;
	struct plan_file *files;     /* owned */
	struct plan_extent *extents; /* owned */
	char *strings;               /* owned */
};

/*
 * From a list of lines "PATH PAGE PAGES", in order of first touch. With PLAN_ORDER_PHYSICAL files are put in
 * inode order and extents in the order of their first block. Looks at the files. Returns 0 or negative errno;
 * release it in any case.
 */
int workload_make(const char *list, enum plan_order order, struct workload *ret);

/*
 * As text on standard output, to be read by workload_read() once the files are cold again: that touches none.
 */
void workload_print(const struct workload *workload);

/* Returns 0 or negative errno; release it in any case. */
int workload_read(const char *path, enum plan_order order, struct workload *ret);

void workload_release(struct workload *workload);
