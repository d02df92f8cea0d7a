/* SPDX-License-Identifier: MIT */
/* Makes a detached mount, or else uses the file system mounted in the usual place. */
#include "record/restore/kernelfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/vfs.h>

#include "base/cleanup.h"

static int mount_detached(const char *type)
{
	_cleanup_close_ int context = fsopen(type, FSOPEN_CLOEXEC);
	int mount;

	if (context < 0 || fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	mount = fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	return mount < 0 ? -errno : mount;
}

static int open_mounted(const char *path, long magic)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs status;

	if (fd < 0 || fstatfs(fd, &status) < 0)
		return -errno;
	return status.f_type == magic ? TAKE_FD(fd) : -ENOENT;
}

/* The root of the detached mount is an O_PATH descriptor; callers need one that they can lock and list. */
static int open_kernelfs(const char *type, const char *usual_path, long magic)
{
	_cleanup_close_ int mount = mount_detached(type);
	int r = mount, fd;

	if (mount >= 0) {
		fd = openat(mount, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	fd = open_mounted(usual_path, magic);
	return fd < 0 ? r : fd;
}

int kernelfs_open_tracefs(void)
{
	return open_kernelfs("tracefs", "/sys/kernel/tracing", TRACEFS_MAGIC);
}

int kernelfs_open_sysfs(void)
{
	return open_kernelfs("sysfs", "/sys", SYSFS_MAGIC);
}
