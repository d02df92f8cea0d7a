/* SPDX-License-Identifier: MIT */
/* Tries on files without names what the kernel would refuse, and asks it for attributes of files. */
#include "place/check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"
#include "place/exchange.h"
#include "place/share.h"

#define STATE_MAX 8192 /* bytes of a file in /proc/fs/ext4/DEVICE */

static int say(char **ret, const char *text)
{
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

/* Reads what the kernel tells of a mounted ext4 in /proc/fs/ext4/DEVICE. Returns 0 or negative errno. */
static int read_state(dev_t number, const char *name, char **ret)
{
	char link[64], target[512], path[600];
	size_t size;
	ssize_t length;

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(number), minor(number));
	length = readlink(link, target, sizeof(target) - 1);
	if (length <= 0)
		return -ENOENT;
	target[length] = '\0';
	snprintf(path, sizeof(path), "/proc/fs/ext4/%s/%s",
		strrchr(target, '/') ? strrchr(target, '/') + 1 : target, name);
	return read_pseudo_file(path, STATE_MAX, ret, &size);
}

/*
 * Whether the options with which the device is mounted have this one, with any value if it ends with "="
 * (fs/ext4/super.c, ext4_seq_options_show()).
 */
static bool is_mounted_with(dev_t number, const char *option)
{
	_cleanup_free_ char *text = NULL;
	char *line, *rest;

	if (read_state(number, "options", &text) < 0)
		return false;
	for (rest = text; (line = strsep(&rest, "\n"));)
		if (streq(line, option) || (ends_with(option, "=") && after_prefix(line, option)))
			return true;
	return false;
}

/* Whether one of the counters of fast commits is above 0 (fs/ext4/fast_commit.c, ext4_fc_info_show()). */
static bool has_fast_commits(char *info)
{
	char *line, *end;

	while ((line = strsep(&info, "\n")))
		if (strtoull(line, &end, 10) > 0 && (streq(end, " commits") || streq(end, " ineligible")))
			return true;
	return false;
}

int place_find_danger(int donor, const char **ret)
{
	_cleanup_free_ char *info = NULL;
	struct stat st;

	*ret = NULL;
	/* This is a fast commit, or one that the kernel has counted as ineligible, if the file system makes any. */
	if (fstat(donor, &st) < 0 || fsync(donor) < 0)
		return -errno;
	/* The kernel names the mode of the journal whether it is the default or not, but only if there is a journal. */
	if (!is_mounted_with(st.st_dev, "data="))
		*ret = "has no journal, so a loss of power might damage exchanged blocks there";
	else if (read_state(st.st_dev, "fc_info", &info) == 0 && !strstr(info, "\"Move extents\"") &&
		has_fast_commits(info))
		*ret = "has the feature fast_commit, and this kernel may lose exchanged blocks there";
	return 0;
}

/* What the refusal of the kernel to exchange blocks of two files comes from. */
static int explain(int error, int fd, uint32_t page_size, char **ret)
{
	_cleanup_free_ char *text = NULL;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if ((uint64_t)st.st_blocks * 512 > page_size)
		return say(ret, "allocates clusters of several blocks (bigalloc), which cannot be exchanged");
	if (is_mounted_with(st.st_dev, "data=journal"))
		return say(ret, "is mounted with data=journal, where blocks cannot be exchanged");
	if (is_mounted_with(st.st_dev, "dax") || is_mounted_with(st.st_dev, "dax=always"))
		return say(ret, "is mounted with DAX, where blocks cannot be exchanged");
	if (asprintf(&text, "does not let blocks be exchanged (%s)", strerror(-error)) < 0)
		return -ENOMEM;
	*ret = TAKE_PTR(text);
	return 0;
}

static int explain_donor(int error, char **ret)
{
	switch (error) {
	case -EROFS:
		return say(ret, "is mounted read-only");
	case -ENOSPC:
	case -EDQUOT:
		return say(ret, "is full");
	case -EACCES:
	case -EPERM:
		return say(ret, "can be written to by other users alone; root may move blocks there");
	case -EOPNOTSUPP:
	case -EISDIR:
		return say(ret, "has no files without a name, or does not allocate blocks in advance");
	default:
		return error;
	}
}

/* The blocks were allocated before, so the file system is not what is full. */
static int explain_writing(int error, char **ret)
{
	if (error != -ENOSPC && error != -EIO)
		return explain_donor(error, ret);
	return asprintf(ret, PLACE_NOT_TAKEN, strerror(-error)) < 0 ? -ENOMEM : 0;
}

static int try_exchange(const char *folder, uint32_t page_size, char **ret)
{
	_cleanup_close_ int one = place_donor(folder, page_size), other = -1;
	const char *danger;
	uint64_t done;
	int r = one;

	if (r >= 0)
		r = other = place_donor(folder, page_size);
	if (r < 0)
		return explain_donor(r, ret);
	/* A block that was never written would not be exchanged. */
	if (pwrite(one, "", 1, 0) != 1)
		return explain_writing(-errno, ret);
	r = place_find_danger(one, &danger);
	if (r < 0)
		return explain_writing(r, ret);
	r = place_exchange(one, other, 0, 0, 1, &done);
	if (r == -ENOSPC || r == -EIO)
		return explain_writing(r, ret);
	if (r < 0)
		return explain(r, one, page_size, ret);
	return danger ? say(ret, danger) : 0;
}

/* What the refusal of the kernel to share blocks of two files comes from. */
static int explain_sharing(int error, char **ret)
{
	_cleanup_free_ char *text = NULL;

	if (error == -EOPNOTSUPP)
		return say(ret, "is an XFS whose files cannot share blocks (made with reflink=0)");
	if (asprintf(&text, "does not let files share blocks (%s)", strerror(-error)) < 0)
		return -ENOMEM;
	*ret = TAKE_PTR(text);
	return 0;
}

