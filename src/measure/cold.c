/* SPDX-License-Identifier: MIT */
/* Evicts the files of a plan, and then asks the kernel what is left of each. */
#include "measure/cold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/files/residency.h"
#include "format/resident.h"
#include "prefetch/planned-file.h"

/*
 * Looking at a page that is not resident reads it. On a slow disk this many take half a second, and they are evicted
 * again.
 */
#define LOOKS_MAX 64

/* A page that another processor has just touched, or that is just being read, stays at the first attempt. */
#define EVICT_ATTEMPTS 5

/* The extents of a plan, those of one file beside each other. */
struct grouped {
	uint32_t *extents; /* owned; indices of plan->extents, by file */
	uint32_t *ends;    /* owned; for each file, where its extents end */
};

static void grouped_releasep(struct grouped *grouped)
{
	free(grouped->extents);
	free(grouped->ends);
}

/* Sorts by counting. */
static int group(const struct plan_view *plan, struct grouped *ret)
{
	ret->extents = calloc((size_t)plan->extent_count + 1, sizeof(*ret->extents));
	ret->ends = calloc((size_t)plan->file_count + 1, sizeof(*ret->ends));
	if (!ret->extents || !ret->ends)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->extent_count; i++)
		ret->ends[LE32(plan->extents[i].file) + 1]++;
	for (uint32_t i = 0; i < plan->file_count; i++)
		ret->ends[i + 1] += ret->ends[i];
	/* ends[file] is still where the extents of the file begin. Each one that is put there moves it to the end. */
	for (uint32_t i = 0; i < plan->extent_count; i++)
		ret->extents[ret->ends[LE32(plan->extents[i].file)]++] = i;
	return 0;
}

static void evict(int fd)
{
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

void cold_evict(const char *path)
{
	_cleanup_close_ int fd = open_regular(path, 0);

	if (fd >= 0)
		evict(fd);
}

static void evict_all(const struct plan_view *plan)
{
	for (uint32_t i = 0; i < plan->file_count; i++) {
		uint64_t size;
		_cleanup_close_ int fd = -1;

		if (LE32(plan->files[i].kind) != PLAN_REGULAR)
			continue;
		fd = planned_file_open(plan, i, &size);
		if (fd >= 0)
			evict(fd);
	}
}

struct look {
	const struct plan_view *plan;
	const struct grouped *grouped;
	struct cold_report *report;
	uint32_t every; /* the n-th extent of those that are not known exactly is looked at */
	uint32_t seen;  /* of these extents, so far */
};

/* Whether the first page of some of the file's extents is resident. Leaves them as they were. */
static void look_at_pages(struct look *look, int fd, uint64_t size, uint32_t begin, uint32_t end)
{
	struct cold_report *report = look->report;
	uint32_t left = 0, looked = 0;

	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM); /* a miss reads one page and no more */
	for (uint32_t i = begin; i < end; i++) {
		const struct plan_extent *extent = &look->plan->extents[look->grouped->extents[i]];
		uint64_t offset = 0;
		int resident;
		char byte;

		if (look->seen++ % look->every != 0 ||
			planned_extent_range(look->plan, extent, size, &offset) == 0)
			continue;
		resident = residency_of_page(fd, offset, RESIDENT_US);
		if (resident < 0)
			continue;
		looked++;
		left += resident > 0;
		if (!resident)
			(void)!pread(fd, &byte, 1, (off_t)offset); /* only what has arrived can be evicted */
	}
	if (looked > left)
		evict(fd);
	report->looked_at += looked;
	report->looked_left += left;
	report->files_left += left > 0;
}

/* Adds up what is planned and what is left of the extents. Returns 0, or -EPERM if the kernel does not say. */
static int count_exactly(const struct look *look, int fd, uint64_t size, uint32_t begin, uint32_t end,
	uint64_t *ret_planned, uint64_t *ret_left)
{
	int result = 0;

	*ret_planned = *ret_left = 0;
	for (uint32_t i = begin; i < end; i++) {
		const struct plan_extent *extent = &look->plan->extents[look->grouped->extents[i]];
		uint64_t offset = 0, resident = 0;
		uint64_t length = planned_extent_range(look->plan, extent, size, &offset);
		int r = residency_of_range(fd, offset, length, &resident);

		result = r < 0 ? r : result;
		*ret_planned += length;
		*ret_left += resident;
	}
	return result;
}

static void look_at_file(struct look *look, uint32_t file)
{
	uint32_t begin = file ? look->grouped->ends[file - 1] : 0, end = look->grouped->ends[file];
	struct cold_report *report = look->report;
	uint64_t size, planned, left;
	_cleanup_close_ int fd = planned_file_open(look->plan, file, &size);
	int r;

	if (fd < 0) {
		report->unreadable += fd != -ENODATA; /* what lies in memory is never cold */
		return;
	}
	report->files++;
	r = count_exactly(look, fd, size, begin, end, &planned, &left);
	for (int attempt = 1; r == 0 && left > 0 && attempt < EVICT_ATTEMPTS; attempt++) {
		evict(fd);
		r = count_exactly(look, fd, size, begin, end, &planned, &left);
	}
	if (r < 0) {
		look_at_pages(look, fd, size, begin, end);
	} else {
		report->bytes_left += left;
		report->files_left += left > 0;
	}
	report->bytes += planned;
}

int cold_make(const struct plan_view *plan, struct cold_report *ret)
{
	_cleanup_(grouped_releasep) struct grouped grouped = {0};
	struct cold_report report = {0};
	struct look look = {.plan = plan, .grouped = &grouped, .report = &report};
	int r = group(plan, &grouped);

	if (r < 0)
		return r;
	look.every = plan->extent_count / LOOKS_MAX + 1;
	evict_all(plan);
	for (uint32_t i = 0; i < plan->file_count; i++)
		if (LE32(plan->files[i].kind) == PLAN_REGULAR)
			look_at_file(&look, i);
	*ret = report;
	return 0;
}
