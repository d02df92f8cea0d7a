/* SPDX-License-Identifier: MIT */
/* Writes tables and strings one after the other into memory, for a file that base/reader.h reads. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct writer {
	char *data; /* owned; malloc()ed */
	size_t size, capacity;
	int error; /* once an allocation has failed, nothing more is written; else 0 */
};

static inline void writer_releasep(struct writer *writer)
{
	free(writer->data);
}

static inline void writer_put(struct writer *writer, const void *data, size_t size)
{
	if (writer->error == 0)
		writer->error = ARRAY_RESERVE(writer->data, writer->capacity, writer->size + size);
	if (writer->error < 0 || size == 0)
		return;
	memcpy(writer->data + writer->size, data, size);
	writer->size += size;
}

/* With its NUL; NULL is written as "". */
static inline void writer_put_string(struct writer *writer, const char *string)
{
	writer_put(writer, string ? string : "", string ? strlen(string) + 1 : 1);
}
