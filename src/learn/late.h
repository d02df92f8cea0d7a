/* SPDX-License-Identifier: MIT */
/*
 * Users whose processes did not end in time. A user's home can lie on a file system that never answers, and each process that waits for
 * it takes one of the few that the daemon may have. So such a user gets no more of them.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define LATE_USERS 8 /* with more of them, nobody gets any */
#define LATE_TIMES 3 /* so often a process may be late that could be ended */

struct late {
	struct late_user {
		uid_t user; /* 0: none */
		unsigned times;
	} users[LATE_USERS];
};

/* Whether a process may be started for this user. */
bool late_allows(const struct late *late, uid_t user);

/* A process of that user was late, and was ended; or it is `stuck`, so it is still there. */
void late_note(struct late *late, uid_t user, bool stuck);
