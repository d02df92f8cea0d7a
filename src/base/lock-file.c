/* SPDX-License-Identifier: MIT */
/* A record lock (fcntl_locking(2)): with one of flock(2), a child that hangs would keep it after the end of its parent. */
#include "base/lock-file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"

/* `how` is F_SETLK or F_SETLKW. */
static int take(const char *path, int how)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	while (fcntl(fd, how, &lock) < 0)
		if (errno != EINTR)
			return errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
	return TAKE_FD(fd);
}

int lock_file(const char *path)
{
	return take(path, F_SETLK);
}

int lock_file_wait(const char *path)
{
	return take(path, F_SETLKW);
}
