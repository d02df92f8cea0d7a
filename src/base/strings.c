/* SPDX-License-Identifier: MIT */
/* String tables. */
#include "base/strings.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

int string_table_add(struct string_table *table, const char *string, uint32_t *ret_offset)
{
	size_t n = strlen(string) + 1;
	int r;

	if (table->size + n > UINT32_MAX)
		return -EOVERFLOW;
	r = ARRAY_RESERVE(table->data, table->capacity, table->size + n);
	if (r < 0)
		return r;
	memcpy(table->data + table->size, string, n);
	*ret_offset = (uint32_t)table->size;
	table->size += n;
	return 0;
}

void string_table_release(struct string_table *table)
{
	free(table->data);
	*table = (struct string_table){0};
}

bool number_of_line(const char *text, const char *key, uint64_t *ret)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *value;
		char *end;
		unsigned long long number;

		line += *line == '\n';
		value = after_prefix(line, key);
		if (!value)
			continue;
		value += strspn(value, " \t");
		errno = 0;
		number = strtoull(value, &end, 10);
		if (errno || end == value || *value < '0' || *value > '9')
			return false;
		*ret = number;
		return true;
	}
	return false;
}
