/* SPDX-License-Identifier: MIT */
#include "lib/programs/launcher-path.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verb.h"

int launcher_path(char ret[PATH_MAX])
{
	char own[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	own[n > 0 ? n : 0] = '\0';
	slash = strrchr(own, '/');
	if (slash) {
		*slash = '\0';
		if (snprintf(ret, PATH_MAX, "%s/headstart", own) < PATH_MAX && access(ret, X_OK) == 0)
			return 0;
	}
	snprintf(ret, PATH_MAX, "%s", HEADSTART_PROGRAM_PATH);
	return access(ret, X_OK) == 0 ? 0 : verb_fail("cannot find '%s'", HEADSTART_PROGRAM_PATH);
}
