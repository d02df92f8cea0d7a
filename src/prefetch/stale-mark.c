/* SPDX-License-Identifier: MIT */
/* The mark beside a stale plan. */
#include "prefetch/stale-mark.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/files/same-file.h"
#include "base/paths/stranger.h"
#include "format/state-folder.h"

/* The name of the mark, malloc()ed; NULL if memory runs out. */
static char *mark_beside(const char *plan_path)
{
	char *mark;

	return asprintf(&mark, "%s" STATE_STALE_SUFFIX, plan_path) < 0 ? NULL : mark;
}

bool plan_mark_stale(const char *plan_path)
{
	_cleanup_free_ char *mark = NULL;
	_cleanup_close_ int fd = -1;
	struct stranger stranger;

	if (stranger_to_us(plan_path, &stranger) == -EPERM)
		return false;
	mark = mark_beside(plan_path);
	if (!mark)
		return false;
	/* Others who could open it could lock it. */
	fd = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd >= 0;
}

int plan_mark_lock(const char *plan_path)
{
	_cleanup_free_ char *mark = mark_beside(plan_path);
	_cleanup_close_ int fd = -1;

	if (!mark)
		return -ENOMEM;
	fd = open(mark, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	/* Whoever publishes a new plan removes the mark, which somebody may have locked. */
	return is_still_named(fd, mark) ? TAKE_FD(fd) : -ENOENT;
}

bool plan_mark_stale_open(int plan_fd, char path[PATH_MAX])
{
	return path_of_fd(plan_fd, path) == 0 && is_still_named(plan_fd, path) && plan_mark_stale(path);
}
