/* SPDX-License-Identifier: MIT */
/* What is worth a trace, and what is forgotten. */
#include "learn/known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checksum.h"
#include "base/cleanup.h"
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

/* How many starts of the program there are, of that user or (NULL) of all. */
static size_t count_starts(const struct known *known, const char *path, bool learnt, const uid_t *user)
{
	uint64_t hash = hash_of(path);
	size_t n = 0;

	for (size_t i = 0; i < known->n; i++)
		n += known->items[i].key && (known->items[i].learnt != 0) == learnt &&
			(!user || known->items[i].user == *user) && is_of(&known->items[i], path, hash);
	return n;
}

static size_t count_items(const struct known *known, uid_t user)
{
	size_t n = 0;

	for (size_t i = 0; i < known->n; i++)
		n += known->items[i].user == user;
	return n;
}

static bool is_warm_longer(const struct known_program *item, const struct known_program *other)
{
	return !other || item->last_cold < other->last_cold;
}

/* Of the items that are not learnt, of one program's starts or (NULL) of all, one that a start of the user may take the place of. */
static struct known_program *find_victim(
	const struct known *known, const char *path, uid_t user, bool only_own)
{
	uint64_t hash = path ? hash_of(path) : 0;
	struct known_program *own = NULL, *oldest = NULL;

	for (size_t i = 0; i < known->n; i++) {
		struct known_program *item = &known->items[i];

		if (item->learnt || (path && (!item->key || !is_of(item, path, hash))))
			continue;
		if (user != 0 && item->user == user && is_warm_longer(item, own))
			own = item;
		if ((user == 0 || item->user != 0) && is_warm_longer(item, oldest))
			oldest = item;
	}
	return own || only_own ? own : oldest;
}

/* Whether there is room now. */
static bool make_room(struct known *known, const char *path, uid_t user, bool only_own)
{
	struct known_program *victim = find_victim(known, path, user, only_own);

	if (victim)
		known_forget(known, victim);
	return victim;
}

/* For one more start of the program. */
static bool make_room_for_start(struct known *known, const char *path, uid_t user)
{
	if (user != 0 && count_starts(known, path, false, &user) >= KNOWN_STARTS_OF_USER)
		return make_room(known, path, user, true);
	return count_starts(known, path, false, NULL) < KNOWN_STARTS_MAX ||
		make_room(known, path, user, false);
}

static bool make_room_for_item(struct known *known, uid_t user)
{
	if (user != 0 && count_items(known, user) >= KNOWN_OF_USER)
		return make_room(known, NULL, user, true);
	return known->n < KNOWN_MAX || make_room(known, NULL, user, false);
}

static int add_new(
	struct known *known, const char *path, uint64_t key, uid_t user, struct known_program **ret)
{
	int r = (!key || make_room_for_start(known, path, user)) && make_room_for_item(known, user)
		? known_add(known, &(struct known_program){.key = key, .user = user}, path)
		: -ENOMEM;

	if (r < 0)
		return r;
	*ret = &known->items[known->n - 1];
	return 0;
}

/* What several users start is nobody's own: none of them can have it forgotten by starting other things. */
static void charge(struct known *known, struct known_program *program, uid_t user)
{
	if (program->user == user || program->user == 0)
		return;
	program->user = 0;
	known->changed = true;
}

/* A clock that is behind, as one without a battery is until the network is there, makes nothing older. */
static void note_date(int64_t *date, int64_t now)
{
	if (now > *date)
		*date = now;
}

int known_judge(struct known *known, const char *path, uint64_t key, uid_t user, uint64_t bytes, int64_t now)
{
	struct known_program *program = known_find(known, path, key);
	int r = 0;

	if (!program && !known_is_cold(bytes))
		return 0;
	if (!program)
		r = add_new(known, path, key, user, &program);
	if (r < 0)
		return r;
	charge(known, program, user);
	program->starts += program->starts < UINT32_MAX;
	note_date(&program->last_start, now);
	known->counted = true;
	if (!known_is_cold(bytes))
		return 0;
	known->changed = true;
	program->cold += program->cold < UINT32_MAX;
	note_date(&program->last_cold, now);
	program->bytes = bytes;
	program->tries = 0;
	return 0;
}

void known_started(struct known *known, const char *path, uint64_t key, uid_t user, int64_t now)
{
	struct known_program *program = known_find(known, path, key);

	if (program)
		charge(known, program, user);
	/* Once a day is enough: this would otherwise be written at every start. */
	if (!program || age(program->last_start, now) < DAY)
		return;
	program->last_start = now;
	known->changed = true;
}

static void end_at(struct known *known, int64_t *date, int64_t now)
{
	known->changed |= *date > now;
	if (*date > now)
		*date = now;
}

void known_believe(struct known *known, int64_t now)
{
	for (size_t i = 0; i < known->n; i++) {
		if (known->items[i].learnt > now)
			continue;
		end_at(known, &known->items[i].last_start, now);
		end_at(known, &known->items[i].last_cold, now);
	}
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
	note_date(&program->last_start, now);
}

int known_learnt(
	struct known *known, const char *path, uint64_t key, uid_t user, uint64_t kept_bytes, int64_t now)
{
	struct known_program *item = known_find(known, path, key);
	int r = item ? 0 : add_new(known, path, key, user, &item);

	if (r < 0)
		return r;
	charge(known, item, user);
	known_traced(known, item, 1, now);
	item->kept_bytes = kept_bytes;
	return 0;
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

static bool is_one_too_many(const struct known *known, const struct known_program *item)
{
	return item->key && count_starts(known, item->path, true, NULL) > KNOWN_STARTS_MAX;
}

/* Whether this learnt item is one of a user who has more than one may have. */
static bool is_beyond_share(const struct known *known, const struct known_program *item, uint64_t budget)
{
	uint64_t bytes = 0;
	size_t n = 0;

	if (item->user == 0)
		return false;
	for (size_t i = 0; i < known->n; i++) {
		const struct known_program *other = &known->items[i];

		if (other->user != item->user || !other->learnt)
			continue;
		n++;
		if (__builtin_add_overflow(bytes, other->kept_bytes, &bytes))
			bytes = UINT64_MAX;
	}
	return n > KNOWN_LEARNT_OF_USER || (item->kept_bytes && bytes > budget / KNOWN_KEPT_OF_USER) ||
		(item->key && count_starts(known, item->path, true, &item->user) > KNOWN_STARTS_OF_USER);
}

static bool is_used_less(const struct known_program *item, const struct known_program *other)
{
	return !other || item->last_start < other->last_start;
}

/* Users' items come before root's. */
static bool goes_before(const struct known_program *item, const struct known_program *other)
{
	return !other || (item->user != 0) > (other->user != 0) ||
		((item->user != 0) == (other->user != 0) && is_used_less(item, other));
}

struct known_program *known_next_to_forget(const struct known *known, uint64_t budget, int64_t now)
{
	bool over = known_kept_bytes(known) > budget;
	struct known_program *oldest = NULL, *surplus = NULL, *beyond = NULL;

	for (size_t i = 0; i < known->n; i++) {
		struct known_program *item = &known->items[i];

		if (too_old(item, now))
			return item;
		if (!item->learnt)
			continue;
		if (over && item->kept_bytes && goes_before(item, oldest))
			oldest = item;
		if (goes_before(item, surplus) && is_one_too_many(known, item))
			surplus = item;
		if (is_used_less(item, beyond) && is_beyond_share(known, item, budget))
			beyond = item;
	}
	return beyond ? beyond : surplus ? surplus : oldest;
}
