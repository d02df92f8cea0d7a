/* SPDX-License-Identifier: MIT */
/* Checks that there is a folder to write in, and nothing in the way. */
#include "lib/files/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "verb.h"

/* Whether the file may be replaced: in a folder such as /tmp only its owner's files may, and those of the folder's owner. */
static bool is_replaceable(const struct stat *file, const char *folder)
{
	struct stat st;

	return geteuid() == 0 || stat(folder, &st) < 0 || !(st.st_mode & S_ISVTX) ||
		file->st_uid == geteuid() || st.st_uid == geteuid();
}

int output_check(const char *path)
{
	_cleanup_free_ char *copy = strdup(path);
	const char *folder = ".";
	struct stat st;
	char *slash;
	bool there;

	if (!copy)
		return verb_fail_errno(ENOMEM, "cannot write '%s'", path);
	there = stat(path, &st) == 0;
	if (there && S_ISDIR(st.st_mode))
		return verb_fail("'%s' is a folder: give the name of a file in it", path);
	if (!*path)
		return verb_fail("the output has no name: give one, such as -o FILE");
	if (there && !S_ISREG(st.st_mode))
		return verb_fail("'%s' is not a regular file", path);
	if (!there && errno != ENOENT)
		return verb_fail_errno(errno, "cannot write '%s'", path);
	slash = strrchr(copy, '/');
	if (slash) {
		slash[slash == copy] = '\0';
		folder = copy;
	}
	if (access(folder, W_OK | X_OK) < 0)
		return verb_fail_errno(errno, "cannot write '%s'", path);
	if (there && !is_replaceable(&st, folder))
		return verb_fail(
			"'%s' belongs to another user and cannot be replaced: name another file", path);
	return 0;
}

static mode_t readers = 0044; /* of all that output tells of */

void output_tells_of(const char *input)
{
	struct stat st;

	readers &= stat(input, &st) == 0 ? st.st_mode : 0;
}

mode_t output_mode(void)
{
	mode_t mask = umask(077);

	umask(mask);
	return (0600 | readers) & ~mask;
}
