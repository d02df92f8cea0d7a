/* SPDX-License-Identifier: MIT */
/* The bytes of the result. */
#pragma once

#include "relayout/compact/compacted.h"
#include "relayout/compact/sections.h"

/* Writes all of it. */
int compact_write(const struct compaction *c, const struct compact_tables *tables,
	const struct compact_cuts *cuts, const struct compact_places *places,
	const struct compact_sections *sections, uint64_t profile, struct compacted *ret);
