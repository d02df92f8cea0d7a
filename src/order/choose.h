/* SPDX-License-Identifier: MIT */
/* Chooses functions that should lie together, and their order, and predicts the effect. */
#pragma once

#include "order/image.h"
#include "order/touched.h"

struct order_choice {
	const struct order_function *function; /* owned by the image, which must outlive the list */
	uint32_t order;                        /* order of the first touch of any span that it lies on */
};

/* Every name of every chosen function; the names of one function follow one another. */
struct order_list {
	struct order_choice *items; /* owned; ascending by order, then by address */
	size_t n, capacity;
};

/* Chooses the functions that lie on touched code. Returns 0 or -ENOMEM. *ret is the caller's to release. */
int order_choose(
	const struct order_image *image, const struct order_touched *touched, struct order_list *ret);

/*
 * Keeps only the functions that another list has as well, by any of their names. Lists from two links of one program in
 * different orders show this way what was executed and what only lay beside it. Returns 0 or -ENOMEM (then the list is
 * unchanged).
 */
int order_narrow(struct order_list *list, const struct order_list *other);

/* Appends the items of the other list. Returns 0 or -ENOMEM. */
int order_append(struct order_list *list, const struct order_list *other);

void order_list_release(struct order_list *list);

static inline void order_list_releasep(struct order_list *list)
{
	order_list_release(list);
}

struct order_summary {
	uint64_t functions; /* chosen */
	uint64_t
		namesakes; /* others that are moved too: linkers match names, and static functions share names */
	uint64_t bytes;    /* of both, each function aligned as compilers align it */
	uint64_t pages_before; /* touched pages of code */
	uint64_t runs_before;  /* runs of such pages without a gap */
	uint64_t pages_after;  /* predicted: these bytes laid together, and pages that hold more than .text */
	uint64_t runs_after;
};

/* Returns 0 or -ENOMEM. */
int order_summarize(const struct order_list *list, const struct order_image *image,
	const struct order_touched *touched, struct order_summary *ret);
