/* SPDX-License-Identifier: MIT */
/* What two profiles have in common, file by file; and how much of a profile the files on disk still are. */
#pragma once

#include "profile/profile.h"

enum difference_state {
	DIFFERENCE_SAME, /* in both, of the same build; or as recorded */
	DIFFERENCE_CHANGED, /* in both, of different builds, so that pages cannot be compared; or changed since */
	DIFFERENCE_ONLY_A,
	DIFFERENCE_ONLY_B,
	DIFFERENCE_GONE,   /* not on disk any more */
	DIFFERENCE_HIDDEN, /* this user may not look at it */
	DIFFERENCE_STATES,
};

/* Pages that the starts touched. Of the files on disk, those of A count as in both where the file is as it was recorded. */
struct difference_pages {
	uint64_t only_a, only_b, both;
};

struct difference_file {
	const char *path; /* borrowed from A, or else from B */
	enum difference_state state;
	struct difference_pages pages;
};

struct difference {
	struct difference_file *files; /* owned: in the order of A, then those that only B has */
	size_t n_files;
	size_t counts[DIFFERENCE_STATES]; /* files by state */
	struct difference_pages pages;    /* of all files */
	uint32_t page_size;               /* bytes */
};

void difference_release(struct difference *difference);

static inline void difference_releasep(struct difference *difference)
{
	difference_release(difference);
}

/*
 * Compares two profiles, of the same program or not. Files are the same if their kind and build-id agree and, without
 * build-ids, their size. Both must outlive the result. Returns 0, -EINVAL (the page sizes differ) or -ENOMEM.
 */
int difference_of_profiles(const struct profile *a, const struct profile *b, struct difference *ret);

/* Compares a profile, which must outlive the result, with the files on disk. Returns 0 or -ENOMEM. */
int difference_from_disk(const struct profile *profile, struct difference *ret);
