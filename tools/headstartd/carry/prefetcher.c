/* SPDX-License-Identifier: MIT */
#include "headstartd/carry/prefetcher.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/files/residency.h"
#include "format/resident.h"
#include "prefetcher/plan-lock.h"

#define PAGES_LOOKED_AT 64

/* Whether that page is missing. Asks only about files that open from the dentry cache alone, which takes no time. */
static bool page_is_cold(const struct plan_view *plan, const struct plan_extent *extent)
{
	_cleanup_close_ int fd =
		open_regular(plan_file_path(plan, LE32(extent->file)), OPEN_NO_LINKS | OPEN_CACHED);

	if (fd < 0)
		return fd == -EAGAIN;
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM); /* asking may start to read: one page then */
	return residency_of_page(
		       fd, (uint64_t)LE32(extent->page) * LE32(plan->header->page_size), RESIDENT_US) == 0;
}

/*
 * When we look, the program has begun, and has read its first pages by itself. These are among the probes, which the shims
 * look at before a program begins. So we look at pages of all of the plan.
 */
bool prefetcher_is_needed(const struct plan_view *plan)
{
	uint32_t step = plan->extent_count / PAGES_LOOKED_AT + 1;

	for (uint32_t i = 0; i < plan->extent_count; i += step)
		if (page_is_cold(plan, &plan->extents[i]))
			return true;
	return false;
}

/* Closes nothing that has the lock: it would be lost (fcntl_locking(2)). */
static bool open_for_prefetcher(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0 || (fd != PLAN_FD && dup2(fd, PLAN_FD) < 0))
		return false;
	if (fd == PLAN_FD)
		return fcntl(fd, F_SETFD, 0) == 0;
	close(fd);
	return true;
}

enum prefetcher_claim prefetcher_claim(const char *path, uid_t user)
{
	if (!open_for_prefetcher(path))
		return PREFETCHER_FAILED;
	return plan_own(PLAN_FD, user) ? PREFETCHER_OURS : PREFETCHER_LEFT;
}

void prefetcher_become(const char *prefetcher, bool stay)
{
	char *argv[] = {(char *)"headstart-prefetch", (char *)"--alongside", (char *)"--fd", (char *)"3",
		stay ? (char *)"--stay" : NULL, NULL};

	execv(prefetcher, argv);
}
