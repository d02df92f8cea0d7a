/* SPDX-License-Identifier: MIT */
/* Which of a program's recorded files its plans do without, because they have changed or are gone. */
#pragma once

#include "format/plan-view.h"
#include "plan/store/store.h"

#define LOST_NAMED_MAX 3u

struct lost_files {
	size_t files;         /* that all recordings of the program touched together */
	size_t changed, gone; /* of them, those that no plan has */
	uint64_t pages;       /* touched in all files */
	uint64_t lost;        /* of them, in those that no plan has */
	uint32_t page_size;   /* bytes */
	bool program;         /* the program's own file is among them */
	char *named
		[LOST_NAMED_MAX]; /* owned: the most important ones, the program first; then by their pages */
	size_t n_named;
};

void lost_files_release(struct lost_files *lost);

static inline void lost_files_releasep(struct lost_files *lost)
{
	lost_files_release(lost);
}

/*
 * Compares the profile of the program with the files below the root of `store`, and with its `n` plans. What lies in a
 * folder that is closed to this user, or may not be read, is not lost. Returns 0, -ENOENT if there is no profile that
 * this user can read, or another negative errno.
 */
int lost_files_find(const struct store *store, const char *program, const struct plan_view *plans, size_t n,
	struct lost_files *ret);
