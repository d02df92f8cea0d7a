/* SPDX-License-Identifier: MIT */
/*
 * What must be true of the relayout of any bytes: it is refused, or verify accepts the result and undo restores the
 * original. A compacted file is verified against its original, and not undone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RELAYOUT_CHECK_MAX 512

/*
 * Makes a relayout of `data` by a profile made up for it; the same seed makes the same profile. Returns whether all is as it
 * must be; otherwise `problem` says what is not. *ret_accepted: whether there was a relaid file.
 */
bool relayout_check(const uint8_t *data, size_t size, uint32_t passes, unsigned seed, bool *ret_accepted,
	char problem[RELAYOUT_CHECK_MAX]);
