/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of how a job takes room, on the file system of /var/tmp. That need not lie in pieces, so the job is made to believe
 * that it might have had better room.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "exchangeable.h"
#include "place/choose.h"
#include "place/place.h"
#include "profile/updates/staleness.h"

#define PAGE  UINT64_C(4096)
#define FAR   (UINT64_C(1) << 30)
#define FILES 40
#define PAGES 20u

static const struct device_model hard_disk = {
	.latency_us = 100, .seek_us = 7600, .bytes_per_ms = 60000, .depth = 1};

static void need_ext4(void)
{
	struct statfs info;

	if (statfs("/var/tmp", &info) == 0 && info.f_type == EXT4_SUPER_MAGIC && info.f_bsize == (long)PAGE &&
		sysconf(_SC_PAGESIZE) == (long)PAGE)
		return;
	print_message("blocks cannot be exchanged in /var/tmp: it is no ext4 with blocks of 4096 bytes\n");
	skip();
}

/* Where the i-th file lies: all over the disk, or one behind the other. */
static uint64_t place_of(size_t i, bool scattered)
{
	return scattered ? (i * 7 % FILES) * FAR : FAR + i * PAGES * PAGE;
}

static void put_files(struct place_disk *disk, bool scattered)
{
	for (size_t i = 0; i < FILES; i++)
		disk->files[i].extents[0].physical = place_of(i, scattered);
}

/* A hard disk on which a start touches FILES small files. */
static void add_disk(struct place_job *job)
{
	struct place_disk *disk = calloc(1, sizeof(*disk));

	assert_non_null(disk);
	*disk = (struct place_disk){
		.device = {.class = DEVICE_ROTATIONAL,
			.measured = true,
			.read_ahead_kb = 128,
			.size = FAR * 400,
			.model = hard_disk},
		.page_size = PAGE,
		.area = PLACE_NO_AREA,
		.folder = strdup("/var/tmp"),
		.files = calloc(FILES, sizeof(*disk->files)),
		.n_files = FILES,
		.starts = calloc(1, sizeof(*disk->starts)),
		.n_starts = 1,
	};
	disk->starts[0].touches = calloc(FILES, sizeof(struct place_touch));
	disk->starts[0].n_touches = FILES;
	for (uint32_t i = 0; i < FILES; i++) {
		struct place_file *file = &disk->files[i];

		*file = (struct place_file){.size = PAGES * PAGE,
			.programs = 1,
			.n_extents = 1,
			.extents = calloc(1, sizeof(*file->extents))};
		assert_non_null(file->extents);
		file->extents[0].length = PAGES * PAGE;
		assert_int_equal(place_runs_add(&file->hot, 0, 4), 0);
		disk->starts[0].touches[i] = (struct place_touch){i, 0, 4};
	}
	put_files(disk, true);
	job->disks = disk;
	job->n_disks = 1;
}

static void expect_area(const struct place_disk *disk, uint64_t pages)
{
	uint64_t bytes = 0;
	struct stat st;

	assert_null(disk->refusal);
	assert_true(disk->area.donor >= 0);
	assert_int_equal(disk->area_pages, pages);
	for (size_t i = 0; i < disk->area.n; i++) {
		assert_int_equal(disk->area.items[i].offset, bytes);
		bytes += disk->area.items[i].length;
	}
	assert_int_equal(bytes, pages * PAGE);
	assert_int_equal(fstat(disk->area.donor, &st), 0);
	assert_in_range(st.st_blocks * 512, pages * PAGE, (pages + 4) * PAGE);
}

static void an_area_takes_what_is_to_be_moved(void **state)
{
	_cleanup_(place_job_releasep) struct place_job job = {.root = ""};

	need_ext4();
	add_disk(&job);
	assert_int_equal(place_choose(&job.disks[0]), 0);
	assert_int_equal(place_job_allocate(&job), 0);
	expect_area(&job.disks[0], FILES * PAGES);
}

/* It expects to be much faster than in any room: it looks for better room, and takes the best that there is. */
static void room_that_is_worse_than_expected_is_looked_at_again(void **state)
{
	_cleanup_(place_job_releasep) struct place_job job = {.root = ""};

	need_ext4();
	add_disk(&job);
	assert_int_equal(place_choose(&job.disks[0]), 0);
	job.disks[0].starts[0].planned_after.us = 1;
	assert_int_equal(place_job_allocate(&job), 0);
	expect_area(&job.disks[0], FILES * PAGES);
	for (size_t i = 0; i < FILES; i++)
		assert_int_equal(job.disks[0].files[i].status, PLACE_OPEN);
}

/* They lie as well as they can. Whatever room there is, nothing is kept of it. */
static void room_in_which_nothing_is_gained_is_given_back(void **state)
{
	_cleanup_(place_job_releasep) struct place_job job = {.root = ""};

	need_ext4();
	add_disk(&job);
	assert_int_equal(place_choose(&job.disks[0]), 0);
	put_files(&job.disks[0], false);
	job.disks[0].starts[0].planned_before.us = 1;
	assert_int_equal(place_job_allocate(&job), 0);
	assert_non_null(job.disks[0].refusal);
	assert_non_null(strstr(job.disks[0].refusal, "has room only in small pieces or far away"));
	assert_true(job.disks[0].settled);
	assert_int_equal(job.disks[0].area.donor, -1);
	for (size_t i = 0; i < FILES; i++)
		assert_int_equal(job.disks[0].files[i].status, PLACE_STAYS);
}

