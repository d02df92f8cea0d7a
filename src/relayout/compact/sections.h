/* SPDX-License-Identifier: MIT */
/* The sections of the result. */
#pragma once

#include "base/strings.h"
#include "relayout/compact/order.h"
#include "relayout/compact/tables.h"

/* A section of the result. */
struct compact_section {
	Elf64_Shdr header;
	size_t old; /* the section of the original that it is (a part of), 0 for a new one */
};

/* Made by compact_split_sections(); the caller's to release. */
struct compact_sections {
	struct compact_section *all; /* owned; of the result */
	size_t n, capacity;
	struct string_table names; /* owned */
	uint64_t end;              /* of all but the section headers, in the result */
};

/* The sections of the result. The non-loaded ones get their places. */
int compact_split_sections(struct compaction *c, const struct compact_tables *tables,
	const struct compact_places *places, struct compact_sections *ret);
void compact_sections_release(struct compact_sections *sections);

/* The index in the result of each section of the original, or of its first piece; 0 for one that is gone. The
 * caller frees it; NULL without memory. */
size_t *compact_first_pieces(const struct compaction *c, const struct compact_sections *result);

static inline void compact_sections_releasep(struct compact_sections *sections)
{
	compact_sections_release(sections);
}
