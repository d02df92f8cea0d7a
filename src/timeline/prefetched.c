/* SPDX-License-Identifier: MIT */
#include "timeline/prefetched.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "base/array.h"
#include "base/cleanup.h"

void accesses_release(struct accesses *accesses)
{
	free(accesses->items);
	free(accesses->wanted);
	*accesses = (struct accesses){0};
}

bool prefetched_call(int64_t call)
{
	return call == __NR_io_uring_enter || call == __NR_preadv2 || call == __NR_fadvise64 ||
		call == __NR_readahead;
}

int accesses_want(struct accesses *accesses, uint32_t file)
{
	int r = ARRAY_RESERVE(accesses->wanted, accesses->wanted_capacity, (size_t)file + 1);

	if (r < 0)
		return r;
	while (accesses->n_wanted <= file)
		accesses->wanted[accesses->n_wanted++] = false;
	accesses->wanted[file] = true;
	return 0;
}

int accesses_add(struct accesses *accesses, const struct access *access)
{
	int r;

	if (access->file >= accesses->n_wanted || !accesses->wanted[access->file])
		return 0;
	r = ARRAY_RESERVE(accesses->items, accesses->capacity, accesses->n + 1);
	if (r == 0)
		accesses->items[accesses->n++] = *access;
	return r;
}

/* The reads of headstart's, by file and page. */
struct planned {
	uint32_t *reads; /* owned; ascending by file, then by page */
	size_t n;
	uint32_t pages_max; /* of any of them */
};

static int find_planned(
	struct timeline *timeline, const struct owners *owners, bool touches, struct planned *ret)
{
	ret->reads = calloc(timeline->n_reads + 1, sizeof(*ret->reads));
	if (!ret->reads)
		return -ENOMEM;
	for (size_t i = 0; i < timeline->n_reads; i++) {
		struct timeline_read *read = &timeline->reads[i];

		if (read->prefetch != TIMELINE_UNJUDGED)
			continue;
		if (!owners_have(owners, read->thread, read->begin)) {
			read->prefetch = TIMELINE_NO_PREFETCH;
			continue;
		}
		/* The kernel does not report who looks at the file system's own data. */
		if (!touches || read->file == TIMELINE_NONE ||
			timeline->files[read->file].kind == TIMELINE_METADATA)
			continue;
		read->prefetch = TIMELINE_IN_VAIN;
		ret->reads[ret->n++] = (uint32_t)i;
		if (read->pages > ret->pages_max)
			ret->pages_max = read->pages;
	}
	timeline_sort_by_place(timeline, ret->reads, ret->n);
	return 0;
}

static void be_used(struct timeline_read *read, uint64_t time)
{
	if (time < read->begin) /* it was in memory before, and was thrown out */
		return;
	if (time < read->end)
		read->prefetch = TIMELINE_LATE;
	else if (read->prefetch == TIMELINE_IN_VAIN)
		read->prefetch = TIMELINE_IN_TIME;
}

/* The number of reads that begin at this page of the file or before. */
static size_t begun_by(
	const struct timeline *timeline, const struct planned *planned, uint32_t file, uint32_t page)
{
	const struct timeline_read *reads = timeline->reads;
	const uint32_t *sorted = planned->reads;

	return ARRAY_BISECT(i, planned->n,
		reads[sorted[i]].file < file ||
			(reads[sorted[i]].file == file && reads[sorted[i]].page <= page));
}

static void take_access(struct timeline *timeline, const struct planned *planned, const struct access *access)
{
	for (size_t i = begun_by(timeline, planned, access->file, access->last); i > 0; i--) {
		struct timeline_read *read = &timeline->reads[planned->reads[i - 1]];

		if (read->file != access->file ||
			(read->page < access->first && access->first - read->page >= planned->pages_max))
			return;
		if (read->page + (read->pages - 1) >= access->first)
			be_used(read, access->time);
	}
}

static bool is_judged(const struct timeline_read *read)
{
	return read->prefetch != TIMELINE_NO_PREFETCH && read->prefetch != TIMELINE_UNJUDGED;
}

int prefetched_judge(struct timeline *timeline, const struct owners *owners, const struct accesses *accesses)
{
	_cleanup_free_ uint32_t *reads = NULL;
	struct planned planned = {0};
	int r = find_planned(timeline, owners, accesses->touches, &planned);

	reads = planned.reads;
	if (r < 0 || planned.n == 0)
		return r;
	for (size_t i = 0; i < accesses->n; i++)
		if (!owners_have(owners, accesses->items[i].thread, accesses->items[i].time))
			take_access(timeline, &planned, &accesses->items[i]);
	/* Of read(2) the kernel reports the touch only when the data is there. */
	for (size_t i = 0; i < timeline->n_spans; i++) {
		const struct timeline_span *span = &timeline->spans[i];

		if (span->state == TIMELINE_READ && span->read != TIMELINE_NONE &&
			is_judged(&timeline->reads[span->read]) &&
			!owners_have(owners, span->thread, span->begin))
			timeline->reads[span->read].prefetch = TIMELINE_LATE;
	}
	return 0;
}
