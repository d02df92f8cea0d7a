/* SPDX-License-Identifier: MIT */
/*
 * Relaid copies in a folder of their own, laid over the originals by bind mounts: the packages' files stay as
 * they are. The folder gets, beside the copies:
 *
 *	headstart-shadow           the script that mounts (start) and unmounts (stop), and says what is (status)
 *	headstart-shadow.service   a systemd unit that runs it early at boot, for /etc/systemd/system
 *	headstart-shadow.dpkg      for /etc/dpkg/dpkg.cfg.d: dpkg cannot replace a file that is a mount point
 *	headstart-image-hook       for builders of images, who need no mounts: relays an image's root folder
 *
 * A copy whose original has not the size and time that it was made from (a package was upgraded) is not
 * mounted.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct shadow_file {
	const char *original; /* absolute path */
	const char *copy;     /* absolute path, below the folder */
	uint64_t size;        /* of the original that the copy was made from, bytes */
	int64_t mtime;        /* of the same, seconds since the epoch */
};

/*
 * Writes those files into `folder`, an absolute path without a slash at its end. `profile` is the absolute
 * path of the profile that the hook uses. The same arguments make the same bytes, in whatever order the files
 * come. Returns 0, -EINVAL for a path with a newline, a relative one, or a copy that does not lie below the
 * folder, or negative errno.
 */
int shadow_write(const char *folder, const char *profile, const struct shadow_file *files, size_t n);
