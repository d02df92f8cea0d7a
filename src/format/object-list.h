/* SPDX-License-Identifier: MIT */
/*
 * In whole mode, the audit shim gives the prefetcher the paths at which ld.so looks for objects, in that order (at some
 * there is none), in memory that both have mapped. The program only writes to the list, without any system call, so no
 * seccomp filter that it sets up later can make that fatal. The prefetcher looks from time to time.
 *
 * A prefetcher has no environment, so the list also says which folder is the state folder of this start.
 *
 * The list only grows. A writer takes the next number from `taken` (atomically, since the processes of a program that
 * forks share the list), fills that entry, and sets its state. Entries past the end are lost, which costs only speed.
 * The reader trusts nothing: it copies a path out before looking at it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define OBJECT_LIST_MAX    512u
#define OBJECT_LIST_CLOSED 0x80000000u
#define OBJECT_PATH_SIZE   252u /* bytes, with the NUL; an object with a longer path is left out */
#define OBJECT_STATE_SIZE  512u /* bytes, with the NUL */

enum object_state {
	OBJECT_NONE = 0, /* not written yet */
	OBJECT_MAPPED,   /* may be resident or not, or not be there */
	OBJECT_COLD,     /* was not resident; asking again may differ, since asking starts readahead */
};

struct object_entry {
	uint32_t state; /* enum object_state; set last */
	char path[OBJECT_PATH_SIZE];
};

struct object_list {
	uint32_t pid; /* the program */
	/* Entries given out; may exceed OBJECT_LIST_MAX. With OBJECT_LIST_CLOSED there will be no more. */
	uint32_t taken;
	char state[OBJECT_STATE_SIZE]; /* the folder that comes first (format/state-folder.h); or "" */
	struct object_entry entries[OBJECT_LIST_MAX];
};

static inline void object_list_add(struct object_list *list, const char *path, enum object_state state)
{
	struct object_entry *entry;
	uint32_t taken, size = 0;

	while (size < OBJECT_PATH_SIZE && path[size])
		size++;
	if (size == OBJECT_PATH_SIZE || __atomic_load_n(&list->taken, __ATOMIC_RELAXED) >= OBJECT_LIST_MAX)
		return;
	taken = __atomic_fetch_add(&list->taken, 1, __ATOMIC_RELAXED);
	if (taken >= OBJECT_LIST_MAX)
		return;
	entry = &list->entries[taken];
	for (uint32_t i = 0; i < size; i++)
		entry->path[i] = path[i];
	__atomic_store_n(&entry->state, state, __ATOMIC_RELEASE);
}

/* Copies path number `index` out; OBJECT_NONE while it is not there yet, or when the list ends before it. */
static inline enum object_state object_list_get(
	const struct object_list *list, uint32_t index, char path[OBJECT_PATH_SIZE])
{
	const struct object_entry *entry;
	uint32_t state;

	if (index >= OBJECT_LIST_MAX)
		return OBJECT_NONE;
	entry = &list->entries[index];
	state = __atomic_load_n(&entry->state, __ATOMIC_ACQUIRE);
	if (state == OBJECT_NONE)
		return OBJECT_NONE;
	for (uint32_t i = 0; i < OBJECT_PATH_SIZE; i++)
		path[i] = entry->path[i];
	path[OBJECT_PATH_SIZE - 1] = '\0';
	return state == OBJECT_COLD ? OBJECT_COLD : OBJECT_MAPPED;
}
