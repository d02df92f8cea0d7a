/* SPDX-License-Identifier: MIT */
/* A table with one place for each hash, so that it never grows. */
#include "learn/refinements.h"

#include <string.h>

#include "base/checksum.h"

#define SAME_MS        86400000 /* a day */
#define COUNTED_MS     3600000  /* an hour: starts right after each other are alike */
#define NOTHING_MS     10000 /* at first, and twice as long each time: a program in memory mostly stays there */
#define NOTHING_MAX_MS 3600000
#define LATELY_MS      86400000
#define WAITS_MS                                                                                             \
	3600000 /* one that is not started for an hour leaves its place to another one with this hash */

static uint64_t hash_of(const char *program, uid_t user)
{
	return (checksum64(program, strlen(program)) ^ checksum64(&user, sizeof(user))) | 1;
}

bool refinements_due(struct refinements *refinements, const char *program, uid_t user, uint64_t now_ms)
{
	uint64_t hash = hash_of(program, user);
	size_t at = hash / 2 % REFINEMENTS_MAX;

	if (refinements->items[at].hash != hash) {
		uint64_t next_ms = refinements->items[at].next_ms;

		if (refinements->items[at].hash && now_ms < next_ms + WAITS_MS)
			return false; /* the other program comes first, and keeps its pause */
		memset(&refinements->items[at], 0, sizeof(refinements->items[at]));
		refinements->items[at].hash = hash;
		refinements->items[at].next_ms = now_ms;
	}
	refinements->items[at].started_ms = now_ms;
	return refinements->items[at].next_ms <= now_ms;
}

bool refinements_any_due(const struct refinements *refinements, uint64_t now_ms)
{
	for (size_t i = 0; i < REFINEMENTS_MAX; i++)
		if (refinements->items[i].hash && refinements->items[i].next_ms <= now_ms &&
			now_ms - refinements->items[i].started_ms < LATELY_MS)
			return true;
	return false;
}

void refinements_told(struct refinements *refinements, const char *program, uid_t user, enum refinement what,
	uint64_t now_ms)
{
	static const uint64_t pauses_ms[] = {
		[REFINEMENT_BETTER] = 0, [REFINEMENT_COUNTED] = COUNTED_MS, [REFINEMENT_SAME] = SAME_MS};
	uint64_t hash = hash_of(program, user);
	size_t at = hash / 2 % REFINEMENTS_MAX;
	uint64_t nothing_ms;

	if (refinements->items[at].hash != hash)
		return; /* another program has taken its place */
	nothing_ms = refinements->items[at].nothing_ms;
	nothing_ms = nothing_ms == 0 ? NOTHING_MS : 2 * nothing_ms;
	nothing_ms = nothing_ms > NOTHING_MAX_MS ? NOTHING_MAX_MS : nothing_ms;
	refinements->items[at].nothing_ms = what == REFINEMENT_NOTHING ? nothing_ms : 0;
	refinements->items[at].next_ms = now_ms + (what == REFINEMENT_NOTHING ? nothing_ms : pauses_ms[what]);
}
