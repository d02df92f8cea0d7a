/* SPDX-License-Identifier: MIT */
/*
 * The programs that have started cold: how often, and whether their start has been learnt. A program that never started
 * cold is not among them. A program that is a host has further items, each for a start with a key (format/asked.h) that
 * was cold though the program has a plan. Times are seconds since the epoch; a clock that was turned back makes nothing
 * older or younger than now.
 *
 * Each item is charged to the user by whose starts alone it is known, and any user but root has a share only: of the items, of the
 * starts of a program, and of what is kept. So nobody's starts push out what is known of others'. Root's items, and those
 * of several users, have the rest.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "learn/records.h"

#define KNOWN_MAX        2048u        /* programs */
#define KNOWN_COLD_BYTES (512u << 10) /* a start that has read less was warm, or is too cheap to be learnt */

#define KNOWN_STARTS_MAX 48u /* of one program: learnt ones, and as many that were cold */

#define KNOWN_OF_USER        (KNOWN_MAX / 4)         /* programs */
#define KNOWN_LEARNT_OF_USER (KNOWN_OF_USER / 8 * 7) /* of them: there is always room for a new one */
#define KNOWN_STARTS_OF_USER 32u                     /* of KNOWN_STARTS_MAX */
#define KNOWN_KEPT_OF_USER   4                       /* the part of the budget, as a divisor */

#define KNOWN_DAYS_KEPT 60 /* without a cold start, and what was learnt without any start */

struct known_program {
	char *path;         /* owned; canonical */
	uint64_t hash;      /* of the path */
	uint64_t key;       /* of the start; 0: this is about the program as such */
	uid_t user;         /* who alone has started it; 0: root, or several users */
	uint32_t starts;    /* that were seen since the first cold one */
	uint32_t cold;      /* of them */
	uint32_t tries;     /* traces since it was last learnt that showed no cold start */
	uint64_t bytes;     /* the last cold start read that much */
	int64_t last_start; /* the last one that was seen */
	int64_t last_cold;
	int64_t last_try;    /* 0: none */
	int64_t learnt;      /* when; 0: it is not */
	uint64_t kept_bytes; /* size of the profile and the plans that were made of it */
};

struct known {
	struct known_program *items; /* owned */
	size_t n, capacity;
	bool changed; /* since it was read or written */
	bool counted; /* likewise, only of warm starts: that is worth no write of its own */
};

void known_release(struct known *known);

static inline void known_releasep(struct known *known)
{
	known_release(known);
}

/* The item, or NULL. The pointer is good until something is added or removed. */
struct known_program *known_find(const struct known *known, const char *path, uint64_t key);

/* Whether a start that has read so many bytes was cold. */
static inline bool known_is_cold(uint64_t bytes)
{
	return bytes >= KNOWN_COLD_BYTES;
}

/*
 * A start of that user is over, and has read so many bytes. Returns 0 or -ENOMEM. If there are KNOWN_MAX items, or KNOWN_STARTS_MAX with
 * keys of this program, or as many of this user as one user may have, the one that has not been cold for the longest time makes room,
 * unless it is learnt: for a user one of the same user's if there is any, and none of root's.
 */
int known_judge(struct known *known, const char *path, uint64_t key, uid_t user, uint64_t bytes, int64_t now);

/* A start of that user, whose plan was made of what was learnt. */
void known_started(struct known *known, const char *path, uint64_t key, uid_t user, int64_t now);

/*
 * This date can be believed (calendar.h): what is later was seen while the clock was ahead, and counts as of now. Unless it was learnt later
 * than now: then the clock may be behind, for as long as there is no network, and all would be too old once it is right.
 */
void known_believe(struct known *known, int64_t now);

/*
 * Whether the next start should be traced: it is not learnt, not seldom cold, and was not traced in vain too often, or just now. A
 * trace in the future was made while the clock was wrong.
 */
bool known_wants_trace(const struct known_program *program, int64_t now);

/* Whether known_wants_trace() is true of any start of the program that has a key. */
bool known_wants_start(const struct known *known, const char *path, int64_t now);

/* A trace is over: it showed a cold start, of which so many bytes are kept, or (0) it did not. */
void known_traced(struct known *known, struct known_program *program, uint64_t kept_bytes, int64_t now);

/*
 * It is learnt without a trace of its own, and so many bytes are kept for it alone. The first learnt start of a host has a key as well, by which it
 * ages, and nothing more is kept for it; and after a loss of this list what is stored is found again. Returns 0 or -ENOMEM.
 */
int known_learnt(
	struct known *known, const char *path, uint64_t key, uid_t user, uint64_t kept_bytes, int64_t now);

/*
 * What should be forgotten next: an item that is too old; of a user who has more than one may have, the learnt item that has not been
 * started for the longest time; likewise of a program with more than KNOWN_STARTS_MAX learnt starts; then of all, while more than `budget` bytes
 * are kept. Of these two, root's items come after those of users. NULL: none. With a date that is not believed (calendar.h) nothing is too old.
 */
struct known_program *known_next_to_forget(const struct known *known, uint64_t budget, int64_t now);

/* Takes the item out, and with a program all its starts. What is kept of it must have been removed. */
void known_forget(struct known *known, struct known_program *program);

/* What is kept of the start with this key, which may be 0, has grown by so many bytes; less than 0: it has shrunk. */
void known_refined(struct known *known, const char *path, uint64_t key, int64_t grown);

/* Sum of kept_bytes. */
uint64_t known_kept_bytes(const struct known *known);

/* Adds a copy of the item, of the program with this path. Returns 0 or -ENOMEM. */
int known_add(struct known *known, const struct known_program *program, const char *path);

extern const struct records_format known_format; /* of struct known */
