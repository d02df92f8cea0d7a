/* SPDX-License-Identifier: MIT */
/*
 * A learnt profile was used when it was last written, which each start that is seen leads to, or when its plan was last read. So no list has
 * to be kept of them.
 */
#include "keeper/room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "format/state-folder.h"
#include "headstartd/learn/keep.h"
#include "plan/store/store.h"
#include "profile/file/profile-file.h"

#define BUDGET     (64u << 20)      /* bytes of profiles and plans */
#define AGE_S      (60 * 24 * 3600) /* until what is not used goes */
#define STORED_MAX 4096u            /* profiles; with more, nothing is removed */

/* A profile and its plans. */
struct stored {
	char *name;     /* owned: without STATE_PROFILE_SUFFIX */
	char *program;  /* owned: if it is learnt; NULL: it is not, or not known to be */
	uint64_t bytes; /* of all its files */
	int64_t used;   /* seconds since the epoch */
};

struct room {
	char *folder; /* owned */
	struct stored *items;
	size_t n, capacity;
};

static void room_release(struct room *room)
{
	for (size_t i = 0; i < room->n; i++) {
		free(room->items[i].name);
		free(room->items[i].program);
	}
	free(room->items);
	free(room->folder);
}

static int add(struct room *room, const char *file)
{
	char *name = strndup(file, strlen(file) - strlen(STATE_PROFILE_SUFFIX));
	int r = name ? ARRAY_RESERVE(room->items, room->capacity, room->n + 1) : -ENOMEM;

	if (r < 0) {
		free(name);
		return r;
	}
	room->items[room->n++] = (struct stored){.name = name};
	return 0;
}

/* Its own profile or plan, or one for certain starts. */
static bool belongs_to(const char *file, const struct stored *stored)
{
	const char *rest = after_prefix(file, stored->name);

	return rest && (*rest == '.' || *rest == '@');
}

static void count(struct room *room, int folder, const char *file)
{
	struct stat st;

	if (fstatat(folder, file, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return;
	for (size_t i = 0; i < room->n; i++) {
		struct stored *stored = &room->items[i];
		int64_t used = ends_with(file, STATE_PLAN_SUFFIX) ? st.st_atim.tv_sec : st.st_mtim.tv_sec;

		if (!belongs_to(file, stored))
			continue;
		stored->bytes += (uint64_t)st.st_size;
		stored->used = used > stored->used ? used : stored->used;
		return;
	}
}

static int list(struct room *room)
{
	_cleanup_closedir_ DIR *folder = opendir(room->folder);
	const struct dirent *entry;
	int r = folder ? 0 : -errno;

	while (r == 0 && (entry = readdir(folder)))
		if (ends_with(entry->d_name, STATE_PROFILE_SUFFIX))
			r = room->n < STORED_MAX ? add(room, entry->d_name) : -E2BIG;
	if (r < 0)
		return r;
	rewinddir(folder);
	while ((entry = readdir(folder)))
		count(room, dirfd(folder), entry->d_name);
	return 0;
}

/* The program of the profile, if all that it has is learnt. */
static char *learnt_program(const struct room *room, const struct stored *stored)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	enum profile_fault fault;
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s" STATE_PROFILE_SUFFIX, room->folder, stored->name) >=
			(int)sizeof(path) ||
		recordings_load(path, &recordings, &fault) < 0 || !recordings_all_learnt(&recordings))
		return NULL;
	return strdup(recordings.items[0].program);
}

static int compare_use(const void *a, const void *b)
{
	const struct stored *x = a, *y = b;

	return (x->used > y->used) - (x->used < y->used);
}

static bool is_old(const struct stored *stored, int64_t now)
{
	return stored->used < now - AGE_S;
}

/* Reads profiles only if something may have to go. */
static uint64_t find_learnt(struct room *room, int64_t now)
{
	uint64_t all = 0, learnt = 0;

	for (size_t i = 0; i < room->n; i++)
		all += room->items[i].bytes;
	for (size_t i = 0; i < room->n; i++) {
		struct stored *stored = &room->items[i];

		if (all > BUDGET || is_old(stored, now))
			stored->program = learnt_program(room, stored);
		learnt += stored->program ? stored->bytes : 0;
	}
	return learnt;
}

void room_make(void)
{
	_cleanup_(room_release) struct room room = {0};
	int64_t now = time(NULL);
	uint64_t learnt;

	if (store_folder(&room.folder) < 0 || list(&room) < 0)
		return;
	if (room.n > 1)
		qsort(room.items, room.n, sizeof(*room.items), compare_use);
	learnt = find_learnt(&room, now);
	for (size_t i = 0; i < room.n; i++) {
		struct stored *stored = &room.items[i];

		if (!stored->program || (learnt <= BUDGET && !is_old(stored, now)))
			continue;
		keep_forget(stored->program);
		learnt -= stored->bytes;
	}
}
