/* SPDX-License-Identifier: MIT */
/*
 * The ids that users may use besides their own (subuid(5)): 65,536 each, as a rule. They are meant for containers. But a program that has
 * such an owner and is set-user-ID runs as that id outside as well. Ids that come from elsewhere (libsubid) are not known.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct subordinates {
	const char *path; /* borrowed */
	struct subordinate_range {
		uint32_t first, count;
	} * items; /* owned */
	size_t n, capacity;
	struct timespec changed; /* the file that was read last */
	uint64_t look_ms;        /* CLOCK_MONOTONIC: until then it is not looked at again */
};

/* Whether it is one of these of a user other than root. Reads the file if it may have changed. Where there is none, or no memory, there are no such ids. */
bool subordinates_have(struct subordinates *subordinates, uid_t user, uint64_t now_ms);

void subordinates_release(struct subordinates *subordinates);
