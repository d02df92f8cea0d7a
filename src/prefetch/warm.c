/* SPDX-License-Identifier: MIT */
/*
 * Checks whether this start is warm already. This runs at every launch, so it costs a few microseconds and never a disk
 * read.
 */
#include <errno.h>
#include <fcntl.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/files/residency.h"
#include "format/resident.h"
#include "prefetch/prefetch.h"

/* On kernels without RESOLVE_CACHED (before 5.12) this may wait for the disk, once, at a cold start. */
static bool probe_is_cold(const char *path, uint64_t offset)
{
	_cleanup_close_ int fd = open_regular(path, OPEN_NO_LINKS | OPEN_CACHED);

	if (fd < 0)
		return fd == -EAGAIN;
	/* A miss may start readahead: limits that to one page. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	return residency_of_page(fd, offset, RESIDENT_US) == 0;
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
