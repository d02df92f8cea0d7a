/* SPDX-License-Identifier: MIT */
/* Checks that there is a folder to write in, and nothing in the way. */
#include "lib/files/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "verb.h"

int output_check(const char *path)
{
	_cleanup_free_ char *folder = strdup(path);
	struct stat st;
	char *slash;

	if (!folder)
		return verb_fail_errno(ENOMEM, "cannot write '%s'", path);
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return verb_fail("'%s' is not a regular file", path);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	if (access(slash ? folder : ".", W_OK | X_OK) < 0)
		return verb_fail_errno(errno, "cannot write '%s'", path);
	return 0;
}
