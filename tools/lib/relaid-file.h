/* SPDX-License-Identifier: MIT */
/* Reading what verbs of relaid files work on. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * The content of an open regular file; the caller frees *ret_data. `path` is for messages. Returns 0, or an
 * exit status with the reason said.
 */
int relaid_file_read(int fd, const char *path, uint8_t **ret_data, size_t *ret_size);
