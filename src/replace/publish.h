/* SPDX-License-Identifier: MIT */
/* Atomic publish: whatever happens, a reader sees all of the old file or all of the new one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Replaces the content of `path` by `size` bytes of data: sibling temporary file, fsync, mode, rename, fsync of the
 * folder. A failure leaves nothing behind, and an existing file as it was. Returns 0 or negative errno.
 */
int publish_file(const char *path, mode_t mode, const void *data, size_t size);

/*
 * The same, if `is_wanted` still says so when all is written and only the rename is left: -ESTALE if it does not. So what
 * somebody else writes to `path` meanwhile is lost only if that happens within this moment.
 */
int publish_file_if(const char *path, mode_t mode, const void *data, size_t size,
	bool (*is_wanted)(const void *context), const void *context);

/* The same for a file that must not exist yet: -EEXIST if another process has made it meanwhile; that file stays. */
int publish_new_file(const char *path, mode_t mode, const void *data, size_t size);

/* Removes what killed publishers left behind in the folder of `path`, as far as permitted. Publishing does this too. */
void publish_sweep(const char *path);

/* Makes the creation or removal of the name `path` durable. Returns 0 or negative errno. */
int publish_sync(const char *path);

/* Makes the folder `path` and those above it that are missing, like mkdir -p. Returns 0 or negative errno. */
int make_folders(const char *path, mode_t mode);

/* The same for a folder that everybody may look into, whatever the umask is. */
int make_folders_for_all(const char *path);
