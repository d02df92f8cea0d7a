/* SPDX-License-Identifier: MIT */
/* Makes relaid files in memory without a profile: the hot pages are random. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Lays out an original. `passes` are those wanted (enum note_pass). The same seed makes the same file. The
 * caller frees *ret. Returns 0; negative errno with *ret_reason where the writer gives one.
 */
int relaid_make(const uint8_t *original, size_t size, uint32_t passes, unsigned seed, uint8_t **ret,
	size_t *ret_size, const char **ret_reason);
