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

/*
 * The same for a file that must not exist yet: -EEXIST if somebody else has made one meanwhile, which stays
 * as it is.
 */
int publish_new_file(const char *path, mode_t mode, const void *data, size_t size);

/* Removes what killed publishers left behind in the folder of `path`, as far as it may; all publishing does
 * so too. */
void publish_sweep(const char *path);

/* Has it last that the name `path` was made or removed. Returns 0 or negative errno. */
int publish_sync(const char *path);

/* Makes the folder `path` and those above it that are missing, like mkdir -p. Returns 0 or negative errno. */
int make_folders(const char *path, mode_t mode);
