/* SPDX-License-Identifier: MIT */
/*
 * Replaces the content of a file and keeps what the file is: its names, owner, mode and extended attributes.
 *
 *	_cleanup_(replacement_releasep) struct replacement new = REPLACEMENT_NONE;
 *	r = replacement_begin(&new, path);
 *	r = replacement_add_name(&new, another_path);           for each further hard link, and
 *	r = replacement_add_names_beside(&new);                 for those in the same folders
 *	r = replacement_copy_original(&new, new.st.st_size);    or write to new.fd
 *	r = replacement_commit(&new);
 *
 * The new content goes to a temporary file beside the name, `.NAME.headstart-HHHHHHHH`, that is renamed over it: at any
 * point each name is all of the old file or all of the new one. A killed process leaves its temporary files behind; the
 * next replacement in the same folder removes them. Each is locked (flock(2)) for as long as its process lives, so that
 * those in use are not removed.
 *
 * The time of modification is that of the change, not the original's: profiles, backups and make compare times, and
 * must notice the change.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct replacement_name; /* internal */

struct replacement {
	int fd;         /* the new content, for reading and writing; owned, closed by commit or release */
	int original;   /* the file as it is, for reading; owned too */
	struct stat st; /* of the original when it was opened */
	size_t n_names; /* known names; commit needs all st.st_nlink of them, except after begin_new */
	char *lost;     /* owned; after a failed commit, what it could not keep: "owner", "mode",
			   "security.capability"; else NULL */

	/* The rest is private. */
	struct replacement_name *names;
	size_t names_capacity;
	int lock; /* of the new content; owned */
	bool as_permitted;
};

#define REPLACEMENT_NONE ((struct replacement){.fd = -1, .original = -1, .lock = -1})

/*
 * Begins to replace the file `path`. A symbolic link stays, and the file that it leads to is replaced. The caller
 * releases *ret. Returns 0, -EINVAL or -EISDIR for anything but a regular file, or negative errno.
 */
int replacement_begin(struct replacement *ret, const char *path);

/*
 * Begins to write `out_path`, which need not exist, as a changed copy of `like_path`: commit copies its owner, mode and
 * attributes as far as this process may (setuid and setgid bits only together with the owner); if it may not, that is
 * no failure. Replaces a file that exists already, and follows a symbolic link unless it leads nowhere. The caller
 * releases *ret. Returns as replacement_begin(), or -ENOTUNIQ if both paths lead to one file.
 */
int replacement_begin_new(struct replacement *ret, const char *out_path, const char *like_path);

/*
 * Adds `path` to the names that are replaced (not after begin_new); a known name is ignored. A symbolic link is not
 * followed. Returns 0, -EINVAL if it is not a name of this file, -EXDEV if it can only be reached through another
 * mount, or negative errno.
 */
int replacement_add_name(struct replacement *replacement, const char *path);

/*
 * Adds all names that the file has in the folders of the known ones (not after begin_new). A folder that may not be
 * listed adds none. Returns 0 or negative errno.
 */
int replacement_add_names_beside(struct replacement *replacement);

/*
 * Copies the first `size` bytes of the original to the start of the new content, sharing blocks or copying inside the
 * kernel where possible, and leaves the file position behind them. Returns 0, -ENODATA if the original is shorter, or
 * negative errno.
 */
int replacement_copy_original(struct replacement *replacement, uint64_t size);

/*
 * Makes the new content the file: owner, extended attributes and mode (attributes.h), fsync, one rename a name,
 * fsync of the folders. security.ima and security.evm are not copied: they vouch for the old content (see seal.h).
 *
 * Returns 0, -EMLINK if the file has more names than are known, -ESTALE if it has changed since begin, or negative
 * errno, where `lost` may say more. After a failure all names are the old file, with two exceptions: if one of several
 * renames fails, each name is old or new; if the last fsync fails, all are new.
 */
int replacement_commit(struct replacement *replacement);

/* Releases everything, and undoes what was not committed. */
void replacement_release(struct replacement *replacement);

static inline void replacement_releasep(struct replacement *replacement)
{
	replacement_release(replacement);
}
