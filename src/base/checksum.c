/* SPDX-License-Identifier: MIT */
#include "base/checksum.h"

#include <xxhash.h>

uint64_t checksum64(const void *data, size_t size)
{
	return XXH3_64bits(data, size);
}
