/* SPDX-License-Identifier: MIT */
/*
 * The code that a start touched, as addresses. Whatever recorded it, what chooses functions sees only this: a
 * page profile gives spans of whole pages, and every function that lies on one of them counts; a recorder of
 * functions would give a span of one function each (and be one more producer here, beside
 * order_touched_pages()).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "order/image.h"
#include "profile/profile.h"

struct order_span {
	uint64_t address; /* as linked */
	uint64_t size;    /* bytes; > 0 */
	uint64_t page;    /* of the file, the one that it lies on */
	uint32_t order;   /* of its first touch */
};

struct order_touched {
	struct order_span *spans; /* owned; ascending by address */
	size_t n, capacity;
	uint32_t page_size;
};

/*
 * Adds the touched pages of a file, as far as they are code of the image. Returns 0 or -ENOMEM, and is then
 * as incomplete as it is to be released.
 */
int order_touched_pages(struct order_touched *touched, const struct profile_file *file, uint32_t page_size,
	const struct order_image *image);

void order_touched_release(struct order_touched *touched);

static inline void order_touched_releasep(struct order_touched *touched)
{
	order_touched_release(touched);
}
