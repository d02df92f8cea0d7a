/* SPDX-License-Identifier: MIT */
/*
 * Private mounts, in a chroot too.
 *
 * mount(2) changes the propagation of mount points only. The root of a chroot need not be a mount point. The mount on
 * which it lies would then stay shared, and mounts below it would appear on the whole machine and stay. That mount has
 * no name inside the chroot, so we change its propagation from outside: joining the namespace that we are in already,
 * with setns(2), leads to the namespace's own root. Two descriptors lead back.
 */
#include "setup/system/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

static int make_private(void)
{
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? -errno : 0;
}

static int make_private_outside_chroot(void)
{
	_cleanup_close_ int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int self =
		(int)syscall(SYS_pidfd_open, getpid(), 0); /* needs no /proc in the chroot */
	int r;

	if (root < 0 || folder < 0 || self < 0 || setns(self, CLONE_NEWNS) < 0)
		return -errno;
	r = make_private();
	if (fchdir(root) < 0 || chroot(".") < 0 || fchdir(folder) < 0)
		return -errno;
	return r;
}

int namespace_enter(void)
{
	int r;

	if (unshare(CLONE_NEWNS) < 0)
		return -errno;
	r = make_private();
	return r == -EINVAL ? make_private_outside_chroot() : r;
}
