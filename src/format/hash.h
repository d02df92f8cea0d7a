/* SPDX-License-Identifier: MIT */
/* FNV-1a, 64 bits (draft-eastlake-fnv): the small hash that freestanding code and tools share. Not cryptographic. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FNV1A64_START 0xcbf29ce484222325u

static inline uint64_t fnv1a64(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *at = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * 0x100000001b3u;
	return hash;
}
