/* SPDX-License-Identifier: MIT */
/*
 * What is known of programs, as a file. A record is
 *
 *     STARTS COLD TRIES BYTES LAST-START LAST-COLD LAST-TRY LEARNT KEPT-BYTES KEY USER PATH
 *
 * KEY is hexadecimal.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "learn/known.h"

static int take(void *content, const char *record)
{
	struct known_program program = {0};
	struct known *known = content;
	unsigned user;
	int path = 0;

	if (sscanf(record,
		    "%" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNd64 " %" SCNd64 " %" SCNd64
		    " %" SCNd64 " %" SCNu64 " %" SCNx64 " %u %n",
		    &program.starts, &program.cold, &program.tries, &program.bytes, &program.last_start,
		    &program.last_cold, &program.last_try, &program.learnt, &program.kept_bytes, &program.key,
		    &user, &path) != 11 ||
		!records_is_path(record + path) || known->n >= KNOWN_MAX)
		return -EINVAL;
	program.user = user;
	return known_add(known, &program, record + path);
}

static void put(const void *content, FILE *stream)
{
	const struct known *known = content;

	for (size_t i = 0; i < known->n; i++) {
		const struct known_program *program = &known->items[i];

		fprintf(stream,
			"%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64
			" %" PRId64 " %" PRIu64 " %" PRIx64 " %u %s%c",
			program->starts, program->cold, program->tries, program->bytes, program->last_start,
			program->last_cold, program->last_try, program->learnt, program->kept_bytes,
			program->key, (unsigned)program->user, program->path, 0);
	}
}

static void release(void *content)
{
	known_release(content);
}

const struct records_format known_format = {
	.magic = "headstart-known",
	.version = 3,
	.size_max = 16u << 20,
	.take = take,
	.put = put,
	.release = release,
};
