/* SPDX-License-Identifier: MIT */
/* The regular files that a process has open at the moment, and how far it has read them. Changes nothing. */
#pragma once

#include <stdint.h>

/*
 * `fd` is open with O_PATH, and borrowed. `bytes`: what was read, if it was read from the beginning on; 0 if the file is open
 * to write.
 */
typedef int open_file_found(void *context, int fd, uint64_t bytes);

/* Calls found() for each, and stops at its first result that is not 0. Returns that, or 0. */
int open_files_each(int32_t pid, open_file_found *found, void *context);
