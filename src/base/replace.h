/* SPDX-License-Identifier: MIT */
/*
 * Replaces the content of a file and keeps what the file is: its names, owner, mode and extended attributes.
 *
 *	_cleanup_(replacement_releasep) struct replacement new = REPLACEMENT_NONE;
 *	r = replacement_begin(&new, path);
 *	r = replacement_add_name(&new, another_path);           for each further hard link
 *	r = replacement_copy_original(&new, new.st.st_size);    or write to new.fd
 *	r = replacement_commit(&new);
 *
 * The new content goes to a temporary file beside the name, `.NAME.headstart-HHHHHHHH`, that is renamed over
 * it: at any point each name is the old file or the new one, whole. A process that is killed leaves its
 * temporary files behind; whoever begins with a file in the same folder next removes them. Each is locked
 * (flock(2)) for as long as its process lives, so that nobody removes those in use.
 *
 * The time of modification is that of the change, not the original's: whoever compares times (a profile, a
 * backup, make) must see that the file is not the one it knew.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct replacement_name; /* internal */

struct replacement {
	int fd;         /* the new content, for reading and writing; owned, gone with release */
	int original;   /* the file as it is, for reading; owned likewise */
	struct stat st; /* of the original when it was opened */
	size_t n_names; /* names known; commit needs all st.st_nlink of them, except after begin_new */
	char *lost;     /* owned; after a failed commit, what could not be kept: "owner", "mode",
			   "security.capability"; else NULL */

	/* The rest is private. */
	struct replacement_name *names;
	size_t names_capacity;
	bool as_permitted;
};

#define REPLACEMENT_NONE ((struct replacement){.fd = -1, .original = -1})

/*
 * Begins to replace the file `path`. A symbolic link is followed: it stays, and what it points at is
 * replaced. *ret is the caller's to release. Returns 0, -EINVAL or -EISDIR for what is not a regular file, or
 * negative errno.
 */
int replacement_begin(struct replacement *ret, const char *path);

/*
 * Begins to write `out_path`, which need not exist, as a changed copy of `like_path`: its owner, mode and
 * attributes are taken over as far as this process may (setuid and setgid bits only together with the owner),
 * and it is no failure when it may not. A file that is there already is replaced, a symbolic link followed
 * unless it leads nowhere. *ret is the caller's to release. Returns as replacement_begin().
 */
int replacement_begin_new(struct replacement *ret, const char *out_path, const char *like_path);

/*
 * Makes `path` another of the names that are replaced (not after begin_new); one that is known already is
 * ignored. A symbolic link is not followed. Returns 0, -EINVAL if it is not a name of this file, -EXDEV if it
 * can only be reached through another mount, or negative errno.
 */
int replacement_add_name(struct replacement *replacement, const char *path);

/*
 * Copies the first `size` bytes of the original to the start of the new content, by sharing blocks or inside
 * the kernel where that is possible, and leaves the file position behind them. Returns 0, -ENODATA if the
 * original is shorter, or negative errno.
 */
int replacement_copy_original(struct replacement *replacement, uint64_t size);

/*
 * Makes the new content the file: owner, mode and extended attributes (base/attributes.h), fsync, one rename
 * a name, fsync of the folders. security.ima and security.evm are not copied: they vouch for the old content
 * (base/seal.h tells of them).
 *
 * Returns 0, -EMLINK if the file has more names than are known, -ESTALE if it has changed since begin, or
 * negative errno, where `lost` may say more. After a failure all names are the old file, except: a failure of
 * one of several renames leaves each name old or new, and one of the last fsync leaves all new.
 */
int replacement_commit(struct replacement *replacement);

/* Releases everything; what was not committed is as if it had never been begun. */
void replacement_release(struct replacement *replacement);

static inline void replacement_releasep(struct replacement *replacement)
{
	replacement_release(replacement);
}
