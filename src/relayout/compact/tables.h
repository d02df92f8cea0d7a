/* SPDX-License-Identifier: MIT */
/* The tables of dynamic linking: which there are, and where they lie. */
#pragma once

#include "relayout/compact/compaction.h"

/* Made by compact_find_tables(); the caller's to release. */
struct compact_tables {
	struct compact_range *now;  /* owned; where each section lies in memory now; size 0 if it is gone */
	struct compact_range *dead; /* owned */
	size_t n_dead, dead_capacity;
};

/* Whether each table of dynamic linking is a section. */
bool compact_knows_tables(const struct compaction *c);

/* Which dynamic entry of the original leads to the section, or DT_NULL. */
int64_t compact_table_tag(const struct compaction *c, size_t section);

/* Dynamic entries that lead to what was moved follow it. */
int compact_redirect(struct compaction *c, const struct compact_move *move);

/* Whether the string table ends where its last string does: else more of it is read than its size says. */
bool compact_strings_end(const struct compaction *c);

/* After the passes: what one of them left of DT_STRTAB in two places becomes one table. */
int compact_unite_strings(struct compaction *c);

/* Where the sections of dynamic linking lie now, and which bytes are dead thereby. */
int compact_find_tables(struct compaction *c, struct compact_tables *ret);
void compact_tables_release(struct compact_tables *tables);

static inline void compact_tables_releasep(struct compact_tables *tables)
{
	compact_tables_release(tables);
}
