/* SPDX-License-Identifier: MIT */
/* Memory of the original that nothing refers to any more. */
#include "base/array.h"
#include "verify/compact/parts.h"

bool verify_is_gone(const struct verify_compact *compact, uint64_t address, uint64_t size)
{
	uint64_t end = address + size;

	while (address < end) {
		uint64_t was = address;

		for (size_t i = 0; i < compact->n_gone; i++)
			if (address >= compact->gone[i].address &&
				address - compact->gone[i].address < compact->gone[i].size)
				address = compact->gone[i].address + compact->gone[i].size;
		if (address == was)
			return false;
	}
	return true;
}

int verify_add_gone(struct verify_compact *compact, uint64_t address, uint64_t size, uint64_t to)
{
	int r = ARRAY_RESERVE(compact->gone, compact->gone_capacity, compact->n_gone + 1);

	if (r == 0)
		compact->gone[compact->n_gone++] = (struct verify_gone){address, size, to};
	return r;
}
