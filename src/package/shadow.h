/* SPDX-License-Identifier: MIT */
/*
 * The files that `relayout --shadow` writes beside the relaid copies, in a folder of their own. Bind mounts lay the
 * copies over the originals, so that the packages' files stay as they are.
 *
 *	headstart-shadow.list    the profile, and the originals with their size and time when they were copied:
 *
 *		profile /var/lib/headstart/usr_bin_git.profile
 *		file 2129920 1718900000 /usr/lib/x86_64-linux-gnu/libc.so.6
 *
 *	headstart-shadow         reads the list: mounts (start), unmounts (stop), reports (status)
 *	headstart-image-hook     for images, which need no mounts: relays an image's root folder by that profile
 *
 * The two scripts are copies of static files that are installed with headstart (packaging/shadow). The copy of an
 * original lies at the original's path below the folder.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shadow_file {
	const char *original; /* absolute path; borrowed */
	uint64_t size;        /* bytes, of the original that the copy was made from */
	int64_t mtime;        /* of the original too, seconds since the epoch */
};

/* Whether a line of the list can hold the path: an absolute one without a newline. */
bool shadow_can_list(const char *path);

/*
 * *ret, which the caller frees, is an original of the folder's list whose copy is mounted now, or NULL: also if there
 * is no list yet. `folder` is an absolute path. Returns 0, or negative errno.
 */
int shadow_find_mounted(const char *folder, char **ret);

/*
 * Writes those files into `folder`, which exists. `from` is the folder that has the two scripts, `profile` the absolute
 * path of the profile. The order of the files does not change the list. Returns 0, -EINVAL for a relative path or one
 * with a newline, or negative errno.
 */
int shadow_write(
	const char *folder, const char *from, const char *profile, const struct shadow_file *files, size_t n);
