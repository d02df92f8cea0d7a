/* SPDX-License-Identifier: MIT */
#include "base/hidden.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* Whether others lack one of these rights in one of the folders on the path. */
static bool is_denied(const char *path, mode_t rights)
{
	char folder[PATH_MAX];
	struct stat st;

	if (path[0] != '/' || strlen(path) >= sizeof(folder))
		return true;
	strcpy(folder, path);
	for (char *slash = strrchr(folder, '/'); slash; slash = strrchr(folder, '/')) {
		*slash = '\0';
		if (stat(*folder ? folder : "/", &st) < 0 || (st.st_mode & rights) != rights)
			return true;
	}
	return false;
}

bool hidden_from_others(const char *path)
{
	return is_denied(path, S_IROTH | S_IXOTH);
}

bool closed_to_others(const char *path)
{
	return is_denied(path, S_IXOTH);
}

bool may_show_of(const char *program, const char *path)
{
	return !hidden_from_others(path) || closed_to_others(program);
}
