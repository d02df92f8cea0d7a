/* SPDX-License-Identifier: MIT */
/*
 * A set of small files that are written together and can be taken back exactly (setup/manifest.h).
 *
 * The order of steps is such that a process that is killed between any two of them leaves something that
 * files_remove() undoes and files_install() completes:
 *
 *     the manifest, naming all that will be written
 *     folders that are missing
 *     for each file: what stands there gets a second name, `.NAME.headstart-saved`; the new one replaces it
 *     what an earlier installation wrote and this one does not want is taken back
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "setup/manifest.h"

struct new_file {
	char *path;    /* owned, absolute */
	char *content; /* owned */
	size_t size;   /* bytes */
	mode_t mode;
};

struct file_set {
	struct new_file *files; /* owned */
	size_t n_files, capacity;
};

/* Adds a file; path is copied, content handed over, on failure too. Returns 0 or -ENOMEM. */
int file_set_add(struct file_set *set, const char *path, mode_t mode, char *content, size_t size);
void file_set_release(struct file_set *set);

/* Whether the set has a file of that path. */
bool file_set_has(const struct file_set *set, const char *path);

static inline void file_set_releasep(struct file_set *set)
{
	file_set_release(set);
}

/* What stands at a path, seen from a manifest. */
enum file_standing {
	FILE_ABSENT,
	FILE_OURS,    /* as the manifest says it was written */
	FILE_FOREIGN, /* another regular file */
	FILE_OTHER,   /* a folder, a link, … */
};

enum file_standing file_standing(const char *path, const struct manifest *manifest);

/*
 * The first file of the set that may not be written: it is FILE_OTHER, or FILE_FOREIGN without `force`. NULL
 * if there is none.
 */
const char *files_in_the_way(const struct file_set *set, const struct manifest *manifest, bool force,
	enum file_standing *ret_standing);

/*
 * Adds to *manifest, that of the set, the folders which another installation has made and the set lies in:
 * the last to be taken back removes them. Returns 0 or -ENOMEM.
 */
int files_share_folders(const struct file_set *set, const char *manifest_path, const struct manifest *other,
	struct manifest *manifest);

/*
 * Writes the set, after files_in_the_way() has found none, and the manifest of it at manifest_path, whose
 * folder is made with folder_mode if it is missing. *manifest, that of the installation before (empty for
 * none), becomes the new one. Returns 0 or negative errno; *ret_path then is what could not be written,
 * inside set or manifest_path.
 */
int files_install(const struct file_set *set, const char *manifest_path, mode_t folder_mode,
	struct manifest *manifest, const char **ret_path);

/* What became of a file that is taken back. */
enum file_removal {
	FILE_REMOVED,
	FILE_RESTORED, /* what stood there before stands there again */
	FILE_KEPT,     /* changed since by somebody else: left alone */
	FILE_GONE,     /* was not there any more */
};

/* Called for each file; saved is the name of what stood there before, if that is left over too; else NULL. */
typedef void file_removed(void *context, const char *path, enum file_removal what, const char *saved);

/*
 * Takes back what the manifest names, the folders that were made for it if they are empty, and then the
 * manifest itself. Returns 0 or negative errno with *ret_path what could not be removed.
 */
int files_remove(const char *manifest_path, const struct manifest *manifest, file_removed *tell,
	void *context, const char **ret_path);
