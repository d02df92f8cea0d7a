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

static bool is_of(const struct known_program *item, const char *path, uint64_t hash)
{
	return item->hash == hash && streq(item->path, path);
}

struct known_program *known_find(const struct known *known, const char *path, uint64_t key)
{
	uint64_t hash = hash_of(path);

	for (size_t i = 0; i < known->n; i++)
		if (known->items[i].key == key && is_of(&known->items[i], path, hash))
			return &known->items[i];
	return NULL;
}

/* How long ago, in seconds. */
static int64_t age(int64_t then, int64_t now)
{
	return now > then ? now - then : 0;
}

int known_add(struct known *known, const struct known_program *program, const char *path)
{
	int r = ARRAY_RESERVE(known->items, known->capacity, known->n + 1);
	struct known_program added = *program;

	added.path = r < 0 ? NULL : strdup(path);
	if (!added.path)
		return -ENOMEM;
	added.hash = hash_of(path);
	known->items[known->n++] = added;
	return 0;
}

static void take_out(struct known *known, struct known_program *item)
{
	free(item->path);
	*item = known->items[--known->n];
	known->changed = true;
}

void known_forget(struct known *known, struct known_program *program)
{
	bool whole = program->key == 0;
	uint64_t hash = program->hash;
	char *path = TAKE_PTR(program->path);

	take_out(known, program);
	for (size_t i = known->n; whole && i-- > 0;)
		if (is_of(&known->items[i], path, hash))
			take_out(known, &known->items[i]);
	free(path);
}

/* Of the items that are not learnt, of one program's starts or (NULL) of all, the one that was not cold for the longest time. */
static struct known_program *longest_warm(const struct known *known, const char *path)
{
	uint64_t hash = path ? hash_of(path) : 0;
	struct known_program *oldest = NULL;

	for (size_t i = 0; i < known->n; i++) {
		struct known_program *item = &known->items[i];

		if (!item->learnt && (!path || (item->key && is_of(item, path, hash))) &&
			(!oldest || item->last_cold < oldest->last_cold))
			oldest = item;
	}
	return oldest;
}

static size_t count_starts(const struct known *known, const char *path, bool learnt)
{
	uint64_t hash = hash_of(path);
	size_t n = 0;

	for (size_t i = 0; i < known->n; i++)
		n += known->items[i].key && (known->items[i].learnt != 0) == learnt &&
			is_of(&known->items[i], path, hash);
	return n;
}

static void make_room(struct known *known, const char *path)
{
	struct known_program *oldest = longest_warm(known, path);

	if (oldest)
		known_forget(known, oldest);
}

static int add_new(struct known *known, const char *path, uint64_t key, struct known_program **ret)
{
	int r;

	if (key && count_starts(known, path, false) >= KNOWN_STARTS_MAX)
		make_room(known, path);
	if (known->n >= KNOWN_MAX)
		make_room(known, NULL);
	r = known->n >= KNOWN_MAX ? -ENOMEM : known_add(known, &(struct known_program){.key = key}, path);
	if (r < 0)
		return r;
	*ret = &known->items[known->n - 1];
	return 0;
}

int known_judge(struct known *known, const char *path, uint64_t key, uint64_t bytes, int64_t now)
{
	struct known_program *program = known_find(known, path, key);
	int r = 0;

	if (!program && !known_is_cold(bytes))
		return 0;
	if (!program)
		r = add_new(known, path, key, &program);
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

void known_started(struct known *known, const char *path, uint64_t key, int64_t now)
{
	struct known_program *program = known_find(known, path, key);

	/* Once a day is enough: this would otherwise be written at every start. A start in the future was seen while the clock was wrong. */
	if (!program || (program->last_start <= now && age(program->last_start, now) < DAY))
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
		(program->tries == 0 || program->last_try > now || now - program->last_try >= TRY_AGAIN_S);
}

bool known_wants_start(const struct known *known, const char *path, int64_t now)
{
	uint64_t hash = hash_of(path);

	for (size_t i = 0; i < known->n; i++)
		if (known->items[i].key && is_of(&known->items[i], path, hash) &&
			known_wants_trace(&known->items[i], now))
			return true;
	return false;
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

int known_learnt(struct known *known, const char *path, uint64_t key, uint64_t kept_bytes, int64_t now)
{
	struct known_program *item = known_find(known, path, key);
	int r = item ? 0 : add_new(known, path, key, &item);

	if (r == 0)
		known_traced(known, item, 1, now);
	if (r == 0)
		item->kept_bytes = kept_bytes;
	return r;
}

void known_refined(struct known *known, const char *path, uint64_t key, int64_t grown)
{
	struct known_program *item = key ? known_find(known, path, key) : NULL;
	uint64_t shrunk = grown < 0 ? -(uint64_t)grown : 0;

	if (!item || !item->learnt || !item->kept_bytes)
		item = known_find(known, path, 0); /* it counts its first start */
	if (!item || !item->learnt || grown == 0)
		return;
	if (shrunk > 0)
		item->kept_bytes = item->kept_bytes > shrunk ? item->kept_bytes - shrunk : 1;
	else if (__builtin_add_overflow(item->kept_bytes, (uint64_t)grown, &item->kept_bytes))
		item->kept_bytes = UINT64_MAX;
	known->changed = true;
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

/* Whether this is a learnt start of a program that has too many of them. */
static bool is_one_too_many(const struct known *known, const struct known_program *item)
{
	return item->key && item->learnt && count_starts(known, item->path, true) > KNOWN_STARTS_MAX;
}

static bool is_used_less(const struct known_program *item, const struct known_program *other)
{
	return !other || item->last_start < other->last_start;
}

struct known_program *known_next_to_forget(const struct known *known, uint64_t budget, int64_t now)
{
	bool over = known_kept_bytes(known) > budget;
	struct known_program *oldest = NULL, *surplus = NULL;

	for (size_t i = 0; i < known->n; i++) {
		struct known_program *item = &known->items[i];

		if (too_old(item, now))
			return item;
		if (over && item->learnt && item->kept_bytes && is_used_less(item, oldest))
			oldest = item;
		if ((!surplus || is_used_less(item, surplus)) && is_one_too_many(known, item))
			surplus = item;
	}
	return surplus ? surplus : oldest;
}
