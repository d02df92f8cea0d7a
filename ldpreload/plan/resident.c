/* SPDX-License-Identifier: MIT */
/*
 * The cold probe. For another user's file mincore(2) always says "resident" and cachestat(2) refuses.
 * preadv2(RWF_NOWAIT) answers in half a microsecond once the file is open. Opening it must not wait for the disk
 * either: openat2(RESOLVE_CACHED, Linux 5.12) fails instead, which is an answer too. A page that arrives while it is
 * asked for was not there: format/resident.h.
 */
#include "plan/resident.h"

#include "core/clock.h"
#include "core/shim.h"

#include <link.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <linux/uio.h>

#include "format/note.h"
#include "format/resident.h"

/* Bytes: of a smaller hot region, the read-around of the loader's first fault already reads too much. */
#define HOT_WORTH (256u << 10)

#define NO_OFFSET INT64_MAX /* past the end of any file; -1 would be the position */

/*
 * Opens with O_PATH. A kernel too old to open from its caches alone may wait here, as it soon would for the program itself.
 * One without openat2 (before 5.6) follows links on the way even without `follow`, but not one at the end.
 */
static int open_path_cached(const char *path, bool follow)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW),
		.resolve = RESOLVE_CACHED | (follow ? 0 : RESOLVE_NO_SYMLINKS),
	};
	long fd = raw_syscall(__NR_openat2, AT_FDCWD, (long)path, (long)&how, sizeof(how), 0, 0);

	if (fd == -EINVAL) {
		how.resolve &= ~(uint64_t)RESOLVE_CACHED;
		fd = raw_syscall(__NR_openat2, AT_FDCWD, (long)path, (long)&how, sizeof(how), 0, 0);
	}
	if (fd == -ENOSYS || fd == -EINVAL || fd == -E2BIG)
		fd = sys_open(path, (int)how.flags);
	return (int)fd;
}

/* Opens a regular file for reading. Returns -EAGAIN if that needs the disk. */
static int open_cached(const char *path, bool follow)
{
	int path_fd = open_path_cached(path, follow);
	int fd;

	if (path_fd < 0)
		return path_fd;
	fd = shim_open_regular(path_fd);
	sys_close(path_fd);
	return fd == -EAGAIN ? -EBUSY : fd; /* EAGAIN here: somebody has a lease on it */
}

/* preadv2(RWF_NOWAIT). The offset is passed in two halves of a long; on 64-bit machines the second is
 * ignored. */
static long read_cached(int fd, void *data, size_t size, uint64_t offset)
{
	const struct iovec target = {.iov_base = data, .iov_len = size};

	return raw_syscall(__NR_preadv2, fd, (long)&target, 1, (long)offset, 0, RWF_NOWAIT);
}

/* Two bytes of a file, which are probed. */
struct probe {
	uint64_t first, second;
};

/*
 * What shows whether a relaid file's hot region has been read: its last byte and the one in the middle, since ld.so's fault
 * in the dynamic section has brought what lies beside that, and one of them may. NO_OFFSET where the region is too small to
 * show anything; `otherwise` for a file that is not relaid. A false note only leads to a probe of other pages.
 */
static struct probe probe_hot(int fd, uint64_t otherwise)
{
	const struct probe ordinary = {otherwise, otherwise}, nothing = {NO_OFFSET, NO_OFFSET};
	struct note_segment note;
	ElfW(Ehdr) header;
	uint64_t at, start, size;
	long got;

	if (read_cached(fd, &header, sizeof(header), 0) != sizeof(header))
		return ordinary;
	at = note_offset(&header);
	if (at == 0)
		return ordinary;
	got = read_cached(fd, &note, sizeof(note), at);
	if (got == -EAGAIN)
		return (struct probe){at, at};
	if (got != sizeof(note) || LE32(note.n_type) != NOTE_TYPE || !shim_equal(note.name, NOTE_NAME))
		return ordinary;
	start = LE64(note.relaid.hot_offset);
	size = LE64(note.relaid.hot_size);
	return size < HOT_WORTH ? nothing : (struct probe){start + size - 1, start + size / 2};
}

static enum resident page_at(int fd, uint64_t offset)
{
	int64_t start_us = now_us();
	char byte;
	long got = read_cached(fd, &byte, 1, offset);

	if (got == -EAGAIN)
		return RESIDENT_NO;
	if (got != 1)
		return RESIDENT_UNKNOWN;
	return now_us() - start_us > RESIDENT_US ? RESIDENT_NO : RESIDENT_YES;
}

static enum resident look(const char *path, uint64_t offset, bool follow, bool *ret_relaid)
{
	struct probe probe = {offset, offset};
	int fd = open_cached(path, follow);
	enum resident resident;

	if (fd == -EAGAIN)
		return RESIDENT_NO;
	if (fd < 0)
		return RESIDENT_UNKNOWN;
	if (ret_relaid) {
		probe = probe_hot(fd, offset);
		*ret_relaid = probe.first != offset;
	}
	resident = page_at(fd, probe.first);
	if (resident == RESIDENT_YES && probe.second != probe.first)
		resident = page_at(fd, probe.second);
	sys_close(fd);
	return resident;
}

enum resident resident_planned(const char *path, uint64_t offset)
{
	return look(path, offset, false, NULL);
}

enum resident resident_at(const char *path, uint64_t offset)
{
	return look(path, offset, true, NULL);
}

enum resident resident_object(const char *path, uint64_t offset, bool *ret_relaid)
{
	*ret_relaid = false;
	return look(path, offset, true, ret_relaid);
}
