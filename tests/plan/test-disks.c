/* SPDX-License-Identifier: MIT */
/* What was measured of a disk is kept in the store, and believed only if nobody else can have written it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "plan/store/disks.h"
#include "replace/publish.h"
#include "tree.h"

#define READS 2000
#define MORE  (4 * BURST)
#define BURST 32
#define MS    UINT64_C(1000000)

static char state_folder_path[] = "/tmp/headstart-disks.XXXXXX";
static struct device_read reads[READS + MORE];

static int begin(void **state)
{
	strcpy(state_folder_path + sizeof(state_folder_path) - 7, "XXXXXX");
	return mkdtemp(state_folder_path) && setenv("HEADSTART_STATE", state_folder_path, 1) == 0 ? 0 : -1;
}

static int end(void **state)
{
	return tree_remove(state_folder_path);
}

static struct device vda(void)
{
	struct device device = {.class = DEVICE_ROTATIONAL, .virtual_disk = true, .size = UINT64_C(1) << 32};

	strcpy(device.name, "vda");
	strcpy(device.identity, "serial ../A/B 8388608");
	return device;
}

/* Single pages that all take as long, near and far. */
static void take(uint64_t ns)
{
	uint64_t now = 0;

	for (size_t i = 0; i < READS; i++, now += ns + 1000)
		reads[i] = (struct device_read){now, now + ns,
			i % 3 ? (i * 7919 % 1000) << 22 : reads[i ? i - 1 : 0].offset + 4096, 4096, false};
}

/* Far reads take `way_ns` more. */
static void take_with_ways(uint64_t way_ns)
{
	take(MS / 10);
	for (size_t i = 1; i < READS; i++)
		if (reads[i].offset != reads[i - 1].offset + 4096)
			for (size_t later = i; later < READS; later++) {
				reads[later].issued += later > i ? way_ns : 0;
				reads[later].done += way_ns;
			}
}

static void what_was_learnt_is_applied(void **state)
{
	struct device disk = vda(), again = vda(), other = vda();

	take(MS / 10);
	disks_apply(&disk);
	assert_false(disk.measured);
	assert_int_equal(disks_learn(&disk, reads, READS), 0);
	assert_int_equal(disk.class, DEVICE_SOLID);
	disks_apply(&again);
	assert_true(again.measured);
	assert_int_equal(again.class, DEVICE_SOLID);
	assert_int_equal(again.model.latency_us, 100);
	assert_uint_in_range(again.model.samples, READS - 10, READS);
	assert_uint_in_range(again.model.measured, (uint64_t)time(NULL) - 3600, (uint64_t)time(NULL));
	strcpy(other.identity, "serial ../A/B 8388609");
	disks_apply(&other);
	assert_false(other.measured);
}

static void too_few_reads_leave_what_was_known(void **state)
{
	struct device disk = vda(), nameless = vda();

	take(MS / 10);
	assert_int_equal(disks_learn(&disk, reads, READS), 0);
	take(MS);
	disk = vda();
	assert_int_equal(disks_learn(&disk, reads, 50), -ENODATA);
	assert_false(disk.measured);
	disks_apply(&disk);
	assert_int_equal(disk.model.latency_us, 100);
	*nameless.identity = '\0';
	assert_int_equal(disks_learn(&nameless, reads, READS), -ENOENT);
	disks_apply(&nameless);
	assert_false(nameless.measured);
}

/* The throughput that one recording showed stays, if the next one, which does not, agrees on what kind of disk it is. */
static void measurements_complete_each_other(void **state)
{
	struct device disk = vda();
	uint64_t at;

	take(MS / 10);
	at = reads[READS - 1].done + MS;
	for (size_t i = 0; i < 8; i++, at += 2 * MS + 1000)
		reads[READS + i] = (struct device_read){at, at + MS / 10 + MS, i << 20, 1 << 20, false};
	assert_int_equal(disks_learn(&disk, reads, READS + 8), 0);
	assert_uint_in_range(disk.model.bytes_per_ms, 1000000, 1100000);
	take(MS / 5);
	disk = vda();
	assert_int_equal(disks_learn(&disk, reads, READS), 0);
	assert_int_equal(disk.model.latency_us, 200);
	assert_uint_in_range(disk.model.bytes_per_ms, 1000000, 1100000);
	take_with_ways(9 * MS); /* now it seeks */
	disk = vda();
	assert_int_equal(disks_learn(&disk, reads, READS), 0);
	assert_int_equal(disk.class, DEVICE_ROTATIONAL);
}

