/* SPDX-License-Identifier: MIT */
/* The kinds of reads that pictures tell apart by colours, which are those of page/page.css. */
#pragma once

#include "timeline/timeline.h"

/* Some reads wait for others by their kind, some are headstart's. */
enum picture_kind {
	KIND_SEEK,
	KIND_NEXT,
	KIND_AHEAD,
	KIND_METADATA,
	KIND_IN_TIME,
	KIND_LATE,
	KIND_IN_VAIN,
	KIND_UNJUDGED,
	PICTURE_KINDS,
};

struct picture_class {
	const char *name, *words; /* of the colour; what it means */
};

extern const struct picture_class picture_kinds[PICTURE_KINDS];

enum picture_kind picture_kind(const struct timeline *timeline, const struct timeline_read *read);
