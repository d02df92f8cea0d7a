/* SPDX-License-Identifier: MIT */
/* Makes the stored recording of a start more exact by another start like it, which was watched (profile/refine/refine.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "plan/asked/asked.h"
#include "profile/recordings/recordings.h"

/* What is stored, and how it was when it was read. */
struct refining {
	const char *program;      /* borrowed */
	const char *const *argv;  /* borrowed: of the start */
	struct asked_place place; /* of its arguments */
	struct recordings stored;
	struct profile
		*recording; /* in stored: of starts like this one; NULL: not loaded, or there is none */
	char *path;         /* owned: of the profile */
	struct stat file;   /* of the profile, when it was read */
};

struct refined {
	bool learnt;   /* the start was one of the recorded kind */
	bool changed;  /* something new is stored: at least that a page was not touched this time */
	bool better;   /* pages were added, removed or confirmed */
	uint64_t key;  /* of the recording; 0: it has none */
	int64_t grown; /* bytes that are kept of it now, and were not before */
};

/* Reads what is stored. Returns whether a recording of such starts is there. */
bool refining_load(struct refining *refining);

/*
 * Learns from what the start touched; `found` as in struct refine_start. Nothing is stored if somebody else has changed the
 * profile meanwhile.
 */
struct refined refining_finish(struct refining *refining, struct profile *seen, uint32_t found);

void refining_release(struct refining *refining);
