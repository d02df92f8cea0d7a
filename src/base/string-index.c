/* SPDX-License-Identifier: MIT */
/* Open addressing with linear probing, at most half full. */
#include "base/string-index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/strings.h"

void string_index_release(struct string_index *index)
{
	free(index->slots);
	*index = (struct string_index){0};
}

static const char *string_of(const void *items, size_t size, size_t place)
{
	const char *string;

	memcpy(&string, (const char *)items + place * size, sizeof(string));
	return string;
}

/* The slot that holds the string, or the empty one where it belongs. */
static size_t *find_slot(const struct string_index *index, const void *items, size_t size, const char *string)
{
	size_t at = (size_t)hash64(string, strlen(string)) & (index->capacity - 1);

	while (index->slots[at] && !streq(string_of(items, size, index->slots[at] - 1), string))
		at = (at + 1) & (index->capacity - 1);
	return &index->slots[at];
}

static int make_room(struct string_index *index, size_t n)
{
	size_t capacity = index->capacity ? index->capacity : 64;
	size_t *slots;

	if (n <= index->capacity / 2)
		return 0;
	while (capacity / 2 < n)
		capacity *= 2;
	slots = calloc(capacity, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(index->slots);
	*index = (struct string_index){.slots = slots, .capacity = capacity};
	return 0;
}

ssize_t string_index_find(
	struct string_index *index, const void *items, size_t size, size_t n, const char *string)
{
	size_t *slot;
	int r = make_room(index, n + 1);

	if (r < 0)
		return r;
	for (; index->n < n; index->n++) {
		slot = find_slot(index, items, size, string_of(items, size, index->n));
		if (!*slot)
			*slot = index->n + 1;
	}
	slot = find_slot(index, items, size, string);
	return *slot ? (ssize_t)*slot - 1 : -ENOENT;
}
