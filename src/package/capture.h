/* SPDX-License-Identifier: MIT */
/* Asks a program: like base/run/process.h, for its output only. Internal to src/package. */
#pragma once

#include <stddef.h>

/*
 * Runs `command` (NULL-terminated; command[0] is searched in PATH) with the n arguments after it, in the C locale, and
 * throws its standard error away. *ret_output is its output and a NUL, for the caller to free; *ret_status its exit
 * status. Returns 0, -ENOENT if there is no such program, -EIO if a signal killed it, or negative errno.
 */
int capture(const char *const *command, const char *const *arguments, size_t n, char **ret_output,
	int *ret_status);

/* How many of the n arguments fit into one command: at least one. */
size_t capture_batch(const char *const *arguments, size_t n);
