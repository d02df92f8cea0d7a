/* SPDX-License-Identifier: MIT */
/* Reads tables and strings of a file one after the other. Every byte may be hostile. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/checked.h"

/* What is left to read. */
struct reader {
	const char *data; /* borrowed */
	size_t size;      /* bytes */
};

/* The next `count` items of item_size bytes, possibly not aligned; NULL if fewer are left. */
static inline const char *reader_take(struct reader *reader, uint64_t count, size_t item_size)
{
	const char *taken = reader->data;
	size_t size;

	if (!table_fits(0, count, item_size, reader->size))
		return NULL;
	size = (size_t)count * item_size;
	reader->data += size;
	reader->size -= size;
	return taken;
}

/* Copies the next item of this size. Returns false at the end. */
static inline bool reader_next(struct reader *reader, void *item, size_t size)
{
	const char *at = reader_take(reader, 1, size);

	if (at)
		memcpy(item, at, size);
	return at;
}

/* A table of a file: its items lie one behind the other. */
struct reader_table {
	struct reader *ret;
	uint64_t count; /* as the file says */
	size_t item_size;
};

/* Cuts what is left into n tables. Returns whether they fill it; *ret of each may be written even if they do not. */
static inline bool reader_cut(struct reader reader, const struct reader_table *tables, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *data = reader_take(&reader, tables[i].count, tables[i].item_size);

		if (!data)
			return false;
		*tables[i].ret = (struct reader){data, (size_t)tables[i].count * tables[i].item_size};
	}
	return reader.size == 0;
}

/* The next string where it lies, NUL-terminated; NULL if there is none. */
static inline const char *reader_string(struct reader *reader)
{
	size_t length = strnlen(reader->data, reader->size);

	return length == reader->size ? NULL : reader_take(reader, length + 1, 1);
}

/* A copy of it, which the caller frees. Each byte is copied at most once, so copies cannot outgrow the file. */
static inline char *reader_copy_string(struct reader *reader)
{
	const char *text = reader_string(reader);

	return text ? strdup(text) : NULL;
}
