/* SPDX-License-Identifier: MIT */
/* In a build folder our programs lie in BUILD/tools. */
#include "lib/programs/private-file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/links.h"

/* *ret is the caller's; NULL if there is no such file. Returns 0 or -ENOMEM. */
static int find_in_build(const char *folder, const char *name, char **ret)
{
	_cleanup_free_ char *below = NULL;
	char path[PATH_MAX];

	if (asprintf(&below, "../%s/%s", folder, name) < 0)
		return -ENOMEM;
	*ret = path_beside_us(below, path) == 0 && access(path, R_OK) == 0 ? realpath(path, NULL) : NULL;
	return 0;
}

int private_file(const char *in_build, const char *name, char **ret)
{
	_cleanup_free_ char *path = NULL;
	int r = find_in_build(in_build, name, &path);

	if (r == 0 && !path && asprintf(&path, HEADSTART_PRIVATE_DIR "/%s", name) < 0)
		r = -ENOMEM;
	if (r < 0)
		return r;
	if (access(path, R_OK) < 0)
		return -errno;
	*ret = TAKE_PTR(path);
	return 0;
}
