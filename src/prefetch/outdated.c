/* SPDX-License-Identifier: MIT */
/* Prevents a stranger whose file a plan names from keeping the plan stale for ever. */
#include "prefetch/outdated.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/open.h"
#include "base/paths/stranger.h"
#include "base/times.h"

/* The owner of the file, or of the last folder above it that exists. Returns 0 or negative errno. */
static int find_owner(const char *path, uid_t *ret)
{
	_cleanup_free_ char *rest = strdup(path);
	struct stat st;

	if (!rest)
		return -ENOMEM;
	while (lstat(*rest ? rest : "/", &st) < 0) {
		char *slash = strrchr(rest, '/');

		if ((errno != ENOENT && errno != ENOTDIR) || !slash || slash[1] == '\0')
			return -errno;
		*slash = '\0';
	}
	*ret = st.st_uid;
	return 0;
}

bool outdates_plan(const char *path, uid_t plan_owner)
{
	struct stranger stranger;
	uid_t owner = (uid_t)-1;
	int r;

	if (plan_owner == 0) {
		r = stranger_find(path, &stranger);
		return r == 0 || r == -ENOTDIR;
	}
	return find_owner(path, &owner) == 0 && (owner == 0 || owner == plan_owner);
}

static bool has_changed(const struct plan_file *file, const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR;
	return (st.st_mode & S_IFMT) != plan_file_type(file) ||
		!plan_file_is_fresh(file, (uint64_t)st.st_size, nanoseconds(st.st_mtim));
}

bool plan_is_older(const char *path)
{
	_cleanup_close_ int fd = -1;
	struct plan_header header;
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	fd = open_regular(path, 0);
	return fd >= 0 && read_full(fd, &header, sizeof(header)) == sizeof(header) &&
		plan_header_check(&header) == PLAN_OLDER;
}

bool plan_is_outdated(const struct plan_view *plan, uid_t plan_owner)
{
	for (uint32_t i = 0; i < plan->file_count; i++)
		if (has_changed(&plan->files[i], plan_file_path(plan, i)) &&
			outdates_plan(plan_file_path(plan, i), plan_owner))
			return true;
	return false;
}
