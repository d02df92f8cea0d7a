/* SPDX-License-Identifier: MIT */
/* Verifies what --compact made, given the original. */
#pragma once

#include "verify/verify.h"

/*
 * As verify_relaid(), of a file that was compacted. What its sections and symbols say is verified as well.
 * Returns as verify_relaid() does; -EOPNOTSUPP: it is an overlay.
 */
int verify_compacted(const uint8_t *original, uint64_t original_size, const uint8_t *data, uint64_t size,
	struct verify_report *ret);
