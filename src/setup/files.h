/* SPDX-License-Identifier: MIT */
/*
 * A set of small files that are written together and can be undone exactly (setup/manifest.h).
 *
 * If the process is killed between any two of these steps, files_remove() can undo what is there and files_install()
 * can complete it:
 *
 *     write the manifest, naming all files that will be written
 *     make missing folders
 *     for each file: give the file that stands there a second name, `.NAME.headstart-saved`, and replace it
 *     undo the files of an earlier installation that this one does not want
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

/* Adds a file. Copies the path, and takes ownership of the content, on failure too. Returns 0 or -ENOMEM. */
int file_set_add(struct file_set *set, const char *path, mode_t mode, char *content, size_t size);
void file_set_release(struct file_set *set);

/* Whether the set has a file with that path. */
bool file_set_has(const struct file_set *set, const char *path);

static inline void file_set_releasep(struct file_set *set)
{
	file_set_release(set);
}

/* What is at a path, compared with a manifest. */
enum file_standing {
	FILE_ABSENT,
	FILE_OURS,    /* a file as we wrote it, by the manifest */
	FILE_FOREIGN, /* another regular file */
	FILE_OTHER,   /* a folder, a link, … */
};

enum file_standing file_standing(const char *path, const struct manifest *manifest);

/*
 * The first file of the set that we must not write: it is FILE_OTHER, or FILE_FOREIGN without `force`. NULL if there is
 * none.
 */
const char *files_in_the_way(const struct file_set *set, const struct manifest *manifest, bool force,
	enum file_standing *ret_standing);

/*
 * Adds to *manifest, which is that of the set, the folders of the set's files that another installation has made: the
 * last installation to be undone removes them. Returns 0 or -ENOMEM.
 */
int files_share_folders(const struct file_set *set, const char *manifest_path, const struct manifest *other,
	struct manifest *manifest);

/*
 * Writes the set, after files_in_the_way() has found nothing, and its manifest at manifest_path; makes that path's
 * folder with folder_mode if it is missing. *manifest, that of the installation before (empty for none), becomes the
 * new one. Returns 0 or negative errno; *ret_path is then the path that could not be written, owned by the set or
 * manifest_path.
 */
int files_install(const struct file_set *set, const char *manifest_path, mode_t folder_mode,
	struct manifest *manifest, const char **ret_path);

/* What happened to a file that is undone. */
enum file_removal {
	FILE_REMOVED,
	FILE_RESTORED, /* the earlier file is back */
	FILE_KEPT,     /* somebody else has changed it since: left alone */
	FILE_GONE,     /* it was not there any more */
};

/* Called for each file. `saved` is the name of the earlier file if that is left over too; else NULL. */
typedef void file_removed(void *context, const char *path, enum file_removal what, const char *saved);

/*
 * Undoes the files that the manifest names, removes the folders that were made for it if they are empty, and then the
 * manifest itself. Returns 0 or negative errno; *ret_path is then the path that could not be removed.
 */
int files_remove(const char *manifest_path, const struct manifest *manifest, file_removed *tell,
	void *context, const char **ret_path);
