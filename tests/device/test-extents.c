/* SPDX-License-Identifier: MIT */
/* Unit tests of where the data of a file lies, by what a file system answers to FIEMAP, which stands in for ioctl(2) here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "device/device.h"

#define BLOCK 4096u

static struct fiemap_extent answer[8];
static uint32_t n_answer;

int __wrap_ioctl(int fd, unsigned long request, struct fiemap *map);

int __wrap_ioctl(int fd, unsigned long request, struct fiemap *map)
{
	(void)fd;
	assert_int_equal(request, FS_IOC_FIEMAP);
	assert_true(map->fm_extent_count >= n_answer);
	map->fm_mapped_extents = 0;
	for (uint32_t i = 0; i < n_answer; i++)
		if (answer[i].fe_logical >= map->fm_start)
			map->fm_extents[map->fm_mapped_extents++] = answer[i];
	return 0;
}

static void begin(void)
{
	n_answer = 0;
}

/* Adds an extent, in blocks. */
static void add(uint64_t logical, uint64_t physical, uint64_t length, uint32_t flags)
{
	answer[n_answer++] = (struct fiemap_extent){
		.fe_logical = logical * BLOCK,
		.fe_physical = physical * BLOCK,
		.fe_length = length * BLOCK,
		.fe_flags = flags,
	};
}

static void expect(int result, size_t count)
{
	_cleanup_free_ struct device_extent *extents = NULL;
	size_t n = 0;

	answer[n_answer - 1].fe_flags |= FIEMAP_EXTENT_LAST;
	assert_int_equal(device_extents(0, &extents, &n), result);
	assert_int_equal(n, count);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(extents[i].length % BLOCK, 0);
}

static void extents_that_touch_are_places(void **state)
{
	begin();
	add(0, 100, 8, 0);
	add(8, 92, 8, 0); /* before the first one on the device */
	add(16, 108, 8, 0);
	expect(0, 3);
}

static void encoded_extents_are_no_places(void **state)
{
	begin();
	add(0, 100, 8, FIEMAP_EXTENT_ENCODED);
	add(8, 102, 8, FIEMAP_EXTENT_ENCODED);
	add(16, 104, 8, 0);
	expect(0, 1);
}

/* As erofs reports lz4: each extent as long as its data unpacked, the next one where the packed data ends. */
static void extents_that_overlap_are_no_places(void **state)
{
	begin();
	add(0, 100, 8, FIEMAP_EXTENT_MERGED);
	add(8, 103, 8, FIEMAP_EXTENT_MERGED);
	expect(-EOPNOTSUPP, 0);
	begin();
	add(0, 200, 8, 0);
	add(8, 100, 8, 0);
	add(16, 193, 8, 0);
	expect(-EOPNOTSUPP, 0);
}

static void bytes_that_a_file_shares_with_itself_are_a_place(void **state)
{
	begin();
	add(0, 100, 8, FIEMAP_EXTENT_SHARED);
	add(8, 100, 8, FIEMAP_EXTENT_SHARED);
	add(16, 300, 8, 0);
	expect(0, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extents_that_touch_are_places),
		cmocka_unit_test(encoded_extents_are_no_places),
		cmocka_unit_test(extents_that_overlap_are_no_places),
		cmocka_unit_test(bytes_that_a_file_shares_with_itself_are_a_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
