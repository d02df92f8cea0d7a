/* SPDX-License-Identifier: MIT */
/* Exchanges blocks of files by EXT4_IOC_MOVE_EXT, and finds out where that cannot be done. */
#include "place/exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
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
#include "base/io.h"
#include "base/strings.h"

/* fs/ext4/ext4.h of the kernel, which no header for programs has. */
struct move_extent {
	uint32_t reserved; /* 0 */
	uint32_t donor_fd;
	uint64_t orig_start; /* blocks */
	uint64_t donor_start;
	uint64_t len;
	uint64_t moved_len; /* set by the kernel */
};

#define EXT4_IOC_MOVE_EXT _IOWR('f', 15, struct move_extent)

#define BUSY_TRIES  100   /* the kernel is writing one of the pages just now */
#define BUSY_US     10000 /* between them */
#define SLICE_PAGES 512u  /* exchanged at once */
#define STATE_MAX   8192  /* bytes of a file in /proc/fs/ext4/DEVICE */

/* Of the file system, what is left to others while the area exists. */
#define MARGIN_PART 64u
#define MARGIN_MAX  (64u << 20) /* bytes */

int place_donor(const char *folder, uint64_t bytes)
{
	_cleanup_close_ int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	if (bytes > INT64_MAX)
		return -EFBIG;
	if (fallocate(fd, 0, 0, (off_t)bytes) < 0)
		return -errno;
	return TAKE_FD(fd);
}

uint64_t place_free_bytes(const char *folder)
{
	struct statvfs info;
	uint64_t all, free, margin;

	if (statvfs(folder, &info) < 0)
		return UINT64_MAX; /* allocating says why */
	all = (uint64_t)info.f_blocks * info.f_frsize;
	free = (uint64_t)info.f_bavail * info.f_frsize;
	margin = all / MARGIN_PART < MARGIN_MAX ? all / MARGIN_PART : MARGIN_MAX;
	return free > margin ? free - margin : 0;
}

/* The file is open for writing no longer than this takes. *ret_moved says how far it came, also after a failure. */
static int exchange_slice(
	int fd, int donor, uint64_t page, uint64_t donor_page, uint64_t pages, uint64_t *ret_moved)
{
	_cleanup_close_ int writable = place_reopen(fd, O_RDWR);
	struct move_extent move = {
		.donor_fd = (uint32_t)donor,
		.orig_start = page,
		.donor_start = donor_page,
		.len = pages < SLICE_PAGES ? pages : SLICE_PAGES,
	};
	int r;

	if (writable < 0)
		return writable;
	r = ioctl(writable, EXT4_IOC_MOVE_EXT, &move) < 0 ? -errno : 0;
	if (move.moved_len > pages)
		return -EIO;
	*ret_moved = move.moved_len;
	return r;
}

/*
 * The kernel exchanges no page while another one of its folio is dirty, as each is that was exchanged before. If it has a journal
 * it writes them by itself, by a commit each time.
 */
static void write_back(int fd, uint64_t page, uint64_t pages)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE),
		 from = page > SLICE_PAGES ? page - SLICE_PAGES : 0;
	uint64_t to = page + (pages < SLICE_PAGES ? pages : SLICE_PAGES);

	(void)sync_file_range(fd, (off64_t)(from * page_size), (off64_t)((to - from) * page_size),
		SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
}

int place_exchange(int fd, int donor, uint64_t page, uint64_t donor_page, uint64_t pages, uint64_t *ret_done)
{
	unsigned tries = 0;

	*ret_done = 0;
	while (pages > 0) {
		uint64_t moved = 0;
		int r = exchange_slice(fd, donor, page, donor_page, pages, &moved);

		page += moved;
		donor_page += moved;
		pages -= moved;
		*ret_done += moved;
		if (moved > 0) {
			tries = 0;
			continue;
		}
		if (r == 0)
			return -EIO;
		if ((r != -EBUSY && r != -EAGAIN && r != -EINTR) || ++tries == BUSY_TRIES)
			return r;
		write_back(fd, page, pages);
		if (tries > 1)
			usleep(BUSY_US);
	}
	return 0;
}

int place_reopen(int fd, int flags)
{
	char path[sizeof("/proc/self/fd/") + 11];
	int now = fcntl(fd, F_GETFL), again;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, flags | (now > 0 ? now & O_NOATIME : 0) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return again < 0 ? -errno : again;
}

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
		return explain_donor(-errno, ret);
	r = place_find_danger(one, &danger);
	if (r < 0)
		return explain_donor(r, ret);
	r = place_exchange(one, other, 0, 0, 1, &done);
	if (r < 0)
		return explain(r, one, page_size, ret);
	return danger ? say(ret, danger) : 0;
}

int place_check_file_system(const char *folder, uint32_t page_size, char **ret)
{
	struct statvfs flags;
	struct statfs info;

	*ret = NULL;
	if (statfs(folder, &info) < 0 || statvfs(folder, &flags) < 0)
		return -errno;
	if (info.f_type != EXT4_SUPER_MAGIC) {
		if (info.f_type == BTRFS_SUPER_MAGIC)
			return say(ret, "is a btrfs; files can be placed on ext4 only");
		if (info.f_type == XFS_SUPER_MAGIC)
			return say(ret, "is an XFS; files can be placed on ext4 only");
		return say(ret, "is no ext4");
	}
	if (info.f_bsize != page_size)
		return say(ret, "has blocks of another size than a page of memory");
	if (flags.f_flag & ST_RDONLY)
		return say(ret, "is mounted read-only");
	return try_exchange(folder, page_size, ret);
}

/* An attribute of statx(2) or a flag of FS_IOC_GETFLAGS with which a file's blocks cannot be exchanged. */
static const char *forbidding(int fd)
{
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
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0)
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

int place_check_file(int fd, bool dry_run, const char **ret)
{
	int r;

	*ret = forbidding(fd);
	if (*ret)
		return 0;
	r = try_writing(fd, dry_run);
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
