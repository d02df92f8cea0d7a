/* SPDX-License-Identifier: MIT */
/* What is worth a trace, and what is forgotten. */
#include "learn/known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/strings.h"

#define DAY           86400
#define TRIES_MAX     8   /* traces in vain, after which another cold start must be seen */
#define TRY_AGAIN_S   300 /* after a trace in vain: the program is warm, and will be for a while */
#define SELDOM_STARTS 50  /* of so many starts … */
#define SELDOM_SHARE  25  /* … less than one in that many was cold */

void known_release(struct known *known)
{
	for (size_t i = 0; i < known->n; i++)
		free(known->items[i].path);
	free(known->items);
	*known = (struct known){0};
}

static uint64_t hash_of(const char *path)
{
	return checksum64(path, strlen(path));
}

struct known_program *known_find(const struct known *known, const char *path)
{
	uint64_t hash = hash_of(path);

	for (size_t i = 0; i < known->n; i++)
		if (known->items[i].hash == hash && streq(known->items[i].path, path))
			return &known->items[i];
	return NULL;
}

/* How long ago, in seconds. */
static int64_t age(int64_t then, int64_t now)
{
	return now > then ? now - then : 0;
}

int known_add(struct known *known, struct known_program *program)
{
	int r = ARRAY_RESERVE(known->items, known->capacity, known->n + 1);

	if (r < 0)
		return r;
	program->hash = hash_of(program->path);
	known->items[known->n++] = *program;
	*program = (struct known_program){0};
	return 0;
}

void known_forget(struct known *known, struct known_program *program)
{
	free(program->path);
	*program = known->items[--known->n];
	known->changed = true;
}

static void make_room(struct known *known)
{
	struct known_program *oldest = NULL;

	for (size_t i = 0; i < known->n; i++)
		if (!known->items[i].learnt && (!oldest || known->items[i].last_cold < oldest->last_cold))
			oldest = &known->items[i];
	if (oldest)
		known_forget(known, oldest);
}

static int add_new(struct known *known, const char *path, struct known_program **ret)
{
	struct known_program program = {.path = strdup(path)};
	int r;

	if (!program.path)
		return -ENOMEM;
	if (known->n >= KNOWN_MAX)
		make_room(known);
	r = known->n >= KNOWN_MAX ? -ENOMEM : known_add(known, &program);
	if (r < 0) {
		free(program.path);
		return r;
	}
	*ret = &known->items[known->n - 1];
	return 0;
}

int known_judge(struct known *known, const char *path, uint64_t bytes, int64_t now)
{
	struct known_program *program = known_find(known, path);
	int r = 0;

	if (!program && !known_is_cold(bytes))
		return 0;
	if (!program)
		r = add_new(known, path, &program);
	if (r < 0)
		return r;
	program->starts += program->starts < UINT32_MAX;
	program->last_start = now;
	known->changed = true;
	if (!known_is_cold(bytes))
		return 0;
	program->cold += program->cold < UINT32_MAX;
	program->last_cold = now;
	program->bytes = bytes;
	program->tries = 0;
	return 0;
}

void known_started(struct known *known, const char *path, int64_t now)
{
	struct known_program *program = known_find(known, path);

	/* Once a day is enough: this would otherwise be written at every start. */
	if (!program || age(program->last_start, now) < DAY)
		return;
	program->last_start = now;
	known->changed = true;
}

static bool seldom_cold(const struct known_program *program)
{
	return program->starts >= SELDOM_STARTS && program->cold < program->starts / SELDOM_SHARE;
}

bool known_wants_trace(const struct known_program *program, int64_t now)
{
	return !program->learnt && program->cold > 0 && program->tries < TRIES_MAX && !seldom_cold(program) &&
		(program->tries == 0 || age(program->last_try, now) >= TRY_AGAIN_S);
}

void known_traced(struct known *known, struct known_program *program, uint64_t kept_bytes, int64_t now)
{
	known->changed = true;
	program->last_try = now;
	if (kept_bytes == 0) {
		program->tries++;
		return;
	}
	program->tries = 0;
	program->learnt = now;
	program->kept_bytes = kept_bytes;
	program->last_start = now;
}

uint64_t known_kept_bytes(const struct known *known)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < known->n; i++)
		if (__builtin_add_overflow(bytes, known->items[i].kept_bytes, &bytes))
			return UINT64_MAX;
	return bytes;
}

static bool too_old(const struct known_program *program, int64_t now)
{
	int64_t last = program->learnt ? program->last_start : program->last_cold;

	return age(last, now) > (int64_t)KNOWN_DAYS_KEPT * DAY;
}

struct known_program *known_next_to_forget(const struct known *known, uint64_t budget, int64_t now)
{
	bool over = known_kept_bytes(known) > budget;
	struct known_program *oldest = NULL;

	for (size_t i = 0; i < known->n; i++) {
		struct known_program *program = &known->items[i];

		if (too_old(program, now))
			return program;
		if (over && program->learnt && (!oldest || program->last_start < oldest->last_start))
			oldest = program;
	}
	return oldest;
}
