/* SPDX-License-Identifier: MIT */
#include "base/files/same-file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

static int look(const char *path, struct statx *ret)
{
	return statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO, ret);
}

/* By what the kernel has cached of the path. */
static int look_cached(const char *path, struct statx *ret)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, .resolve = RESOLVE_CACHED | RESOLVE_NO_SYMLINKS};
	_cleanup_close_ int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	/* EPERM: a filter of system calls does not know it. */
	if (fd < 0)
		return errno == EINVAL || errno == ENOSYS || errno == EPERM ? look(path, ret) : -1;
	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, ret);
}

bool path_leads_to(const char *path, const struct statx *status, bool cached)
{
	struct statx named;
	int r = cached ? look_cached(path, &named) : look(path, &named);

	return r == 0 && named.stx_ino == status->stx_ino && named.stx_dev_major == status->stx_dev_major &&
		named.stx_dev_minor == status->stx_dev_minor;
}
