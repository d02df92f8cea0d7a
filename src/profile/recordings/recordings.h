/* SPDX-License-Identifier: MIT */
/* The recordings of one program: what a profile on disk holds (profile/file/profile-file.h). */
#pragma once

#include "profile/profile.h"

#define RECORDINGS_MAX 64u /* in a profile */

struct recordings {
	struct profile *items; /* owned; oldest first; all of one program and one page size */
	size_t n, capacity;
};

void recordings_release(struct recordings *recordings);

static inline void recordings_releasep(struct recordings *recordings)
{
	recordings_release(recordings);
}

/*
 * Adds a recording, which is taken over and left empty. Returns 0; -EINVAL if it is of another program or page size;
 * -E2BIG if there are RECORDINGS_MAX already; or -ENOMEM.
 */
int recordings_add(struct recordings *recordings, struct profile *recording);

/* Takes out and releases the recording at `index`. */
void recordings_remove(struct recordings *recordings, size_t index);

/* Whether nobody has recorded any of them: headstartd has learnt all. */
bool recordings_all_learnt(const struct recordings *recordings);

/* The recording of the start with this key, which is not 0, or of the same arguments; NULL if there is none. */
struct profile *recordings_find(const struct recordings *recordings, const struct profile *start);

/* *ret, all of them merged, is the caller's to release. Returns 0 or negative errno. */
int recordings_merge(const struct recordings *recordings, struct profile *ret);

/* *ret, what all of them have in common, is the caller's to release. Returns 0 or negative errno. */
int recordings_common(const struct recordings *recordings, struct profile *ret);
