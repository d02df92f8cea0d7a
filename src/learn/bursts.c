/* SPDX-License-Identifier: MIT */
#include "learn/bursts.h"

#include <string.h>

#include "format/hash.h"

bool bursts_look(struct bursts *bursts, const char *name, uint64_t now_ms)
{
	uint64_t hash = fnv1a64(FNV1A64_START, name, strlen(name)), second = now_ms / 1000 + 1;

	for (size_t i = 0; i < 2; i++) {
		size_t at = (hash >> (i * 32)) % BURST_NAMES;

		if (bursts->names[at].name == hash && bursts->names[at].second == second)
			return bursts->names[at].looks++ < BURST_LOOKS;
		if (bursts->names[at].second != second) {
			bursts->names[at].name = hash;
			bursts->names[at].second = second;
			bursts->names[at].looks = 1;
			return true;
		}
	}
	return true; /* both places are other names' in this second */
}
