/* SPDX-License-Identifier: MIT */
/* The separate debug file of a stripped ELF file. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Opens FOLDER/.build-id/xx/yyyy.debug, FOLDER absolute (NULL: /usr/lib/debug). Returns a file
 * descriptor that is the caller's, of a regular file with that very build-id; or negative errno.
 */
int debug_file_open(const uint8_t *build_id, size_t size, const char *folder);
