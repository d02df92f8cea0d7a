/* SPDX-License-Identifier: MIT */
/* What the machine does besides, as files of the kernel say it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "prefetch/limits/activity.h"
#include "replace/publish.h"
#include "tree.h"

static int make_root(void **state)
{
	char *folder = strdup("/tmp/headstart-test.XXXXXX");

	assert_non_null(mkdtemp(folder));
	*state = folder;
	return 0;
}

static int remove_root(void **state)
{
	_cleanup_free_ char *folder = *state;

	return tree_remove(folder);
}

static void put(const char *root, const char *folder, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s%s", root, folder);
	assert_int_equal(make_folders(path, 0700), 0);
	snprintf(path, sizeof(path), "%s%s/%s", root, folder, name);
	assert_int_equal(publish_file(path, 0600, text, strlen(text)), 0);
}

static void pressure_is_that_of_ten_seconds(void **state)
{
	const char *root = *state;

	assert_int_equal(pressure_of(root, "io"), 0); /* the kernel says nothing */
	put(root, "/proc/pressure", "io",
		"some avg10=25.32 avg60=7.00 avg300=1.00 total=5\nfull avg10=90.00 avg60=0.00 avg300=0.00 total=3\n");
	assert_int_equal(pressure_of(root, "io"), 25);
	assert_int_equal(pressure_of(root, "cpu"), 0);
	put(root, "/proc/pressure", "cpu", "some avg10=nonsense\n");
	assert_int_equal(pressure_of(root, "cpu"), 0);
}

static void only_disks_count(void **state)
{
	const char *root = *state;

	assert_int_equal(disks_busy_ms(root), 0);
	put(root, "/proc", "diskstats",
		"   7       0 loop0 1 2 3 4 5 6 7 8 0 1000 9 0 0 0 0 1 2\n"
		" 254       0 zram0 1 2 3 4 5 6 7 8 0 1000 9 0 0 0 0 1 2\n"
		" 253       0 dm-0 1 2 3 4 5 6 7 8 0 1000 9 0 0 0 0 1 2\n"
		"   8       0 sda 1 2 3 4 5 6 7 8 0 20 9 0 0 0 0 1 2\n"
		"nonsense\n"
		" 259       0 nvme0n1 1 2 3 4 5 6 7 8 0 300 9\n");
	assert_int_equal(disks_busy_ms(root), 320);
}

static void a_disk_behind_a_thousand_others_counts(void **state)
{
	_cleanup_free_ char *text = NULL;
	const char *root = *state;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	for (int i = 0; i < 2000; i++)
		fprintf(file, "   7 %7d loop%d 1 2 3 4 5 6 7 8 0 1000 9 0 0 0 0 1 2\n", i, i);
	fputs("   8       0 sda 1 2 3 4 5 6 7 8 0 20 9 0 0 0 0 1 2\n", file);
	assert_int_equal(fclose(file), 0);
	assert_true(size > 100000);
	put(root, "/proc", "diskstats", text);
	assert_int_equal(disks_busy_ms(root), 20);
}

static void only_a_rotational_disk_can_be_woken(void **state)
{
	const char *root = *state;

	assert_false(rotational_disk_asleep(root));
	put(root, "/sys/block/sda/queue", "rotational", "0\n");
	put(root, "/sys/block/sda/device/power", "runtime_status", "suspended\n");
	assert_false(rotational_disk_asleep(root));
	put(root, "/sys/block/sdb/queue", "rotational", "1\n");
	put(root, "/sys/block/sdb/device/power", "runtime_status", "active\n");
	assert_false(rotational_disk_asleep(root));
	put(root, "/sys/block/sdb/device/power", "runtime_status", "suspended\n");
	put(root, "/sys/block/sr0/queue", "rotational", "1\n"); /* an optical drive */
	put(root, "/sys/block/sr0/device/power", "runtime_status", "suspended\n");
	assert_true(rotational_disk_asleep(root));
	put(root, "/sys/block/sdb/device/power", "runtime_status", "active\n");
	assert_false(rotational_disk_asleep(root));
}

static void a_battery_is_in_use_if_nothing_else_is(void **state)
{
	static const char mains[] = "/sys/class/power_supply/AC", battery[] = "/sys/class/power_supply/BAT0";
	static const char mouse[] = "/sys/class/power_supply/hid-1";
	const char *root = *state;

	assert_false(on_battery(root)); /* a desktop */
	put(root, mouse, "type", "Battery\n");
	put(root, mouse, "scope", "Device\n");
	put(root, mouse, "status", "Discharging\n");
	assert_false(on_battery(root));
	put(root, battery, "type", "Battery\n");
	put(root, battery, "status", "Discharging\n");
	assert_true(on_battery(root));
	put(root, mains, "type", "Mains\n");
	put(root, mains, "online", "1\n");
	assert_false(on_battery(root));
	put(root, mains, "online", "0\n");
	assert_true(on_battery(root));
	put(root, battery, "status", "Full\n");
	assert_true(on_battery(root));
}

#define TEST_IN_ROOT(function) cmocka_unit_test_setup_teardown(function, make_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_IN_ROOT(pressure_is_that_of_ten_seconds),
		TEST_IN_ROOT(only_disks_count),
		TEST_IN_ROOT(a_disk_behind_a_thousand_others_counts),
		TEST_IN_ROOT(only_a_rotational_disk_can_be_woken),
		TEST_IN_ROOT(a_battery_is_in_use_if_nothing_else_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
