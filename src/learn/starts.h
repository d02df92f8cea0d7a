/* SPDX-License-Identifier: MIT */
/*
 * The starts that are going on: which program began each, and which processes belong to it. A start lasts
 * STARTS_WINDOW_MS. A program that one of its processes executes meanwhile belongs to it; later that is a start of its
 * own. Shells, and programs that only execute others, begin no starts: what they execute does.
 *
 * The processes of a start are looked at a few times, at growing distances. Most programs have ended by the first look.
 * These cost us next to nothing, and were too short to be worth learning.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define STARTS_MAX         256 /* at once; more are not noticed */
#define STARTS_OF_USER     64  /* of them */
#define STARTS_MEMBERS_MAX 32  /* processes of one start that are looked at */
#define STARTS_WINDOW_MS   5000

struct start {
	char *program;  /* owned; canonical path; NULL: this slot is free */
	uid_t user;     /* whose it is */
	uint64_t exec;  /* with which it began: struct starts_process */
	uint64_t key;   /* of the start, as far as it is known */
	bool elsewhere; /* its processes are in other namespaces than ours, or below another root */
	bool planned;   /* the program has a plan: only what is known of the key counts */
	uint64_t began_ms;
	unsigned looks;  /* that have been taken */
	uint64_t passed; /* bytes, of processes that have ended and whose parents do not count them */
	size_t n_members;
	struct {
		int32_t pid;
		uint64_t bytes; /* that it has read from disks, by the last look */
	} members[STARTS_MEMBERS_MAX];
};

struct starts {
	struct start items[STARTS_MAX];
};

enum starts_role {
	STARTS_BEGINS,  /* a start of its own */
	STARTS_BELONGS, /* to a start that goes on */
	STARTS_IGNORED, /* a shell or the like, or there is no room, for this user or at all */
};

/* A process that is seen to execute a program. */
struct starts_process {
	int32_t pid, parent;
	uid_t user;
	uint64_t
		exec; /* its number, from 1 on: no two execs have the same, though a process may execute several programs */
	bool elsewhere; /* in other namespaces than ours, or below another root: what a container executes does not belong to what made it */
};

/* The process has executed the program at this moment. */
enum starts_role starts_exec(
	struct starts *starts, const struct starts_process *process, const char *program, uint64_t now_ms);

/*
 * The program of the start that began with this exec has a plan; the start has that key, and no plan of its own. What other programs of
 * the start ask for is not what it asks for.
 */
void starts_planned(struct starts *starts, uint64_t exec);
void starts_asked(struct starts *starts, uint64_t exec, uint64_t key);

/* The start that began with this exec; NULL: none, or it is over. */
const struct start *starts_of(const struct starts *starts, uint64_t exec);

/* When starts_look() has something to do next; UINT64_MAX: never. */
uint64_t starts_next_ms(const struct starts *starts);

struct starts_eyes {
	/* How much that process, and its children that have ended, have read from disks, in bytes. False: it is gone. */
	bool (*bytes_of)(void *context, int32_t pid, uint64_t *ret_bytes);
	/* The start is over; it has read so many bytes, at least. Not called if it was planned and no key is known. */
	void (*judge)(void *context, const struct start *start, uint64_t bytes);
	void *context;
};

/* Looks at the starts whose time has come. */
void starts_look(struct starts *starts, uint64_t now_ms, const struct starts_eyes *eyes);

void starts_release(struct starts *starts);
