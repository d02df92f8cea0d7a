/* SPDX-License-Identifier: MIT */
/* A record lock (fcntl_locking(2)): with one of flock(2), a child that hangs would keep it after the end of its parent. */
#include "base/files/lock-file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"

int lock_file(const char *path)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	while (fcntl(fd, F_SETLK, &lock) < 0)
		if (errno != EINTR)
			return errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
	return TAKE_FD(fd);
}

pid_t lock_file_holder(const char *path)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fcntl(fd, F_GETLK, &lock) < 0)
		return -errno;
	return lock.l_type == F_UNLCK || lock.l_pid < 0 ? 0 : lock.l_pid;
}
