/* SPDX-License-Identifier: MIT */
/* The files and ranges that micro-engine reads: a text, and a plan in memory. */
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
 * From a list of lines "PATH PAGE PAGES", in order of first touch. With PLAN_ORDER_PHYSICAL files are put in inode
 * order and extents in the order of their first block. Opens the files. Returns 0 or negative errno; the caller
 * releases *ret in any case.
 */
int workload_make(const char *list, enum plan_order order, struct workload *ret);

/*
 * Writes it as text to standard output. workload_read() reads that once the files are cold again, and touches none of
 * them.
 */
void workload_print(const struct workload *workload);

/* Returns 0 or negative errno; the caller releases *ret in any case. */
int workload_read(const char *path, enum plan_order order, struct workload *ret);

void workload_release(struct workload *workload);
