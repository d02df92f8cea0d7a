/* SPDX-License-Identifier: MIT */
/* Atomic publish: a reader sees the old file or the new one, whole, whatever happens in between. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/*
 * Replaces `path` by `size` bytes of data: sibling temporary file, fsync, mode, rename, fsync of the folder.
 * On failure nothing is left behind and an existing file is as it was. Returns 0 or negative errno.
 */
int publish_file(const char *path, mode_t mode, const void *data, size_t size);

/* Makes the folder `path` and those above it that are missing, like mkdir -p. Returns 0 or negative errno. */
int make_folders(const char *path, mode_t mode);
