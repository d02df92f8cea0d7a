/* SPDX-License-Identifier: MIT */
/* Pages that a process has mapped already count as touched, as those that fault-around maps do. */
#include "record/running/mapped.h"

#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "record/follow/pages/page-tables.h"

struct look {
	struct opens *opens;
	struct record_trace *trace;
	uint64_t time, *budget;
	int32_t pid;
	int pagemap;
	const struct page_mapping *mapping;
};

static int add_page(const struct look *look, uint64_t page)
{
	const struct record_event event = {
		.time = look->time,
		.inode = look->mapping->inode,
		.device = look->mapping->device,
		.first = (uint32_t)page,
		.last = (uint32_t)page,
		.pid = look->pid,
		.kind = RECORD_FOUND,
	};

	return page < UINT32_MAX ? record_trace_add_event(look->trace, &event) : 0;
}

/* Opens a mapped file by its mapping, not by its name, which may lead elsewhere by now. */
static int add_file(const struct look *look, const struct page_mapping *mapping)
{
	_cleanup_close_ int fd = page_tables_open_file(look->pid, mapping);

	return fd < 0 ? 0 : opens_add(look->opens, fd, look->pid, NULL);
}

static int add_pages(void *context, uint64_t address, uint64_t pages, bool huge)
{
	const struct look *look = context;
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t first = (look->mapping->offset + (address - look->mapping->start)) / page_size;
	int r = 0;

	for (uint64_t i = 0; r == 0 && i < pages; i++)
		r = add_page(look, first + i);
	return r;
}

static int add_mapping(void *context, const struct page_mapping *mapping)
{
	struct look *look = context;
	int r = add_file(look, mapping);

	if (r < 0 || look->pagemap < 0)
		return r;
	look->mapping = mapping;
	r = page_tables_present(look->pagemap, mapping->start, mapping->end, look->budget, add_pages, look);
	if (r == -EFBIG)
		look->trace->lost = true;
	return r == -ENOMEM ? r : 0;
}

int mapped_add(int32_t pid, uint64_t time, uint64_t *budget, struct opens *opens, struct record_trace *trace)
{
	_cleanup_close_ int pagemap = page_tables_open(pid);
	struct look look = {.opens = opens,
		.trace = trace,
		.time = time,
		.budget = budget,
		.pid = pid,
		.pagemap = pagemap};
	int r = page_tables_mappings(pid, 0, UINT64_MAX, add_mapping, &look);

	return r == -ENOMEM ? r : 0;
}
