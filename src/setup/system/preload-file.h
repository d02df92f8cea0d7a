/* SPDX-License-Identifier: MIT */
/*
 * Adds one name to /etc/ld.so.preload, and removes it so that the file is as before, to the byte.
 *
 * The former content is written to a record before anything is added. Every reader, above all ld.so, sees either the
 * whole old file or the whole new one; so does the next boot.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/texts/preload-text.h"

struct preload_file {
	bool exists;
	char *text; /* owned, never NULL after reading; "" if it does not exist */
	size_t size;
};

/* Returns 0, -ELOOP (a symbolic link that leads nowhere), or negative errno. *ret is the caller's to release.
 */
int preload_file_read(const char *path, struct preload_file *ret);
void preload_file_release(struct preload_file *file);

static inline void preload_file_releasep(struct preload_file *file)
{
	preload_file_release(file);
}

/*
 * Whether all users can read the file, or it does not exist. ld.so(8) silently ignores a file that it cannot read.
 * *ret_mode is the file's mode if not all can.
 */
bool preload_file_for_all(const char *path, mode_t *ret_mode);

/*
 * Writes the record, and then adds the name, which must not be there. `before` is the file as it was when it was
 * examined. Returns 0; -ESTALE if it has changed since; or negative errno, with the file unchanged and *ret_culprit the
 * one of path and record that could not be written.
 */
int preload_file_add(const char *path, const struct preload_file *before, const char *name,
	const char *record, const char **ret_culprit);

/*
 * Removes the name, if it is there, and then the record. If nobody else has changed the file since the name was added,
 * this restores it from the record, and deletes it if it did not exist. Otherwise only the name goes, and the file too
 * if we made it and it is empty now. Returns as preload_file_add() does.
 */
int preload_file_remove(const char *path, const struct preload_file *before, const char *name,
	const char *record, const char **ret_culprit);
