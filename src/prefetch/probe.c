/* SPDX-License-Identifier: MIT */
/* Is this start warm already? Asked at every launch, so it costs a few microseconds and never a disk read. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "prefetch/prefetch.h"
#include "prefetch/residency.h"

/*
 * -EAGAIN: the dentry cache alone could not tell. Kernels without RESOLVE_CACHED (before 5.12) open the plain
 * way; that may wait for the disk, once, at a cold start.
 */
static int open_cached(const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW,
		.resolve = RESOLVE_CACHED,
	};
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EINVAL))
		fd = open(path, (int)how.flags);
	return fd < 0 ? -errno : fd;
}

static bool probe_is_cold(const char *path, uint64_t offset)
{
	_cleanup_close_ int fd = open_cached(path);

	if (fd < 0)
		return fd == -EAGAIN;
	/* A miss may start readahead: keep it to the one page. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	return residency_of_page(fd, offset) == 0;
}

bool prefetch_is_warm(const void *plan_head)
{
	const struct plan_header *header = plan_head;
	const struct plan_probe *probes = plan_head_probes(plan_head);
	uint64_t page_size = LE32(header->page_size);

	for (uint32_t i = 0; i < LE32(header->probe_count); i++) {
		const char *path = (const char *)plan_head + LE16(probes[i].path);

		if (probe_is_cold(path, LE32(probes[i].page) * page_size))
			return false;
	}
	return true;
}
