/* SPDX-License-Identifier: MIT */
/*
 * Makes root's plans anew that are marked as stale (prefetch/stale-mark.h), one at a time, in a child process. After an upgrade of
 * headstart the plans may have a format that nobody reads any more: once, another child marks those, and makes the
 * plan of boots anew.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "learn/aside.h"

struct renew {
	char *folder;            /* owned: the state folder */
	char *next;              /* owned: path of the plan that is next; NULL: none is known */
	uint64_t give_up_ms;     /* when the child should have ended */
	pid_t child;             /* 0: none */
	bool marked;             /* plans of older formats are marked */
	uint64_t count;          /* plans that were made anew */
	struct timespec changed; /* when the folder was, as we last looked */
	uint64_t look_ms;        /* when to look again, whether it has changed or not */
	struct aside failed;     /* plans that could not be made anew */
};

/* Returns 0 or negative errno. */
int renew_init(struct renew *renew);
void renew_release(struct renew *renew);

/* Looks for marks if the folder has changed. Returns whether there is a plan to be made anew. */
bool renew_look(struct renew *renew, uint64_t now_ms);

/*
 * Begins with the next plan, or if there is none, with marking older ones. Returns whether a child works on it now. `quiet`: it says
 * nothing when it is done.
 */
bool renew_start(struct renew *renew, bool quiet);

/* The child has ended with that status (wait(2)); or it should have, and is given up with another status than 0. */
void renew_ended(struct renew *renew, int status, uint64_t now_ms);
