/* SPDX-License-Identifier: MIT */
#include "headstartd/beside.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void beside_find(const char *name, char ret[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", ret, PATH_MAX - 1);
	size_t size;
	char *slash;

	ret[n > 0 ? n : 0] = 0;
	slash = strrchr(ret, '/');
	size = slash ? (size_t)(ret + PATH_MAX - (slash + 1)) : 0;
	if (strlen(name) < size) {
		strcpy(slash + 1, name);
		if (access(ret, X_OK) == 0)
			return;
	}
	snprintf(ret, PATH_MAX, "%s/%s", HEADSTART_PRIVATE_DIR, name);
}
