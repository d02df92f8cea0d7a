/* SPDX-License-Identifier: MIT */
/*
 * Private mounts, in a chroot too.
 *
 * mount(2) changes the propagation of mount points alone. The root of a chroot need not be one, and then the
 * mount that it lies on stays shared: what is mounted below it would show on the whole machine, and stay.
 * That mount has no name inside the chroot, so its propagation is changed from outside: joining the namespace
 * that one is in already, setns(2), leads to the namespace's own root. Two descriptors lead back.
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
