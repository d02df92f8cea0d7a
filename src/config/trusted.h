/* SPDX-License-Identifier: MIT */
/* Files of settings that may be believed. Internal to src/config. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads a file that only root and this user can have written. Returns NULL, or why it cannot be read, as a sentence. A
 * file that does not exist is read as *ret == NULL, unless must_exist. The caller frees *ret.
 */
const char *read_trusted(const char *path, bool must_exist, char **ret, size_t *ret_size);

/* The value of a variable of the environment if it is an absolute path, or NULL. */
const char *path_variable(const char *name);
