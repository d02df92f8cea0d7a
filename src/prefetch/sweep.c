/* SPDX-License-Identifier: MIT */
/* Buffered reads of block devices: they fill the page cache that file systems read metadata through. */
#include "prefetch/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "device/file-system.h"

static void read_all(struct plan_job *job, int disk, uint64_t offset, uint64_t length)
{
	while (length > 0 && !plan_job_late(job)) {
		size_t most = length < job->tuning.chunk ? (size_t)length : job->tuning.chunk;
		ssize_t n = pread(disk, job->scratch, most, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		offset += (uint64_t)n;
		length -= (uint64_t)n;
	}
}

static void start_reading(struct plan_job *job, int disk, uint64_t offset, uint64_t length)
{
	/* The kernel would cut a longer request short (force_page_cache_ra()). */
	for (uint64_t done = 0; done < length; done += job->tuning.chunk) {
		uint64_t left = length - done;

		posix_fadvise(disk, (off_t)(offset + done),
			(off_t)(left < job->tuning.chunk ? left : job->tuning.chunk), POSIX_FADV_WILLNEED);
	}
}

/* Reads ranges of one disk. A disk with a head must be done with them before it turns to what is opened. */
static void sweep_disk(struct plan_job *job, int disk, const struct plan_metadata *metadata, uint32_t count)
{
	uint64_t page_size = LE32(job->plan->header->page_size);
	uint32_t started = 0;

	posix_fadvise(disk, 0, 0, POSIX_FADV_RANDOM); /* a read brings in only what it asks for */
	for (; started < count && !plan_job_late(job); started++) {
		uint64_t length = LE32(metadata[started].pages) * page_size;

		if (!plan_job_reserve(job, length))
			break;
		start_reading(job, disk, LE32(metadata[started].page) * page_size, length);
		job->result.bytes_swept += length;
	}
	for (uint32_t i = 0; job->tuning.opens_first && i < started; i++)
		read_all(job, disk, LE32(metadata[i].page) * page_size, LE32(metadata[i].pages) * page_size);
}

void sweep_run(struct plan_job *job)
{
	const struct plan_metadata *metadata = job->plan->metadata;

	if (geteuid() != 0 || job->options->plan_owner != 0)
		return;
	for (uint32_t i = 0; i < job->plan->file_system_count; i++) {
		const struct plan_file_system *system = &job->plan->file_systems[i];
		uint32_t count = LE32(system->metadata_count);
		_cleanup_close_ int disk =
			device_open_disk(job->plan->strings + LE32(system->point), LE64(system->id));

		if (disk >= 0)
			sweep_disk(job, disk, metadata, count);
		metadata += count;
	}
}
