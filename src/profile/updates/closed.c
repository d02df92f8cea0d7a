/* SPDX-License-Identifier: MIT */
#include "profile/updates/closed.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "elf/landmarks.h"
#include "profile/functions.h"

static size_t n_objects(const struct profile *profile)
{
	return profile->functions ? profile->functions->n_objects : 0;
}

size_t profile_closed_places(const struct profile *profile)
{
	return profile->n_files + n_objects(profile);
}

/* The file of that place if the profile tells something of its content, else NULL. */
static const char *told(const struct profile *profile, size_t place)
{
	if (place >= profile->n_files)
		return profile->functions->objects[place - profile->n_files].path;
	return profile->files[place].landmarks ? profile->files[place].path : NULL;
}

/* By the permissions of the path's folders and of the file; profiles have canonical paths. */
static bool is_open_to_all(const char *path)
{
	char part[PATH_MAX];
	struct stat st;

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		size_t length = slash == path ? 1 : (size_t)(slash - path);

		if (length >= sizeof(part))
			return false;
		memcpy(part, path, length);
		part[length] = '\0';
		if (lstat(part, &st) < 0 || !S_ISDIR(st.st_mode) || !(st.st_mode & S_IXOTH))
			return false;
	}
	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & S_IROTH);
}

bool profile_tells_everybody(const struct profile *profile)
{
	for (size_t i = 0; i < profile_closed_places(profile); i++)
		if (told(profile, i) && !is_open_to_all(told(profile, i)))
			return false;
	return true;
}

static bool may_read(const char *path)
{
	_cleanup_close_ int fd = open_regular(path, OPEN_NO_LINKS);

	return fd >= 0;
}

void profile_find_closed(const struct profile *profile, uint8_t *closed)
{
	for (size_t i = 0; i < profile_closed_places(profile); i++)
		closed[i] = told(profile, i) && !may_read(told(profile, i));
}

int profile_forget_closed(struct profile *profile, const uint8_t *closed)
{
	int r = 0;

	/* The last one first: the places of those before it stay. */
	for (size_t i = n_objects(profile); r == 0 && i-- > 0;)
		if (closed[profile->n_files + i])
			r = profile_functions_leave_out(profile->functions, i);
	for (size_t i = 0; r == 0 && i < profile->n_files; i++)
		if (closed[i]) {
			elf_landmarks_free(profile->files[i].landmarks);
			profile->files[i].landmarks = NULL;
		}
	return r;
}
