/* SPDX-License-Identifier: MIT */
/* proc(5), Documentation/admin-guide/mm/pagemap.rst, and the two ioctls where the kernel has them. */
#include "record/follow/pages/page-tables.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/types.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/process-file.h"

#define MAPS_MAX     (16u << 20) /* bytes */
#define ENTRIES      512         /* of a page table that are read at once */
#define REGIONS      256         /* that the kernel reports at once */
#define PAGE_PRESENT (1ull << 63)
#define PAGE_SWAPPED (1ull << 62)

/* linux/fs.h of Linux 6.7; older headers lack it. */
struct scan_region {
	__u64 start, end, categories;
};

struct scan_argument {
	__u64 size, flags, start, end, walk_end, vec, vec_len, max_pages;
	__u64 category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define SCAN_PRESENT (1ull << 3)
#define SCAN_SWAPPED (1ull << 4)
#define SCAN_HUGE    (1ull << 6)
#define IOCTL_SCAN   _IOWR('f', 16, struct scan_argument)

/* linux/fs.h of Linux 6.11. */
struct map_query {
	__u64 size, query_flags, query_addr, vma_start, vma_end, vma_flags, vma_page_size, vma_offset, inode;
	__u32 dev_major, dev_minor, vma_name_size, build_id_size;
	__u64 vma_name_addr, build_id_addr;
};

#define QUERY_EXECUTABLE   0x04 /* also among what is found */
#define QUERY_SHARED       0x08 /* only there */
#define QUERY_THIS_OR_NEXT 0x10
#define QUERY_FILES_ONLY   0x20
#define IOCTL_QUERY        _IOWR('f', 17, struct map_query)

/* start-end mode offset device inode path */
static bool parse(const char *line, struct page_mapping *ret)
{
	unsigned device_major, device_minor;
	char mode[5];
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &ret->start,
		    &ret->end, mode, &ret->offset, &device_major, &device_minor, &ret->inode, &path) != 7)
		return false;
	ret->device = device_major << 20 | (device_minor & 0xfffff);
	ret->path = line + path;
	ret->code = mode[2] == 'x' && mode[3] == 'p';
	return ret->inode != 0 && ret->start < ret->end;
}

int page_tables_open_file(int32_t pid, const struct page_mapping *mapping)
{
	return process_open(pid, O_PATH, "map_files/%" PRIx64 "-%" PRIx64, mapping->start, mapping->end);
}

static int read_text(int32_t pid, uint64_t start, uint64_t end, page_mapping_found *found, void *context)
{
	_cleanup_free_ char *maps = NULL;
	int r = process_read(pid, MAPS_MAX, &maps, NULL, "maps");
	char *rest, *line;

	rest = maps;
	while (r == 0 && (line = strsep(&rest, "\n"))) {
		struct page_mapping mapping;

		if (parse(line, &mapping) && mapping.end > start && mapping.start < end)
			r = found(context, &mapping);
	}
	return r;
}

/* The first mapping of a file that ends behind the address. Returns 0 or negative errno: -ENOENT if there is none. */
static int ask(int maps, uint64_t address, char path[PATH_MAX], struct page_mapping *ret)
{
	struct map_query query = {
		.size = sizeof(query),
		.query_flags = QUERY_THIS_OR_NEXT | QUERY_FILES_ONLY,
		.query_addr = address,
		.vma_name_size = PATH_MAX,
		.vma_name_addr = (uintptr_t)path,
	};

	if (ioctl(maps, IOCTL_QUERY, &query) < 0)
		return -errno;
	*ret = (struct page_mapping){
		.start = query.vma_start,
		.end = query.vma_end,
		.offset = query.vma_offset,
		.inode = query.inode,
		.device = query.dev_major << 20 | (query.dev_minor & 0xfffff),
		.code = (query.vma_flags & (QUERY_EXECUTABLE | QUERY_SHARED)) == QUERY_EXECUTABLE,
		.path = path,
	};
	return 0;
}

