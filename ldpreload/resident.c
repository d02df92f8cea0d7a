/* SPDX-License-Identifier: MIT */
/*
 * The cold probe. For another user's file mincore(2) says "resident" whatever the truth and cachestat(2)
 * refuses; preadv2(RWF_NOWAIT) tells it, in half a microsecond, once the file is open. Opening it must not
 * wait for the disk either: openat2(RESOLVE_CACHED, Linux 5.12) fails instead, and that is an answer too.
 */
#include "resident.h"

#include "shim.h"

#include <linux/fs.h>
#include <linux/openat2.h>
#include <linux/uio.h>

/* Where the kernel is too old to open from its caches only, the open may wait, as the program's own soon
 * would. */
static int open_cached(const char *path)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, .resolve = RESOLVE_CACHED};
	long fd = raw_syscall(__NR_openat2, AT_FDCWD, (long)path, (long)&how, sizeof(how), 0, 0);

	if (fd == -ENOSYS || fd == -EINVAL || fd == -E2BIG)
		fd = sys_open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK);
	return (int)fd;
}

enum resident resident_at(const char *path, uint64_t offset)
{
	char byte;
	const struct iovec target = {.iov_base = &byte, .iov_len = 1};
	int fd = open_cached(path);
	long got;

	if (fd == -EAGAIN)
		return RESIDENT_NO;
	if (fd < 0)
		return RESIDENT_UNKNOWN;
	/* The offset is passed in two halves of a long; on 64-bit machines the second is ignored. */
	got = raw_syscall(__NR_preadv2, fd, (long)&target, 1, (long)offset, 0, RWF_NOWAIT);
	sys_close(fd);
	if (got == -EAGAIN)
		return RESIDENT_NO;
	return got == 1 ? RESIDENT_YES : RESIDENT_UNKNOWN;
}
