/* SPDX-License-Identifier: MIT */
/* Unit tests of what is read of a process's page tables: our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "record/follow/pages/page-tables.h"

#define PAGES 600 /* more than are read at once */
#define LARGE ((size_t)1 << 40)

int __real_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument);

static bool old_kernel;

int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
	if (!old_kernel)
		return __real_ioctl(fd, request, argument);
	errno = ENOTTY;
	return -1;
}

static size_t page_size;
static char path[] = "/tmp/headstart-page-tables.XXXXXX";
static char *map;

static int begin(void **state)
{
	int fd;

	snprintf(path + sizeof(path) - 7, 7, "XXXXXX");
	fd = mkstemp(path);
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	if (fd < 0 || ftruncate(fd, (off_t)(PAGES * page_size)) < 0)
		return -1;
	map = mmap(NULL, PAGES * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	return map == MAP_FAILED ? -1 : madvise(map, PAGES * page_size, MADV_RANDOM);
}

static int end(void **state)
{
	old_kernel = false;
	munmap(map, PAGES * page_size);
	return unlink(path);
}

static int note(void *context, uint64_t address, uint64_t pages, bool huge)
{
	bool *found = context;
	size_t first = (address - (uintptr_t)map) / page_size;

	assert_true(pages > 0 && first + pages <= PAGES);
	memset(found + first, true, pages);
	return 0;
}

/* Whether this kernel has PAGEMAP_SCAN, Linux 6.7: an invalid argument is noticed only by that. */
static bool knows_scan(void)
{
	_cleanup_close_ int pagemap = page_tables_open(getpid());

	return __real_ioctl(pagemap, _IOWR('f', 16, uint64_t[12]), NULL) == 0 || errno != ENOTTY;
}

/* The budget suffices exactly: an old kernel reads an entry for each page, a new one tells only what there is. */
static void find_touched(bool found[PAGES], uint64_t touched)
{
	_cleanup_close_ int pagemap = page_tables_open(getpid());
	uint64_t budget = old_kernel || !knows_scan() ? PAGES : touched;

	memset(found, false, PAGES);
	assert_true(pagemap >= 0);
	assert_int_equal(page_tables_present(pagemap, (uintptr_t)map, (uintptr_t)map + PAGES * page_size,
				 &budget, note, found),
		0);
	assert_int_equal(budget, 0);
}

/* Copies of pages of the file: exactly those that were written to. */
static void check_touched(void)
{
	bool found[PAGES];

	find_touched(found, 0);
	for (size_t i = 0; i < PAGES; i++)
		assert_false(found[i]);
	map[0] = map[511 * page_size] = map[512 * page_size] = map[(PAGES - 1) * page_size] = 1;
	find_touched(found, 4);
	for (size_t i = 0; i < PAGES; i++)
		assert_int_equal(found[i], i == 0 || i == 511 || i == 512 || i == PAGES - 1);
}

static void touched_pages_are_found(void **state)
{
	check_touched();
}

static void touched_pages_are_found_by_an_old_kernel(void **state)
{
	old_kernel = true;
	check_touched();
}

static int stop_at_once(void *context, uint64_t address, uint64_t pages, bool huge)
{
	++*(int *)context;
	return -EINTR;
}

static void caller_stops_the_search(void **state)
{
	_cleanup_close_ int pagemap = page_tables_open(getpid());
	uint64_t budget = 2 * PAGES;
	int calls = 0;

	map[0] = map[2 * page_size] = 1;
	for (int i = 0; i < 2; i++) {
		old_kernel = i;
		assert_int_equal(page_tables_present(pagemap, (uintptr_t)map,
					 (uintptr_t)map + PAGES * page_size, &budget, stop_at_once, &calls),
			-EINTR);
	}
	assert_int_equal(calls, 2);
}

static int count_pages(void *context, uint64_t address, uint64_t pages, bool huge)
{
	*(uint64_t *)context += pages;
	return 0;
}

/* Too many pages in one place, of which nothing is known then, leave the budget to others. */
static void too_many_pages_are_an_error(void **state)
{
	_cleanup_close_ int pagemap = page_tables_open(getpid());
	uint64_t budget = 3, found = 0, start = (uintptr_t)map;

	memset(map, 1, 4 * page_size);
	for (int i = 0; i < 2; i++) {
		old_kernel = i;
		assert_int_equal(page_tables_present(
					 pagemap, start, start + 4 * page_size, &budget, count_pages, &found),
			-EFBIG);
		assert_int_equal(budget, 3);
		assert_int_equal(found, 0);
	}
	assert_int_equal(
		page_tables_present(pagemap, start, start + 3 * page_size, &budget, count_pages, &found), 0);
	assert_int_equal(found, 3);
	assert_int_equal(budget, 0);
}

/* Of a mapping that is large and has few pages, these are found for what they are. */
static void large_mapping_costs_what_it_has(void **state)
{
	_cleanup_close_ int pagemap = page_tables_open(getpid());
	uint64_t budget = 2, found = 0, start;
	char *large =
		mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (large == MAP_FAILED)
		skip();
	assert_int_equal(madvise(large, LARGE, MADV_NOHUGEPAGE), 0);
	start = (uintptr_t)large;
	large[0] = large[LARGE - 1] = 1;
	if (knows_scan()) {
		assert_int_equal(
			page_tables_present(pagemap, start, start + LARGE, &budget, count_pages, &found), 0);
		assert_int_equal(found, 2);
		assert_int_equal(budget, 0);
	}
	old_kernel = true;
	assert_int_equal(
		page_tables_present(pagemap, start, start + LARGE, &budget, count_pages, &found), -EFBIG);
	munmap(large, LARGE);
}

static int find_own(void *context, const struct page_mapping *mapping)
{
	struct stat status;

	if (strcmp(mapping->path, path) != 0)
		return 0;
	assert_int_equal(stat(path, &status), 0);
	assert_true(mapping->start == (uintptr_t)map && mapping->end == (uintptr_t)map + PAGES * page_size);
	assert_true(mapping->offset == 0 && mapping->inode == status.st_ino);
	return 1;
}

static void mapping_is_described(void **state)
{
	for (int i = 0; i < 2; i++) {
		old_kernel = i;
		assert_int_equal(page_tables_mappings(getpid(), 0, UINT64_MAX, find_own, NULL), 1);
	}
}

/* A description of mappings, one in a line. */
struct text {
	char *data;
	size_t size;
};

static int describe(void *context, const struct page_mapping *mapping)
{
	struct text *text = context;
	char *before = text->data;
	int n = asprintf(&text->data, "%s%lx-%lx %lx %lx %x %d %s\n", before ? before : "", mapping->start,
		mapping->end, mapping->offset, mapping->inode, mapping->device, mapping->code, mapping->path);

	assert_true(n > 0);
	free(before);
	text->size = (size_t)n;
	return 0;
}

static void every_kernel_tells_the_same(void **state)
{
	struct text told[2] = {0};

	for (int i = 0; i < 2; i++) {
		old_kernel = i;
		assert_int_equal(page_tables_mappings(getpid(), 0, UINT64_MAX, describe, &told[i]), 0);
	}
	assert_string_equal(told[0].data, told[1].data);
	assert_non_null(strstr(told[0].data, " 1 /")); /* code */
	free(told[0].data);
	free(told[1].data);
}

static void only_mappings_of_these_addresses_are_found(void **state)
{
	uint64_t at = (uintptr_t)map, last = at + PAGES * page_size;

	for (int i = 0; i < 2; i++) {
		struct text told = {0};

		old_kernel = i;
		assert_int_equal(
			page_tables_mappings(getpid(), at + page_size, at + page_size + 1, describe, &told),
			0);
		assert_non_null(strstr(told.data, path));
		assert_ptr_equal(strchr(told.data, '\n'), told.data + told.size - 1);
		free(told.data);
		assert_int_equal(page_tables_mappings(getpid(), 0, at, find_own, NULL), 0);
		assert_int_equal(page_tables_mappings(getpid(), last, UINT64_MAX, find_own, NULL), 0);
		assert_int_equal(page_tables_mappings(getpid(), at, at, find_own, NULL), 0);
	}
}

static void process_that_is_gone_is_an_error(void **state)
{
	assert_int_equal(page_tables_open(INT32_MAX), -ENOENT);
	assert_int_equal(page_tables_mappings(INT32_MAX, 0, UINT64_MAX, find_own, NULL), -ENOENT);
}

static void only_pages_that_are_there_count_as_such(void **state)
{
	_cleanup_close_ int pagemap = page_tables_open(getpid());
	uint64_t at = (uintptr_t)map;

	map[10 * page_size] = map[11 * page_size] = 1;
	assert_true(page_tables_have(pagemap, at + 10 * page_size, 1));
	assert_true(page_tables_have(pagemap, at + 10 * page_size + 5, 2 * page_size - 5));
	assert_false(page_tables_have(pagemap, at + 10 * page_size + 5, 2 * page_size - 4));
	assert_false(page_tables_have(pagemap, at + 10 * page_size - 1, 2));
	assert_false(page_tables_have(pagemap, at + 10 * page_size, 0));
	assert_false(page_tables_have(pagemap, UINT64_MAX - 1, 10));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(only_pages_that_are_there_count_as_such),
		CASE(touched_pages_are_found),
		CASE(touched_pages_are_found_by_an_old_kernel),
		CASE(caller_stops_the_search),
		CASE(too_many_pages_are_an_error),
		CASE(large_mapping_costs_what_it_has),
		CASE(mapping_is_described),
		CASE(every_kernel_tells_the_same),
		CASE(only_mappings_of_these_addresses_are_found),
		CASE(process_that_is_gone_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
