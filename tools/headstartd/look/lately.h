/* SPDX-License-Identifier: MIT */
/*
 * What was executed a moment ago, by path and user. A build executes the same few programs hundreds of times a second, and a look at each
 * (looker.h) would take longer than all else that the daemon does.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "headstartd/look/process.h"

#define LATELY_ITEMS 64 /* a path that falls on the place of another one takes it */
#define LATELY_MS    250

struct lately {
	struct lately_item {
		char *executed, *program; /* owned; NULL: there is none */
		struct process_marks marks;
		uint64_t until_ms;
	} items[LATELY_ITEMS];
};

void lately_release(struct lately *lately);

/*
 * Notes what the looker has seen: a program, no script, that was executed here by a path that means the same for every process, and of which
 * nobody but root can change where it leads. Without memory nothing is noted.
 */
void lately_note(struct lately *lately, const struct process_seen *seen, uint64_t now_ms);

/*
 * Whether the same user has executed the same path a moment ago, with the same mounts. Then seen->program is filled in, and it is
 * seen->named. It waits for nothing. False also if the process has ended.
 */
bool lately_knows(const struct lately *lately, struct process_seen *seen, uint64_t now_ms);
