/* SPDX-License-Identifier: MIT */
#include "base/hidden.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

bool hidden_from_others(const char *path)
{
	char folder[PATH_MAX];
	struct stat st;

	if (path[0] != '/' || strlen(path) >= sizeof(folder))
		return true;
	strcpy(folder, path);
	for (char *slash = strrchr(folder, '/'); slash; slash = strrchr(folder, '/')) {
		*slash = '\0';
		if (stat(*folder ? folder : "/", &st) < 0 || (st.st_mode & 0005) != 0005)
			return true;
	}
	return false;
}
