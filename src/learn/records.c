/* SPDX-License-Identifier: MIT */
#include "learn/records.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/strings.h"

#define HEAD_MAX 64 /* bytes of the first line */

static int take_all(const struct records_format *format, const char *record, const char *end, void *content)
{
	int r = 0;

	for (; r == 0 && record < end; record += strlen(record) + 1)
		r = memchr(record, 0, (size_t)(end - record)) ? format->take(content, record) : -EINVAL;
	return r;
}

enum records_fault records_parse(
	const struct records_format *format, const char *data, size_t size, void *content)
{
	const char *line_end = memchr(data, '\n', size), *end = data + size, *rest;
	char line[HEAD_MAX];
	uint64_t checksum;
	unsigned version;
	int used = 0;

	if (!line_end || (size_t)(line_end - data) >= sizeof(line))
		return RECORDS_DAMAGED;
	memcpy(line, data, (size_t)(line_end - data));
	line[line_end - data] = 0;
	rest = after_prefix(line, format->magic);
	if (!rest || sscanf(rest, " %u%n", &version, &used) != 1)
		return RECORDS_DAMAGED;
	if (version > format->version)
		return RECORDS_NEWER;
	if (version != format->version || sscanf(rest + used, " %" SCNx64, &checksum) != 1 ||
		checksum64(line_end + 1, (size_t)(end - line_end - 1)) != checksum)
		return RECORDS_DAMAGED;
	if (take_all(format, line_end + 1, end, content) == 0)
		return RECORDS_GOOD;
	format->release(content);
	return RECORDS_DAMAGED;
}

int records_serialize(
	const struct records_format *format, const void *content, char **ret_data, size_t *ret_size)
{
	_cleanup_free_ char *body = NULL;
	size_t body_size;
	FILE *stream = open_memstream(&body, &body_size);
	char *data;
	int head;

	if (!stream)
		return -ENOMEM;
	format->put(content, stream);
	if (fclose(stream) != 0)
		return -ENOMEM;
	data = malloc(HEAD_MAX + body_size);
	if (!data)
		return -ENOMEM;
	head = snprintf(data, HEAD_MAX, "%s %u %016" PRIx64 "\n", format->magic, format->version,
		checksum64(body, body_size));
	memcpy(data + head, body, body_size);
	*ret_data = data;
	*ret_size = (size_t)head + body_size;
	return 0;
}

bool records_is_path(const char *text)
{
	return text[0] == '/' && strlen(text) < PATH_MAX;
}
