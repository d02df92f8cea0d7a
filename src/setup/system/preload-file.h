/* SPDX-License-Identifier: MIT */
/*
 * /etc/ld.so.preload: one name added, and taken back so that the file is what it was, to the byte.
 *
 * Before anything is added, the file as it was is written to a record. Any reader, ld.so above all, sees the
 * old file or the new one, whole; so does the next boot.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/preload-text.h"

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
 * Whether all users can read the file, or it is not there: ld.so(8) passes over one that it cannot read,
 * without a word. *ret_mode is its mode where they cannot.
 */
bool preload_file_for_all(const char *path, mode_t *ret_mode);

/*
 * Adds the name, which must not be there, after writing the record. `before` is what the file was when it was
 * looked at. Returns 0; -ESTALE if it has changed since; or negative errno with the file as it was, and
 * *ret_culprit which of path and record could not be written.
 */
int preload_file_add(const char *path, const struct preload_file *before, const char *name,
	const char *record, const char **ret_culprit);

/*
 * Takes the name back, if it is there, and then the record. If nobody else has changed the file since it was
 * added, it becomes what the record says: gone, if it was not there. Else only the name goes, and the file
 * too if we had made it and nothing is left in it. Returns as preload_file_add().
 */
int preload_file_remove(const char *path, const struct preload_file *before, const char *name,
	const char *record, const char **ret_culprit);
