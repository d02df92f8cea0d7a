/* SPDX-License-Identifier: MIT */
/* What the parts of 'headstart order' share: the command line, and the ELF files that are ordered. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "order/choose.h"
#include "order/write.h"
#include "verb.h"

struct order_arguments {
	enum order_linker linker; /* ORDER_LINKERS: not given */
	const char *output;       /* NULL: standard output */
	const char *debug_folder; /* NULL: the default */
	const char **narrow;      /* owned; paths of profiles */
	size_t n_narrow, narrow_capacity;
	bool json;
};

/* An ELF file of the profile, and what we take from it. */
struct subject {
	const char *path;
	const char *recorded; /* its path in the profile; borrowed */
	struct order_image image;
	struct order_touched touched;
	struct order_list list;
	struct order_summary summary;
	bool called; /* the profile knows the functions that were called */
};

struct subjects {
	struct subject *items; /* owned */
	size_t n;
};

void order_subject_release(struct subject *subject);

/* Fills in all but the summary. The path is borrowed. Returns 0, or an exit status after printing the reason. */
int order_subject_take(const struct profile *profile, const char *path,
	const struct order_arguments *arguments, struct subject *subject);

/* Leaves out what --narrow says, and fills in the summary. Returns as above. */
int order_subject_finish(struct subject *subject, const struct order_arguments *arguments);

/* Prints the summary as text or JSON. `left_out` counts names that the linker's syntax cannot express. Returns the exit status. */
int order_report(const struct order_arguments *arguments, const struct subjects *subjects, size_t left_out);

/* Says that memory ran out. Returns the exit status. */
static inline int order_no_memory(void)
{
	return verb_fail_errno(ENOMEM, "cannot order functions");
}
