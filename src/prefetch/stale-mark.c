/* SPDX-License-Identifier: MIT */
/* The mark beside a stale plan. */
#include "prefetch/stale-mark.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/same-file.h"
#include "base/stranger.h"
#include "format/state-folder.h"

bool plan_mark_stale(const char *plan_path)
{
	_cleanup_free_ char *mark = NULL;
	_cleanup_close_ int fd = -1;
	struct stranger stranger;

	if (stranger_to_us(plan_path, &stranger) == -EPERM)
		return false;
	if (asprintf(&mark, "%s" STATE_STALE_SUFFIX, plan_path) < 0) {
		mark = NULL;
		return false;
	}
	fd = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	return fd >= 0;
}

bool plan_mark_stale_open(int plan_fd)
{
	char link[32], path[PATH_MAX];
	struct stat open_file, named;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", plan_fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return false;
	path[n] = '\0';
	return fstat(plan_fd, &open_file) == 0 && lstat(path, &named) == 0 && same_file(&open_file, &named) &&
		plan_mark_stale(path);
}
