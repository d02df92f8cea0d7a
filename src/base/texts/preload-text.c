/* SPDX-License-Identifier: MIT */
/* Names in the text of /etc/ld.so.preload. */
#include "base/texts/preload-text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool separates(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == ':';
}

const char *preload_text_next(const char *at, const char *end, size_t *ret_length)
{
	while (at < end) {
		const char *start = at;

		if (*at == '#') {
			while (at < end && *at != '\n')
				at++;
			continue;
		}
		while (at < end && !separates(*at) && *at != '#')
			at++;
		if (at > start) {
			*ret_length = (size_t)(at - start);
			return start;
		}
		at++;
	}
	return NULL;
}

/* Where the first `name` at or behind `at` begins; `end` if there is none. */
static const char *find_name(const char *at, const char *end, const char *name)
{
	size_t length;

	for (; (at = preload_text_next(at, end, &length)); at += length)
		if (length == strlen(name) && memcmp(at, name, length) == 0)
			return at;
	return end;
}

bool preload_text_has(const char *text, size_t size, const char *name)
{
	return find_name(text, text + size, name) < text + size;
}

int preload_text_add(const char *text, size_t size, const char *name, char **ret, size_t *ret_size)
{
	size_t length = strlen(name), at = size;
	char *added = malloc(size + length + 2);

	if (!added)
		return -ENOMEM;
	if (size)
		memcpy(added, text, size);
	if (size && text[size - 1] != '\n')
		added[at++] = '\n';
	memcpy(added + at, name, length);
	at += length;
	added[at++] = '\n';
	*ret = added;
	*ret_size = at;
	return 0;
}

/* Widens [*start, *end), which is a name in [at, limit), to everything that is removed with it. */
static void widen(bool begins_line, const char *at, const char *limit, const char **start, const char **end)
{
	bool ends_line = *end == limit || **end == '\n';

	if (!ends_line && **end != '#')
		(*end)++; /* the separator after it */
	else if (begins_line && *end < limit && **end == '\n')
		(*end)++; /* the line */
	else if (!begins_line && *start > at)
		(*start)--; /* the separator before it */
}

int preload_text_remove(const char *text, size_t size, const char *name, char **ret, size_t *ret_size)
{
	const char *at = text, *limit = text + size;
	char *rest = malloc(size + 1);
	size_t n = 0;

	if (!rest)
		return -ENOMEM;
	while (at < limit) {
		const char *start = find_name(at, limit, name), *end = start;
		char before = start > at ? start[-1] : n > 0 ? rest[n - 1] : '\n';

		if (start < limit) {
			end = start + strlen(name);
			widen(before == '\n', at, limit, &start, &end);
		}
		memcpy(rest + n, at, (size_t)(start - at));
		n += (size_t)(start - at);
		at = end;
	}
	*ret = rest;
	*ret_size = n;
	return 0;
}
