/* SPDX-License-Identifier: MIT */
/* Reads tables and strings of a file one after the other. Every byte may be hostile. */
#pragma once

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
