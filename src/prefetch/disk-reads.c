/* SPDX-License-Identifier: MIT */
/* Reads the counters in /proc. */
#include "prefetch/disk-reads.h"

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"

#define IO_MAX 4096 /* bytes */

static bool read_counter(const char *path, uint64_t *ret)
{
	_cleanup_free_ char *text = NULL;
	size_t size;

	return read_pseudo_file(path, IO_MAX, &text, &size) == 0 && number_of_line(text, "read_bytes:", ret);
}

struct disk_reads disk_reads_so_far(void)
{
	struct disk_reads reads = {0};

	reads.known = read_counter("/proc/thread-self/io", &reads.thread) &&
		read_counter("/proc/self/io", &reads.process);
	return reads;
}

bool disk_reads_since(const struct disk_reads *then, uint64_t asked, uint64_t *ret)
{
	struct disk_reads now = disk_reads_so_far();
	uint64_t bytes;

	if (!then->known || !now.known)
		return false;
	bytes = now.thread - then->thread;
	if (bytes == 0)
		bytes = now.process - then->process;
	*ret = bytes < asked ? bytes : asked;
	return true;
}
