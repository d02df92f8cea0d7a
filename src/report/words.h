/* SPDX-License-Identifier: MIT */
/* Numbers, times and enums in words, for both kinds of report. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/plan.h"
#include "profile/profile.h"

#define WORDS_MAX 32 /* bytes that any text written here needs at most */

/* "4.1 kB", "43.1 MB": decimal units. */
const char *words_bytes(uint64_t bytes, char buffer[WORDS_MAX]);

/* "10,912". */
const char *words_count(uint64_t count, char buffer[WORDS_MAX]);

/* "2026-11-21 00:26:29 +0100" in local time. */
const char *words_time(int64_t seconds, char buffer[WORDS_MAX]);

/* The first `bytes` of a build-id in hexadecimal, "-" if there is none. buffer: 2 * bytes + 1, at least 2. */
const char *words_build_id(const struct profile_file *file, size_t bytes, char *buffer);

/* The names of a backend and a bias in JSON, and their meaning. */
struct words_bias {
	enum profile_bias bit;
	const char *name;
	const char *meaning;
};

extern const struct words_bias words_biases[]; /* ends with bit 0 */

const char *words_backend_name(uint32_t backend);
const char *words_backend_meaning(uint32_t backend);
const char *words_kind(uint32_t kind); /* of a file of a profile or of a plan: both use the same */

/* Whether a file is still what the plan was made for. */
enum words_state { STATE_FRESH, STATE_CHANGED, STATE_GONE };

enum words_state words_plan_file_state(const char *path, const struct plan_file *file);
const char *words_state_name(enum words_state state);