/* Files of a folder in /var/tmp, each page of which has other bytes, and a profile of a start that touches all of it. */
static struct profile make_files(const char *folder)
{
	struct profile profile = {
		.program = strdup("/usr/bin/app"), .page_size = (uint32_t)sysconf(_SC_PAGESIZE), .runs = 1};

	for (uint32_t i = 0; i < FILES; i++) {
		_cleanup_free_ char *path = NULL;
		_cleanup_close_ int fd = -1;
		char page[PAGE];
		size_t index;

		assert_true(asprintf(&path, "%s/%u", folder, i) > 0);
		fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
		assert_true(fd >= 0);
		for (uint32_t j = 0; j < PAGES; j++) {
			memset(page, (int)(1 + (i * PAGES + j) % 100), sizeof(page));
			assert_int_equal(write(fd, page, sizeof(page)), sizeof(page));
		}
		assert_int_equal(profile_add_file(&profile, path, PROFILE_REGULAR, &index), 0);
		assert_int_equal(profile_file_identify(&profile.files[index]), 0);
		assert_int_equal(
			profile_file_add_range(&profile.files[index],
				(struct profile_range){.pages = PAGES, .order = i * PAGES, .runs = 1}),
			0);
	}
	return profile;
}

/* Reads it from the disk. */
static void expect_bytes(int fd, uint32_t i)
{
	char page[PAGE];

	assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	for (uint32_t j = 0; j < PAGES; j++) {
		assert_int_equal(read(fd, page, sizeof(page)), sizeof(page));
		for (size_t k = 0; k < sizeof(page); k++)
			assert_int_equal(page[k], 1 + (i * PAGES + j) % 100);
	}
}

/* Whether the file lies where the record says that it was moved to. */
static void expect_place(int fd, const struct placed_file *placed)
{
	_cleanup_free_ struct device_extent *extents = NULL;
	uint64_t bytes = 0;
	size_t n;

	assert_non_null(placed);
	assert_int_equal(device_allocated(fd, &extents, &n), 0);
	for (size_t i = 0; i < placed->n_extents; i++) {
		const struct device_extent *extent = &placed->extents[i];
		size_t at = device_extent_after(extents, n, extent->offset);

		assert_true(at < n && extents[at].offset <= extent->offset);
		assert_int_equal(
			extents[at].physical + (extent->offset - extents[at].offset), extent->physical);
		bytes += extent->length;
	}
	assert_int_equal(bytes, PAGES * PAGE);
}

static void move_all(const char *folder, bool worse)
{
	_cleanup_(place_job_releasep) struct place_job job = {.root = "", .class = DEVICE_ROTATIONAL};
	_cleanup_(place_record_releasep) struct place_record record = {0};
	_cleanup_(profile_releasep) struct profile profile = make_files(folder);
	struct place_disk *disk;

	assert_int_equal(place_job_add(&job, &profile), 0);
	disk = job.disks;
	disk->device.measured = true;
	disk->device.size = FAR * 400;
	disk->device.model = hard_disk;
	for (size_t i = 0; i < FILES; i++)
		disk->files[i].extents[0].physical = place_of(i, true);
	assert_int_equal(place_choose(disk), 0);
	if (worse)
		disk->starts[0].planned_after.us = 1;
	assert_int_equal(place_job_allocate(&job), 0);
	expect_area(disk, FILES * PAGES);
	assert_int_equal(place_job_record(&job, &record), 0);
	assert_int_equal(place_job_run(&job, NULL, NULL), 0);
	for (uint32_t i = 0; i < FILES; i++) {
		_cleanup_close_ int fd = open(disk->files[i].path, O_RDONLY | O_CLOEXEC);
		struct placed_file *placed;

		assert_int_equal(disk->files[i].status, PLACE_MOVED);
		assert_int_equal(place_record_find(&record, disk->files[i].path, &placed), 0);
		expect_bytes(fd, i);
		expect_place(fd, placed);
		assert_int_equal(unlink(disk->files[i].path), 0);
	}
}

/* In room that the kernel has chosen, and in what was picked of more. */
static void all_files_lie_where_the_record_says_with_the_same_bytes(void **state)
{
	char folder[] = "/var/tmp/headstart-test-allocate.XXXXXX";

	need_exchange("/var/tmp");
	assert_non_null(mkdtemp(folder));
	move_all(folder, false);
	move_all(folder, true);
	assert_int_equal(rmdir(folder), 0);
}

static void what_does_not_fit_is_refused(void **state)
{
	_cleanup_(place_job_releasep) struct place_job job = {.root = ""};

	need_ext4();
	add_disk(&job);
	assert_int_equal(place_choose(&job.disks[0]), 0);
	job.disks[0].area_pages = UINT64_C(1) << 48;
	assert_int_equal(place_job_allocate(&job), 0);
	assert_string_equal(job.disks[0].refusal, "has no room for what is to be moved");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_area_takes_what_is_to_be_moved),
		cmocka_unit_test(room_that_is_worse_than_expected_is_looked_at_again),
		cmocka_unit_test(room_in_which_nothing_is_gained_is_given_back),
		cmocka_unit_test(all_files_lie_where_the_record_says_with_the_same_bytes),
		cmocka_unit_test(what_does_not_fit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
