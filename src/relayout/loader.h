/* SPDX-License-Identifier: MIT */
/* What the dynamic loader of a system supports. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/*
 * Whether the glibc under `root` ("" for this system) that loads files of the machine (EM_X86_64, EM_AARCH64)
 * understands DT_RELR: 2.36 and later say so by the version GLIBC_ABI_DT_RELR of their libc.so.6. Also false if there
 * is no such libc. Symbolic links lead to files under `root`, as they do for its programs.
 */
bool loader_knows_relr(const char *root, uint16_t machine);

/*
 * Whether the start that was recorded used a 64-bit libc.so.6 that does not define that version, as programs have that bring their own. The
 * paths of the profile lead to files under `root`.
 */
bool loader_is_older(const char *root, const struct profile *profile);
