/* SPDX-License-Identifier: MIT */
/* A lock that disappears when no process holds it. */
#include "setup/system/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/same-file.h"
#include "replace/publish.h"

#define TURNS_MAX 1000 /* turns of others that may end while we try to get ours */

static char *lock_path(const char *folder)
{
	char *path;

	return asprintf(&path, "%s/lock", folder) < 0 ? NULL : path;
}

int turn_take(struct turn *turn, const char *folder, void (*waits)(void))
{
	_cleanup_free_ char *path = lock_path(folder);

	if (!path)
		return -ENOMEM;
	for (int i = 0; i < TURNS_MAX; i++) {
		_cleanup_close_ int fd = -1;
		int r = make_folders(folder, 0755);

		if (r == 0)
			fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (r == 0 && fd < 0)
			r = -errno;
		if (r == -ENOENT)
			continue; /* the turn of another process has just ended */
		if (r < 0)
			return r;
		if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
			if (waits)
				waits();
			while (flock(fd, LOCK_EX) < 0 && errno == EINTR)
				;
		}
		if (is_still_named(fd, path)) {
			*turn = (struct turn){folder, TAKE_FD(fd)};
			return 0;
		}
	}
	return -EBUSY;
}

void turn_end(struct turn *turn)
{
	_cleanup_free_ char *path = NULL, *above = NULL;

	if (turn->lock < 0)
		return;
	path = lock_path(turn->folder);
	if (path)
		(void)unlink(path);
	close(turn->lock);
	turn->lock = -1;
	if (rmdir(turn->folder) < 0)
		return;
	above = strdup(turn->folder);
	if (above) {
		*strrchr(above, '/') = '\0';
		(void)rmdir(above);
	}
}
