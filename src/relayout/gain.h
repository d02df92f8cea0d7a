/* SPDX-License-Identifier: MIT */
/* What a cold start reads of a file before and after it is relaid, by its profile. */
#pragma once

#include "relayout/relayout.h"

struct relayout_reads predict_before(
	const struct relayout *relayout, const struct profile_file *file, uint32_t page_size);

/* Of what will be written, with all other parts of the relayout filled in. Returns 0 or -ENOMEM. */
int predict_after(const struct relayout *relayout, const struct profile_file *file, uint32_t page_size,
	struct relayout_reads *ret);

/* Whether starts gain by it, cold and warm ones together (relaid/cost.h), or the shim is told what not to
 * read. */
bool predict_gain(const struct relayout *relayout);
