/* SPDX-License-Identifier: MIT */
/* Reads the files for verbs that work on relaid files. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Opens a regular file to read. Returns 0, or an exit status after printing the reason. */
int relaid_file_open(const char *path, int *ret_fd);

/*
 * The content of an open regular file; the caller frees *ret_data. `path` is for messages. Returns 0, or an exit status
 * after printing the reason.
 */
int relaid_file_read(int fd, const char *path, uint8_t **ret_data, size_t *ret_size);
