/* SPDX-License-Identifier: MIT */
/*
 * What an installation wrote, so that it can be undone exactly: a JSON file in the state folder.
 *
 *	{"version": 1, "folders": ["/home/u/.local/bin"],
 *	 "files": [{"path": "/home/u/.local/bin/firefox", "checksum": "0123456789abcdef",
 *		    "saved": "/home/u/.local/bin/.firefox.headstart-saved"}]}
 *
 * While files are replaced that an earlier installation wrote, they also have "was", the checksum of those.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct installed_file {
	char *path;        /* owned, absolute */
	uint64_t checksum; /* XXH3 of what we wrote, or are about to write */
	uint64_t was;      /* likewise, of what we had written before, until it is replaced; or the same */
	char *saved;       /* owned: the present name of the earlier file; NULL: there was none */
};

struct manifest {
	struct installed_file *files; /* owned */
	size_t n_files, files_capacity;
	char **folders; /* owned: those that we made, from the top down */
	size_t n_folders, folders_capacity;
};

/* Returns 0, -ENOENT, -EBADMSG (it is not a manifest), or negative errno. *ret is the caller's to release. */
int manifest_load(const char *path, struct manifest *ret);

/* Publishes it, mode 0600; the folder must exist. Returns 0 or negative errno. */
int manifest_save(const char *path, const struct manifest *manifest);

/* Adds a copy of the entry, or of the string. Returns 0 or -ENOMEM. */
int manifest_add_file(struct manifest *manifest, const struct installed_file *file);
int manifest_add_folder(struct manifest *manifest, const char *path);

/* The entry with that path, or NULL. */
const struct installed_file *manifest_find(const struct manifest *manifest, const char *path);

void manifest_release(struct manifest *manifest);

static inline void manifest_releasep(struct manifest *manifest)
{
	manifest_release(manifest);
}
