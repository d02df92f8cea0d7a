/* SPDX-License-Identifier: MIT */
/* Names that are left alone for a while, because something has failed with them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aside {
	struct aside_item {
		uint64_t hash, until_ms;
	} * items; /* owned */
	size_t n, capacity;
};

void aside_release(struct aside *aside);

/* Leaves the name alone until then. Returns 0 or -ENOMEM. */
int aside_put(struct aside *aside, const char *name, uint64_t until_ms, uint64_t now_ms);

bool aside_has(const struct aside *aside, const char *name, uint64_t now_ms);
