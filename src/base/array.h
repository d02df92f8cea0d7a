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
