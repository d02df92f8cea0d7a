/* SPDX-License-Identifier: MIT */
/* A growable array as three plain variables: items, count, capacity. */
#pragma once

#include <stddef.h>

/*
 * Makes room for at least `need` items of item_size bytes. *items stays owned by the caller (free(3)); it and
 * *capacity are untouched on failure. Returns 0, -ENOMEM or -EOVERFLOW.
 */
int array_reserve(void **items, size_t *capacity, size_t need, size_t item_size);

/* array_reserve() for a typed pointer: ARRAY_RESERVE(files, capacity, n_files + 1). */
#define ARRAY_RESERVE(items, capacity, need)                                                                 \
	({                                                                                                   \
		void *reserve_ = (items);                                                                    \
		int reserved_ = array_reserve(&reserve_, &(capacity), (need), sizeof(*(items)));             \
		(items) = reserve_;                                                                          \
		reserved_;                                                                                   \
	})

/*
 * The first place of an array of n items for which the condition is false. It is true for all places before that one and false
 * for all after it: ARRAY_BISECT(i, n_files, files[i].order < order).
 */
#define ARRAY_BISECT(place, n, condition)                                                                    \
	({                                                                                                   \
		size_t low_ = 0, high_ = (n);                                                                \
		while (low_ < high_) {                                                                       \
			const size_t place = low_ + (high_ - low_) / 2;                                      \
			if (condition)                                                                       \
				low_ = place + 1;                                                            \
			else                                                                                 \
				high_ = place;                                                               \
		}                                                                                            \
		low_;                                                                                        \
	})
