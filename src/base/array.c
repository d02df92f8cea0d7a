/* SPDX-License-Identifier: MIT */
/* Growth of arrays: doubling, overflow-checked. */
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

int array_reserve(void **items, size_t *capacity, size_t need, size_t item_size)
{
	size_t wanted = *capacity ? *capacity : 16;
	size_t bytes;
	void *grown;

	if (need <= *capacity)
		return 0;
	while (wanted < need)
		if (__builtin_mul_overflow(wanted, 2, &wanted))
			return -EOVERFLOW;
	if (__builtin_mul_overflow(wanted, item_size, &bytes))
		return -EOVERFLOW;
	grown = realloc(*items, bytes);
	if (!grown)
		return -ENOMEM;
	*items = grown;
	*capacity = wanted;
	return 0;
}
