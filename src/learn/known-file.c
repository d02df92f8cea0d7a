/* SPDX-License-Identifier: MIT */
#include "learn/known-file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/strings.h"

#define MAGIC   "headstart-known "
#define VERSION 2u /* 1 had no keys */

static void known_releasep(struct known *known)
{
	known_release(known);
}

/* One record, which ends with a NUL. */
static int parse_record(const char *record, unsigned version, struct known *known)
{
	struct known_program program = {0};
	int path = 0, key = 0, r;

	if (sscanf(record,
		    "%" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNd64 " %" SCNd64 " %" SCNd64
		    " %" SCNd64 " %" SCNu64 " %n",
		    &program.starts, &program.cold, &program.tries, &program.bytes, &program.last_start,
		    &program.last_cold, &program.last_try, &program.learnt, &program.kept_bytes, &key) != 9 ||
		(version > 1 && sscanf(record + key, "%" SCNx64 " %n", &program.key, &path) != 1) ||
		record[key + path] != '/' || strlen(record + key + path) >= PATH_MAX || known->n >= KNOWN_MAX)
		return -EINVAL;
	program.path = strdup(record + key + path);
	r = program.path ? known_add(known, &program) : -ENOMEM;
	if (r < 0)
		free(program.path);
	return r;
}

enum known_fault known_parse(const char *data, size_t size, struct known *ret)
{
	_cleanup_(known_releasep) struct known known = {0};
	const char *line_end = memchr(data, '\n', size), *end = data + size;
	char line[64];
	uint64_t checksum;
	unsigned version;
	int used = 0;

	if (!line_end || (size_t)(line_end - data) >= sizeof(line))
		return KNOWN_DAMAGED;
	memcpy(line, data, (size_t)(line_end - data));
	line[line_end - data] = 0;
	if (sscanf(line, MAGIC "%u%n", &version, &used) != 1)
		return KNOWN_DAMAGED;
	if (version > VERSION)
		return KNOWN_NEWER;
	if (version == 0 || sscanf(line + used, " %" SCNx64, &checksum) != 1 ||
		checksum64(line_end + 1, (size_t)(end - line_end - 1)) != checksum)
		return KNOWN_DAMAGED;
	for (const char *record = line_end + 1; record < end; record += strlen(record) + 1)
		if (!memchr(record, 0, (size_t)(end - record)) || parse_record(record, version, &known) < 0)
			return KNOWN_DAMAGED;
	*ret = known;
	known = (struct known){0};
	return KNOWN_GOOD;
}

int known_serialize(const struct known *known, char **ret_data, size_t *ret_size)
{
	_cleanup_free_ char *body = NULL;
	size_t body_size;
	FILE *stream = open_memstream(&body, &body_size);
	char *data;
	int head;

	if (!stream)
		return -ENOMEM;
	for (size_t i = 0; i < known->n; i++) {
		const struct known_program *program = &known->items[i];

		fprintf(stream,
			"%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64
			" %" PRId64 " %" PRIu64 " %" PRIx64 " %s%c",
			program->starts, program->cold, program->tries, program->bytes, program->last_start,
			program->last_cold, program->last_try, program->learnt, program->kept_bytes,
			program->key, program->path, 0);
	}
	if (fclose(stream) != 0)
		return -ENOMEM;
	data = malloc(64 + body_size);
	if (!data)
		return -ENOMEM;
	head = snprintf(data, 64, MAGIC "%u %016" PRIx64 "\n", VERSION, checksum64(body, body_size));
	memcpy(data + head, body, body_size);
	*ret_data = data;
	*ret_size = (size_t)head + body_size;
	return 0;
}
