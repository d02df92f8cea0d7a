/* SPDX-License-Identifier: MIT */
/* Unit tests of metadata in recordings: which of the kernel's events are about the page cache of a disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/cleanup.h"
#include "record/profiles/metadata.h"

#define NONE UINT32_MAX
#define DISK (8u << 20 | 1)

static char mountinfo[] =
	"20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
	"21 20 0:2 / /remote rw - nfs server:/remote rw\n"
	"22 20 0:40 / /merged rw - overlay overlay rw\n";

static struct mounts mounts;

static int read_mounts(void **state)
{
	return mounts_parse(mountinfo, &mounts);
}

static int release_mounts(void **state)
{
	mounts_release(&mounts);
	return 0;
}

static void add(struct record_trace *trace, enum record_event_kind kind, uint32_t device, uint64_t inode)
{
	const struct record_event event = {.kind = kind, .device = device, .inode = inode};

	assert_int_equal(record_trace_add_event(trace, &event), 0);
}

/* Adds one event to an empty trace, and says which device is found. */
static uint32_t found_by(enum record_event_kind kind, uint32_t device, uint64_t inode)
{
	struct record_trace trace = {0};
	uint32_t found;

	add(&trace, kind, device, inode);
	found = metadata_find_device(&trace, &mounts);
	record_trace_release(&trace);
	return found;
}

static void it_has_no_disk_and_its_inodes_have_numbers_of_disks(void **state)
{
	assert_int_equal(found_by(RECORD_ADDED, 3, DISK), 3);
	assert_int_equal(found_by(RECORD_ADDED, 77, DISK), 77);
	assert_int_equal(found_by(RECORD_ADDED, DISK, DISK), NONE);
	assert_int_equal(found_by(RECORD_ADDED, 3, DISK + 1), NONE);
	assert_int_equal(found_by(RECORD_ADDED, 3, 2), NONE); /* no file system is on such a disk */
	assert_int_equal(found_by(RECORD_ADDED, 3, (uint64_t)1 << 32 | DISK), NONE);
	assert_int_equal(found_by(RECORD_TOUCH, 3, DISK), NONE);
}

static void it_is_mounted_nowhere(void **state)
{
	assert_int_equal(found_by(RECORD_ADDED, 2, DISK), NONE);
	assert_int_equal(found_by(RECORD_ADDED, 40, DISK), NONE);
}

/* A file on a file system of a container, which we do not see mounted, may have any inode. */
static void it_is_the_oldest(void **state)
{
	struct record_trace trace = {0};

	add(&trace, RECORD_ADDED, 52, DISK);
	add(&trace, RECORD_ADDED, 3, DISK);
	add(&trace, RECORD_ADDED, 51, DISK);
	assert_int_equal(metadata_find_device(&trace, &mounts), 3);
	record_trace_release(&trace);
}

static void without_events_there_is_none(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = {0};
	const struct record_trace trace = {0};

	assert_int_equal(metadata_find_device(&trace, &mounts), NONE);
	assert_int_equal(metadata_add(&trace, &mounts, &profile), 0);
	assert_int_equal(profile.n_file_systems, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_has_no_disk_and_its_inodes_have_numbers_of_disks),
		cmocka_unit_test(it_is_mounted_nowhere),
		cmocka_unit_test(it_is_the_oldest),
		cmocka_unit_test(without_events_there_is_none),
	};

	return cmocka_run_group_tests(tests, read_mounts, release_mounts);
}
