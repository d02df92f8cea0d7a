/* SPDX-License-Identifier: MIT */
#include "learn/records.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/strings.h"

#define HEAD_MAX 64 /* bytes of the first line */

enum records_fault records_parse(const char *data, size_t size, const char *magic, unsigned newest_version,
	records_take *take, void *context)
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
	rest = after_prefix(line, magic);
	if (!rest || sscanf(rest, " %u%n", &version, &used) != 1)
		return RECORDS_DAMAGED;
	if (version > newest_version)
		return RECORDS_NEWER;
	if (version == 0 || sscanf(rest + used, " %" SCNx64, &checksum) != 1 ||
		checksum64(line_end + 1, (size_t)(end - line_end - 1)) != checksum)
		return RECORDS_DAMAGED;
	for (const char *record = line_end + 1; record < end; record += strlen(record) + 1)
		if (!memchr(record, 0, (size_t)(end - record)) || take(context, record, version) < 0)
			return RECORDS_DAMAGED;
	return RECORDS_GOOD;
}

int records_serialize(const char *magic, unsigned version, const char *body, size_t body_size,
	char **ret_data, size_t *ret_size)
{
	char *data = malloc(HEAD_MAX + body_size);
	int head;

	if (!data)
		return -ENOMEM;
	head = snprintf(
		data, HEAD_MAX, "%s %u %016" PRIx64 "\n", magic, version, checksum64(body, body_size));
	memcpy(data + head, body, body_size);
	*ret_data = data;
	*ret_size = (size_t)head + body_size;
	return 0;
}
