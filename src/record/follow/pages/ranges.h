/* SPDX-License-Identifier: MIT */
/* A set of addresses, as ranges in their order that do not touch each other. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t start, end;
};

struct ranges {
	struct range *items; /* owned */
	size_t n, capacity;
};

void ranges_release(struct ranges *ranges);

/* These return 0, or -ENOMEM, and then nothing has changed. start < end. */
int ranges_add(struct ranges *ranges, uint64_t start, uint64_t end);
int ranges_remove(struct ranges *ranges, uint64_t start, uint64_t end);

/* Whether all of these addresses are in it, or some. */
bool ranges_cover(const struct ranges *ranges, uint64_t start, uint64_t end);
bool ranges_meet(const struct ranges *ranges, uint64_t start, uint64_t end);
