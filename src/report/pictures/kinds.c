/* SPDX-License-Identifier: MIT */
#include "report/pictures/kinds.h"

const struct picture_class picture_kinds[PICTURE_KINDS] = {
	[KIND_SEEK] = {"seek", "awaited, far from the read before (seek)"},
	[KIND_NEXT] = {"next", "awaited, next to the read before"},
	[KIND_AHEAD] = {"ahead", "read ahead: nobody waited"},
	[KIND_METADATA] = {"metadata", "inodes, folders and the like"},
	[KIND_IN_TIME] = {"intime", "prefetched in time"},
	[KIND_LATE] = {"late", "prefetched, but the start wanted it earlier"},
	[KIND_IN_VAIN] = {"invain", "prefetched in vain"},
	[KIND_UNJUDGED] = {"unjudged", "prefetched inodes, folders and the like"},
};

enum picture_kind picture_kind(const struct timeline *timeline, const struct timeline_read *read)
{
	static const enum picture_kind prefetched[TIMELINE_PREFETCHES] = {
		[TIMELINE_IN_TIME] = KIND_IN_TIME,
		[TIMELINE_LATE] = KIND_LATE,
		[TIMELINE_IN_VAIN] = KIND_IN_VAIN,
		[TIMELINE_UNJUDGED] = KIND_UNJUDGED,
	};

	if (read->prefetch != TIMELINE_NO_PREFETCH)
		return prefetched[read->prefetch];
	if (read->file >= timeline->n_files || timeline->files[read->file].kind == TIMELINE_METADATA)
		return KIND_METADATA;
	return read->ahead ? KIND_AHEAD : read->seeks ? KIND_SEEK : KIND_NEXT;
}
