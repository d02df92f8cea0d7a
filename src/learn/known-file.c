/* SPDX-License-Identifier: MIT */
#include "learn/known-file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define MAGIC   "headstart-known"
#define VERSION 2u /* 1 had no keys */

static int parse_record(void *context, const char *record, unsigned version)
{
	struct known_program program = {0};
	struct known *known = context;
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

enum records_fault known_parse(const char *data, size_t size, struct known *ret)
{
	_cleanup_(known_releasep) struct known known = {0};
	enum records_fault fault = records_parse(data, size, MAGIC, VERSION, parse_record, &known);

	if (fault != RECORDS_GOOD)
		return fault;
	*ret = known;
	known = (struct known){0};
	return RECORDS_GOOD;
}

int known_serialize(const struct known *known, char **ret_data, size_t *ret_size)
{
	_cleanup_free_ char *body = NULL;
	size_t body_size;
	FILE *stream = open_memstream(&body, &body_size);

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
	return records_serialize(MAGIC, VERSION, body, body_size, ret_data, ret_size);
}