int page_tables_mappings(int32_t pid, uint64_t start, uint64_t end, page_mapping_found *found, void *context)
{
	_cleanup_close_ int maps = process_open(pid, O_RDONLY, "maps");
	char path[PATH_MAX] = {0}; /* valgrind does not know what the call writes */
	struct page_mapping mapping;
	int r = 0, asked = 0;

	if (maps < 0)
		return maps;
	while (r == 0 && start < end && (asked = ask(maps, start, path, &mapping)) == 0 &&
		mapping.start < end) {
		if (mapping.inode != 0)
			r = found(context, &mapping);
		start = mapping.end;
	}
	/* The kernel is too old, or the path too long. */
	return r == 0 && asked < 0 && asked != -ENOENT ? read_text(pid, start, end, found, context) : r;
}

bool page_tables_can_ask(void)
{
	_cleanup_close_ int maps = process_open(getpid(), O_RDONLY, "maps");
	char path[PATH_MAX];
	struct page_mapping mapping;

	return maps >= 0 && ask(maps, 0, path, &mapping) == 0;
}

int page_tables_open(int32_t pid)
{
	return process_open(pid, O_RDONLY, "pagemap");
}

bool page_tables_have(int pagemap, uint64_t address, uint64_t size)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE), entry;

	if (size == 0 || address > UINT64_MAX - size)
		return false;
	for (uint64_t page = address / page_size; page <= (address + size - 1) / page_size; page++)
		if (pread(pagemap, &entry, sizeof(entry), (off_t)(page * sizeof(entry))) != sizeof(entry) ||
			!(entry & (PAGE_PRESENT | PAGE_SWAPPED)))
			return false;
	return true;
}

/* One entry of the page table after the other, for kernels before 6.7. */
static int read_entries(
	int pagemap, uint64_t start, uint64_t end, uint64_t *budget, page_run_found *found, void *context)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t entries[ENTRIES];

	if ((end - start) / page_size > *budget)
		return -EFBIG;
	*budget -= (end - start) / page_size;
	for (uint64_t at = start; at < end;) {
		uint64_t n = (end - at) / page_size, begin = 0;
		ssize_t size;
		int r = 0;

		n = n < ENTRIES ? n : ENTRIES;
		size = pread(
			pagemap, entries, n * sizeof(*entries), (off_t)(at / page_size * sizeof(*entries)));
		if (size <= 0)
			return size < 0 ? -errno : 0;
		n = (uint64_t)size / sizeof(*entries);
		for (uint64_t i = 0; r == 0 && i <= n; i++) {
			if (i < n && entries[i] & (PAGE_PRESENT | PAGE_SWAPPED))
				continue;
			if (i > begin)
				r = found(context, at + begin * page_size, i - begin, false);
			begin = i + 1;
		}
		if (r)
			return r;
		at += n * page_size;
	}
	return 0;
}

int page_tables_present(
	int pagemap, uint64_t start, uint64_t end, uint64_t *budget, page_run_found *found, void *context)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	struct scan_region regions[REGIONS] = {0}; /* valgrind does not know what the call writes */
	struct scan_argument scan = {
		.size = sizeof(scan),
		.start = start,
		.end = end,
		.vec = (uintptr_t)regions,
		.vec_len = REGIONS,
		.category_anyof_mask = SCAN_PRESENT | SCAN_SWAPPED,
		.return_mask = SCAN_HUGE,
	};

	while (scan.start < end) {
		int n = ioctl(pagemap, IOCTL_SCAN, &scan);

		if (n < 0 && errno == ENOTTY && scan.start == start)
			return read_entries(pagemap, start, end, budget, found, context);
		if (n < 0)
			return -errno;
		for (int i = 0; i < n; i++) {
			uint64_t pages = (regions[i].end - regions[i].start) / page_size;
			int r;

			if (pages > *budget)
				return -EFBIG;
			*budget -= pages;
			r = found(context, regions[i].start, pages, regions[i].categories & SCAN_HUGE);
			if (r)
				return r;
		}
		if (scan.walk_end <= scan.start)
			return 0;
		scan.start = scan.walk_end;
	}
	return 0;
}
