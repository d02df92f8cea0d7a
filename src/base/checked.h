/* SPDX-License-Identifier: MIT */
/* Overflow-checked arithmetic on offsets, counts and sizes that come from files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether [offset, offset + length) lies inside [0, limit). An empty range at limit does. */
static inline bool range_fits(uint64_t offset, uint64_t length, uint64_t limit)
{
	return offset <= limit && length <= limit - offset;
}

/* Whether count items of item_size bytes at offset lie inside [0, limit). */
static inline bool table_fits(uint64_t offset, uint64_t count, uint64_t item_size, uint64_t limit)
{
	uint64_t length;

	return !__builtin_mul_overflow(count, item_size, &length) && range_fits(offset, length, limit);
}
