/* SPDX-License-Identifier: MIT */
/* Finds an item of an array by its string: a hash table of places, brought up to date at each lookup. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct string_index {
	size_t *slots;   /* owned; the place of an item + 1, or 0 */
	size_t capacity; /* of slots: a power of two */
	size_t n;        /* items known so far */
};

/* Also throws the index away when items were removed, moved or renamed: between lookups they may only be appended. */
void string_index_release(struct string_index *index);

/*
 * The place of the first of `n` items with that string, -ENOENT, or -ENOMEM. An item has `size` bytes and begins with the
 * pointer to its string.
 */
ssize_t string_index_find(
	struct string_index *index, const void *items, size_t size, size_t n, const char *string);
