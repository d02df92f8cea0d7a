/* SPDX-License-Identifier: MIT */
/*
 * When a start of a program that has a plan should be watched, so that its recording becomes more exact. Nothing of this is
 * written down: after a restart each program is watched once. Each user's starts count by themselves.
 * Programs of which the hashes collide may be watched less often.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define REFINEMENTS_MAX 1024 /* programs, of a user each */

enum refinement {
	REFINEMENT_BETTER, /* pages joined, left or are certain now, and the next start may say more */
	REFINEMENT_COUNTED, /* it may have touched some pages and not others, which counts if later ones agree */
	REFINEMENT_SAME,    /* it has taught nothing; tomorrow's starts may differ */
	REFINEMENT_NOTHING, /* it was warm, or of another kind */
};

struct refinements {
	struct {
		uint64_t hash; /* of the program's path and the user; 0: free */
		uint64_t next_ms;
		uint64_t started_ms; /* its last start that we heard of */
		uint64_t nothing_ms; /* the pause after its last start; 0: that one has taught something */
	} items[REFINEMENTS_MAX];
};

/* Whether a start of the program by this user that begins now should be watched. A program that was unknown is noted. */
bool refinements_due(struct refinements *refinements, const char *program, uid_t user, uint64_t now_ms);

/* Whether any of the noted programs should be that was started within a day. */
bool refinements_any_due(const struct refinements *refinements, uint64_t now_ms);

void refinements_told(struct refinements *refinements, const char *program, uid_t user, enum refinement what,
	uint64_t now_ms);
