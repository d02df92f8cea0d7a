/* SPDX-License-Identifier: MIT */
/* statfs(2), proc_pid_mountinfo(5), and the attribute uevent of block devices in sysfs. */
#include "device/file-system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/paths/mountinfo.h"
#include "base/strings.h"

#define UEVENT_MAX 4096u /* bytes */

/* What file systems without a better id have: new_encode_dev() and huge_encode_dev() of the kernel. */
static uint64_t id_of_number(dev_t number)
{
	unsigned major_number = major(number), minor_number = minor(number);

	return (minor_number & 0xff) | major_number << 8 | (minor_number & ~0xffu) << 12;
}

int device_file_system(int fd, struct device_file_system *ret)
{
	uint32_t words[2];
	struct statfs fs;
	struct stat st;
	uint64_t id;

	if (fstatfs(fd, &fs) < 0 || fstat(fd, &st) < 0)
		return -errno;
	_Static_assert(sizeof(fs.f_fsid) == sizeof(words), "statfs(2)");
	memcpy(words, &fs.f_fsid, sizeof(words));
	id = (uint64_t)words[1] << 32 | words[0];
	if (major(st.st_dev) == 0 || id == 0 || id == id_of_number(st.st_dev))
		return -EOPNOTSUPP;
	*ret = (struct device_file_system){.id = id, .number = st.st_dev};
	return 0;
}

/* Returns 0 if the file system with this id is mounted at `path`; -ESTALE if it is another; or negative errno. */
static int look_at(const char *path, uint64_t id, dev_t *ret_number)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct device_file_system found = {0};
	int r = fd < 0 ? -errno : device_file_system(fd, &found);

	if (r < 0)
		return r;
	if (found.id != id)
		return -ESTALE;
	*ret_number = found.number;
	return 0;
}

/* The mount point as it is called below the root; NULL if it does not lie there. */
static const char *below_root(const char *point, const char *root)
{
	const char *rest = after_prefix(point, root);

	if (!rest || (*rest && *rest != '/'))
		return NULL;
	return *rest ? rest : "/";
}

int device_find_mount(
	const char *mountinfo, const char *root, uint64_t id, char **ret_point, dev_t *ret_number)
{
	_cleanup_free_ char *text = NULL, *best = NULL;
	struct mountinfo mount;
	dev_t number = 0;
	size_t size;
	char *rest;
	int r = read_pseudo_file(mountinfo, MOUNTINFO_MAX, &text, &size);

	if (r < 0)
		return r;
	/* In a chroot whose root is no mount point, the list of mounts leaves the root out. */
	if (look_at(*root ? root : "/", id, &number) == 0) {
		best = strdup("/");
		if (!best)
			return -ENOMEM;
	}
	rest = text;
	while ((r = mountinfo_next(&rest, &mount)) != 0) {
		const char *point = r < 0 || mount.device_major == 0 ? NULL : below_root(mount.point, root);

		if (!point || (best && strlen(best) <= strlen(point)) ||
			look_at(mount.point, id, &number) < 0)
			continue;
		free(best);
		best = strdup(point);
		if (!best)
			return -ENOMEM;
	}
	if (!best)
		return -ENOENT;
	*ret_point = TAKE_PTR(best);
	*ret_number = number;
	return 0;
}

/* "/dev/NAME", as the kernel calls the node: the line DEVNAME=NAME of the attribute. */
static int find_node(dev_t number, char ret[PATH_MAX])
{
	_cleanup_free_ char *text = NULL;
	char attribute[64], *rest;
	size_t size;
	int r;

	snprintf(attribute, sizeof(attribute), "/sys/dev/block/%u:%u/uevent", major(number), minor(number));
	r = read_pseudo_file(attribute, UEVENT_MAX, &text, &size);
	if (r < 0)
		return r;
	rest = text;
	for (char *line; (line = strsep(&rest, "\n"));) {
		const char *name = after_prefix(line, "DEVNAME=");

		if (name)
			return snprintf(ret, PATH_MAX, "/dev/%s", name) < PATH_MAX ? 0 : -ENAMETOOLONG;
	}
	return -ENOENT;
}

int device_open_disk(const char *point, uint64_t id)
{
	_cleanup_close_ int node = -1;
	char path[PATH_MAX], link[32];
	dev_t number = 0;
	struct stat st;
	int r = look_at(point, id, &number), fd;

	if (r == 0)
		r = find_node(number, path);
	if (r < 0)
		return r;
	node = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (node < 0 || fstat(node, &st) < 0)
		return -errno;
	if (!S_ISBLK(st.st_mode) || st.st_rdev != number)
		return -ENODEV;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", node);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
