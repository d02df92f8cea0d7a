/* SPDX-License-Identifier: MIT */
/* Where the file may be cut. */
#pragma once

#include "relayout/compact/tables.h"

struct compact_page {
	bool joined; /* with the page before it: they have to stay neighbours in the file */
	bool dead;   /* nobody reads it any more */
};

/* Made by compact_find_cuts(); the caller's to release. */
struct compact_cuts {
	struct compact_page **pages; /* owned; of each segment of the image */
	size_t n_segments;
};

/* Which pages have to stay neighbours, and which nobody reads any more. */
int compact_find_cuts(struct compaction *c, const struct compact_tables *tables, struct compact_cuts *ret);
void compact_cuts_release(struct compact_cuts *cuts);

static inline void compact_cuts_releasep(struct compact_cuts *cuts)
{
	compact_cuts_release(cuts);
}