/* Bursts behind the single reads, served at once. Returns how many reads there are. */
static size_t add_bursts(uint64_t takes_ns)
{
	uint64_t at = reads[READS - 1].done + MS;

	for (size_t i = 0; i < MORE; i++) {
		if (i % BURST == 0)
			at += 2 * takes_ns;
		reads[READS + i] = (struct device_read){
			at + i % BURST, at + takes_ns + i % BURST, (i * 7919 % 1000) << 22, 4096, false};
	}
	return READS + MORE;
}

/* The first recording was served from the memory of what lies below; the second one is not, and shows no depth. */
static void depth_of_another_kind_of_disk_does_not_count(void **state)
{
	struct device disk = vda();

	take(MS / 10);
	assert_int_equal(disks_learn(&disk, reads, add_bursts(MS / 10)), 0);
	assert_true(disk.model.depth >= 4);
	assert_int_equal(disk.class, DEVICE_SOLID);
	take_with_ways(9 * MS);
	disk = vda();
	assert_int_equal(disks_learn(&disk, reads, READS), 0);
	assert_int_equal(disk.model.depth, 0);
	assert_int_equal(disk.class, DEVICE_ROTATIONAL);
}

/* Several disks behind one: a single read has a long way, and many at once share it. */
static void depth_of_the_same_kind_of_disk_counts(void **state)
{
	struct device disk = vda();

	take_with_ways(9 * MS);
	assert_int_equal(disks_learn(&disk, reads, add_bursts(9 * MS)), 0);
	assert_int_equal(disk.class, DEVICE_SOLID);
	take_with_ways(9 * MS);
	disk = vda();
	assert_int_equal(disks_learn(&disk, reads, READS), 0);
	assert_true(disk.model.depth >= 4);
	assert_int_equal(disk.class, DEVICE_SOLID);
}

static void files_that_others_could_have_written_do_not_count(void **state)
{
	struct device disk = vda();
	_cleanup_free_ char *path = NULL;

	take(MS / 10);
	assert_int_equal(disks_learn(&disk, reads, READS), 0);
	assert_int_equal(store_find(STORE_DISK, disk.identity, &path), 0);
	assert_int_equal(strncmp(path, state_folder_path, strlen(state_folder_path)), 0);
	assert_null(strstr(path, ".."));
	assert_int_equal(chmod(path, 0666), 0);
	disk = vda();
	disks_apply(&disk);
	assert_false(disk.measured);
	assert_int_equal(disk.class, DEVICE_ROTATIONAL);
	assert_int_equal(chmod(path, 0644), 0);
	disks_apply(&disk);
	assert_true(disk.measured);
}

static void damaged_files_do_not_count(void **state)
{
	struct device disk = vda();
	_cleanup_free_ char *path = NULL, *large = calloc(1, 1 << 20);

	take(MS / 10);
	assert_int_equal(disks_learn(&disk, reads, READS), 0);
	assert_int_equal(store_find(STORE_DISK, disk.identity, &path), 0);
	assert_int_equal(publish_file(path, 0644, "headstart disk 1\n", 17), 0);
	disk = vda();
	disks_apply(&disk);
	assert_false(disk.measured);
	assert_int_equal(publish_file(path, 0644, large, 1 << 20), 0);
	disks_apply(&disk);
	assert_false(disk.measured);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_learnt_is_applied, begin, end),
		cmocka_unit_test_setup_teardown(too_few_reads_leave_what_was_known, begin, end),
		cmocka_unit_test_setup_teardown(measurements_complete_each_other, begin, end),
		cmocka_unit_test_setup_teardown(depth_of_another_kind_of_disk_does_not_count, begin, end),
		cmocka_unit_test_setup_teardown(depth_of_the_same_kind_of_disk_counts, begin, end),
		cmocka_unit_test_setup_teardown(
			files_that_others_could_have_written_do_not_count, begin, end),
		cmocka_unit_test_setup_teardown(damaged_files_do_not_count, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
