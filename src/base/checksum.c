/* SPDX-License-Identifier: MIT */
#include "base/checksum.h"

#include <string.h>
#include <sys/auxv.h>
#include <xxhash.h>

uint64_t checksum64(const void *data, size_t size)
{
	return XXH3_64bits(data, size);
}

/* AT_RANDOM has 16 random bytes, and is there at once, where getrandom(2) may wait while the machine boots. */
uint64_t hash64(const void *data, size_t size)
{
	const uint8_t *random = (const uint8_t *)getauxval(AT_RANDOM);
	uint64_t seed = 0;

	if (random)
		memcpy(&seed, random + sizeof(seed), sizeof(seed));
	return XXH3_64bits_withSeed(data, size, seed);
}
