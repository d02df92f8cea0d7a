/* SPDX-License-Identifier: MIT */
/* In a build folder our programs lie in BUILD/tools. */
#include "lib/programs/private-file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

/* *ret is the caller's; NULL if there is no such file. Returns 0 or -ENOMEM. */
static int find_in_build(const char *folder, const char *name, char **ret)
{
	_cleanup_free_ char *path = NULL;
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *slash;

	*ret = NULL;
	if (n <= 0)
		return 0;
	program[n] = '\0';
	slash = strrchr(program, '/');
	if (!slash)
		return 0;
	*slash = '\0';
	if (asprintf(&path, "%s/../%s/%s", program, folder, name) < 0)
		return -ENOMEM;
	*ret = access(path, R_OK) == 0 ? realpath(path, NULL) : NULL;
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
