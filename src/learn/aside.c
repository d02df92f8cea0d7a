/* SPDX-License-Identifier: MIT */
/* Grows no larger than the number of names within one while: what is over makes room. */
#include "learn/aside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checksum.h"

void aside_release(struct aside *aside)
{
	free(aside->items);
	*aside = (struct aside){0};
}

int aside_put(struct aside *aside, const char *name, uint64_t until_ms, uint64_t now_ms)
{
	size_t kept = 0;

	for (size_t i = 0; i < aside->n; i++)
		if (aside->items[i].until_ms > now_ms)
			aside->items[kept++] = aside->items[i];
	aside->n = kept;
	if (ARRAY_RESERVE(aside->items, aside->capacity, aside->n + 1) < 0)
		return -ENOMEM;
	aside->items[aside->n++] = (struct aside_item){checksum64(name, strlen(name)), until_ms};
	return 0;
}

bool aside_has(const struct aside *aside, const char *name, uint64_t now_ms)
{
	uint64_t hash = checksum64(name, strlen(name));

	for (size_t i = 0; i < aside->n; i++)
		if (aside->items[i].hash == hash && aside->items[i].until_ms > now_ms)
			return true;
	return false;
}
