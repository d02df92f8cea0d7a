/* SPDX-License-Identifier: MIT */
/* What the dynamic loader of a system supports. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the glibc under `root` ("" for this system) that loads files of the machine (EM_X86_64, EM_AARCH64)
 * understands DT_RELR: 2.36 and later say so by the version GLIBC_ABI_DT_RELR of their libc.so.6. Also false if there
 * is no such libc. Symbolic links lead to files under `root`, as they do for its programs.
 */
bool loader_knows_relr(const char *root, uint16_t machine);
