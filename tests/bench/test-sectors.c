/* SPDX-License-Identifier: MIT */
/* Sets of sectors: each sector is reported once, and the edges of ranges and of the disk are right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sectors.h"

#define KIB       UINT64_C(1024)
#define DISK_SIZE (1024 * KIB)

static int setup(void **state)
{
	static struct sector_set set;

	*state = &set;
	return sector_set_init(&set, DISK_SIZE);
}

static int teardown(void **state)
{
	sector_set_release(*state);
	return 0;
}

static void test_only_what_was_there_is_counted(void **state)
{
	assert_int_equal(sector_set_add(*state, 64 * KIB, 128 * KIB), 0);
	assert_int_equal(sector_set_add(*state, 0, 64 * KIB), 0);
	assert_int_equal(sector_set_add(*state, 192 * KIB, 4 * KIB), 0);
	assert_int_equal(sector_set_add(*state, 188 * KIB, 12 * KIB), 8 * KIB);
	assert_int_equal(sector_set_add(*state, 0, DISK_SIZE), 200 * KIB);
	assert_int_equal(sector_set_add(*state, 0, DISK_SIZE), DISK_SIZE);
}

static void test_removed(void **state)
{
	sector_set_add(*state, 0, 64 * KIB);
	sector_set_remove(*state, 4 * KIB, 8 * KIB);
	assert_int_equal(sector_set_add(*state, 0, 64 * KIB), 56 * KIB);
	assert_int_equal(sector_set_add(*state, 0, 64 * KIB), 64 * KIB);
}

static void test_cleared(void **state)
{
	sector_set_add(*state, 0, DISK_SIZE);
	sector_set_clear(*state);
	assert_int_equal(sector_set_add(*state, 0, DISK_SIZE), 0);
}

/* A sector counts as read if all of it was read, and as written if any of it was written. */
static void test_parts_of_sectors(void **state)
{
	sector_set_add(*state, 100, 2 * SECTOR_SIZE);
	assert_int_equal(sector_set_add(*state, 0, 4 * SECTOR_SIZE), SECTOR_SIZE);
	assert_int_equal(sector_set_add(*state, SECTOR_SIZE + 1, SECTOR_SIZE - 2), 0);
	sector_set_remove(*state, 2 * SECTOR_SIZE - 1, 2);
	assert_int_equal(sector_set_add(*state, 0, 4 * SECTOR_SIZE), 2 * SECTOR_SIZE);
}

static void test_the_end_of_the_disk(void **state)
{
	struct sector_set odd;

	assert_int_equal(sector_set_init(&odd, 64 * SECTOR_SIZE + 100), 0);
	sector_set_add(&odd, 63 * SECTOR_SIZE, SECTOR_SIZE + 100);
	assert_int_equal(sector_set_add(&odd, 63 * SECTOR_SIZE, 10 * SECTOR_SIZE), SECTOR_SIZE);
	sector_set_remove(&odd, 63 * SECTOR_SIZE, 10 * SECTOR_SIZE);
	assert_int_equal(sector_set_add(&odd, 63 * SECTOR_SIZE, SECTOR_SIZE), 0);
	sector_set_release(&odd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_only_what_was_there_is_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_removed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cleared, setup, teardown),
		cmocka_unit_test_setup_teardown(test_parts_of_sectors, setup, teardown),
		cmocka_unit_test(test_the_end_of_the_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
