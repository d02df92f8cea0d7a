/* SPDX-License-Identifier: MIT */
/*
 * The code that a start touched, as addresses. Choosing functions needs nothing else, whatever recorded the start. A
 * page profile gives spans of whole pages, and every function on one of them counts. A profile with functions gives a span
 * of one byte for each, its entry.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "order/image.h"
#include "profile/functions.h"
#include "profile/profile.h"

struct order_span {
	uint64_t address; /* as linked */
	uint64_t size;    /* bytes; > 0 */
	uint64_t page;    /* of the file: the page that the span lies on */
	uint32_t order;   /* of its first touch */
};

struct order_touched {
	struct order_span *spans; /* owned; ascending by address */
	size_t n, capacity;
	uint32_t page_size;
};

/*
 * Adds the touched pages of a file that are code of the image. Returns 0, or -ENOMEM with the spans incomplete and the
 * caller still to release.
 */
int order_touched_pages(struct order_touched *touched, const struct profile_file *file, uint32_t page_size,
	const struct order_image *image);

/*
 * Adds the called functions of an object. Their order is that of all first calls. Returns as above.
 */
int order_touched_calls(struct order_touched *touched, const struct profile_object *object,
	uint32_t page_size, const struct order_image *image);

void order_touched_release(struct order_touched *touched);

static inline void order_touched_releasep(struct order_touched *touched)
{
	order_touched_release(touched);
}