static int write_page(int fd, uint32_t page_size)
{
	_cleanup_free_ char *page = calloc(1, page_size);
	int r = page ? write_full(fd, page, page_size) : -ENOMEM;

	return r == 0 && fsync(fd) < 0 ? -errno : r;
}

static int try_sharing(const char *folder, uint32_t page_size, char **ret)
{
	_cleanup_(place_area_releasep) struct place_area area = PLACE_NO_AREA;
	_cleanup_close_ int other = place_donor(folder, page_size);
	struct place_run first = {.pages = 1};
	struct place_file file = {.size = page_size, .moved = {.items = &first, .n = 1}};
	uint64_t done;
	int r = other;

	if (r >= 0)
		r = place_area_open(folder, page_size, &area);
	if (r < 0)
		return explain_donor(r, ret);
	r = write_page(other, page_size);
	if (r == 0)
		r = place_copy(&file, other, &area, page_size);
	if (r < 0)
		return explain_writing(r, ret);
	r = place_share(&file, other, &area, page_size, &done);
	if (r == -ENOSPC || r == -EIO)
		return explain_writing(r, ret);
	return r < 0 ? explain_sharing(r, ret) : 0;
}

static int way_of(const struct statfs *info, enum place_way *ret)
{
	switch (info->f_type) {
	case EXT4_SUPER_MAGIC:
		*ret = PLACE_EXCHANGE;
		return 0;
	case XFS_SUPER_MAGIC:
		*ret = PLACE_SHARE;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

int place_find_way(int fd, enum place_way *ret)
{
	struct statfs info;

	return fstatfs(fd, &info) < 0 ? -errno : way_of(&info, ret);
}

int place_check_file_system(const char *folder, uint32_t page_size, enum place_way *ret_way, char **ret)
{
	struct statvfs flags;
	struct statfs info;

	*ret = NULL;
	if (statfs(folder, &info) < 0 || statvfs(folder, &flags) < 0)
		return -errno;
	if (info.f_type == BTRFS_SUPER_MAGIC)
		return say(ret, "is a btrfs; files can be placed on ext4 and XFS only");
	if (way_of(&info, ret_way) < 0)
		return say(ret, "is neither ext4 nor XFS");
	if (info.f_bsize != page_size)
		return say(ret, "has blocks of another size than a page of memory");
	if (flags.f_flag & ST_RDONLY)
		return say(ret, "is mounted read-only");
	return *ret_way == PLACE_EXCHANGE ? try_exchange(folder, page_size, ret)
					  : try_sharing(folder, page_size, ret);
}

/* An attribute of statx(2) or a flag of FS_IOC_GETFLAGS with which a file cannot be moved. */
static const char *forbidding(int fd, enum place_way way)
{
	struct fsxattr more;
	struct statx status;
	int flags = 0;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &status) == 0) {
		if (status.stx_attributes & STATX_ATTR_ENCRYPTED)
			return "is encrypted";
		if (status.stx_attributes & STATX_ATTR_VERITY)
			return "is sealed by fs-verity";
		if (status.stx_attributes & STATX_ATTR_DAX)
			return "is accessed without the page cache (DAX)";
		if (status.stx_attributes & STATX_ATTR_IMMUTABLE)
			return "is immutable (chattr +i)";
		if (status.stx_attributes & STATX_ATTR_APPEND)
			return "can only be appended to (chattr +a)";
	}
	if (way == PLACE_SHARE && ioctl(fd, FS_IOC_FSGETXATTR, &more) == 0 &&
		more.fsx_xflags & FS_XFLAG_REALTIME)
		return "lies on the real-time device, whose blocks cannot be shared";
	/* These flags are ext4's. */
	if (way != PLACE_EXCHANGE || ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0)
		return NULL;
	if (flags & FS_INLINE_DATA_FL)
		return "lies in its inode (inline data)";
	if (flags & FS_JOURNAL_DATA_FL)
		return "has its data in the journal (chattr +j)";
	return flags & FS_EXTENT_FL ? NULL : "is mapped block by block, as in ext3: chattr +e changes that";
}

/* Returns 0 if the file can be written to, or negative errno. */
static int try_writing(int fd, bool dry_run)
{
	char path[sizeof("/proc/self/fd/") + 11];
	int again;

	if (dry_run) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0 ? -errno : 0;
	}
	again = place_reopen(fd, O_RDWR);
	if (again < 0)
		return again;
	close(again);
	return 0;
}

/* Whoever owns a file may have it share blocks, also if it can only be read (ioctl_fideduperange(2)). */
static int try_sharing_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	return geteuid() == 0 || st.st_uid == geteuid() ? 0 : try_writing(fd, true);
}

int place_check_file(int fd, enum place_way way, bool dry_run, const char **ret)
{
	int r;

	*ret = forbidding(fd, way);
	if (*ret)
		return 0;
	r = way == PLACE_SHARE ? try_sharing_of(fd) : try_writing(fd, dry_run);
	switch (r) {
	case -ETXTBSY:
		*ret = "is a running program, or used for swapping: try again when it has ended";
		return 0;
	case -EACCES:
	case -EPERM:
		*ret = "can be written to by other users alone";
		return 0;
	case -EAGAIN:
		*ret = "is leased by another process (fcntl F_SETLEASE)";
		return 0;
	case -EROFS:
		*ret = "lies on a file system that is mounted read-only";
		return 0;
	default:
		return r;
	}
}
