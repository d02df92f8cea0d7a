/* SPDX-License-Identifier: MIT */
/* Unit tests of snapshots: pages, differences, names, mounts, and what is left out of too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "snapshot/collect.h"
#include "snapshot/snapshot.h"
#include "tree.h"
#include "undisturbed.h"

static char folder[64]; /* of one test, canonical */

static int make_folder(void **state)
{
	strcpy(folder, "/tmp/headstart-snapshot.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	return tree_remove(folder);
}

static const char *in_folder(const char *name)
{
	return tree_path(folder, name);
}

static void write_file(const char *name, size_t size)
{
	_cleanup_free_ char *data = calloc(1, size + 1);
	int fd = open(in_folder(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_non_null(data);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	close(fd);
}

static const struct profile_file *find(const struct snapshot *snapshot, const char *name)
{
	for (size_t i = 0; i < snapshot->profile.n_files; i++)
		if (streq(snapshot->profile.files[i].path, in_folder(name)))
			return &snapshot->profile.files[i];
	return NULL;
}

static void assert_ranges(const struct profile_file *file, size_t n, const uint32_t (*ranges)[3])
{
	assert_int_equal(file->n_ranges, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(file->ranges[i].page, ranges[i][0]);
		assert_int_equal(file->ranges[i].pages, ranges[i][1]);
		assert_int_equal(file->ranges[i].order, ranges[i][2]);
		assert_int_equal(file->ranges[i].runs, 1);
	}
}

static void test_runs_of_pages_become_ranges(void **state)
{
	const unsigned char present[] = {1, 1, 0, 0, 1, 0xff, 0xfe, 1};
	_cleanup_(profile_file_releasep) struct profile_file file = {0};
	uint32_t touches = 7;

	assert_int_equal(pages_add_map(&file, 100, present, sizeof(present), &touches), 0);
	assert_ranges(&file, 3, (const uint32_t[][3]){{100, 2, 7}, {104, 2, 9}, {107, 1, 11}});
	assert_int_equal(touches, 12);
	assert_int_equal(pages_add_map(&file, 200, present + 2, 2, &touches), 0);
	assert_int_equal(file.n_ranges, 3);
	touches = UINT32_MAX - 1;
	assert_int_equal(pages_add_map(&file, 200, present, 2, &touches), -EFBIG);
	assert_int_equal(touches, UINT32_MAX - 1);
	assert_int_equal(file.n_ranges, 3);
}

static void add(struct profile_file *file, uint32_t page, uint32_t pages, uint32_t order)
{
	const struct profile_range range = {.page = page, .pages = pages, .order = order, .runs = 1};

	assert_int_equal(profile_file_add_range(file, range), 0);
}

static void test_pages_of_before_are_taken_out(void **state)
{
	_cleanup_(profile_file_releasep) struct profile_file after = {0}, before = {0};

	add(&after, 0, 10, 0);
	add(&after, 20, 10, 10);
	add(&after, 40, 2, 20);
	add(&before, 0, 2, 0);
	add(&before, 4, 1, 2);
	add(&before, 9, 12, 3);
	add(&before, 25, 1, 15);
	add(&before, 39, 5, 16);
	assert_int_equal(pages_subtract(&after, &before), 0);
	assert_ranges(&after, 4, (const uint32_t[][3]){{2, 2, 2}, {5, 4, 5}, {21, 4, 11}, {26, 4, 16}});
}

static void test_nothing_is_taken_out_of_other_pages(void **state)
{
	_cleanup_(profile_file_releasep) struct profile_file after = {0}, before = {0};

	add(&after, 5, 5, 0);
	add(&before, 0, 5, 0);
	add(&before, 10, 5, 5);
	assert_int_equal(pages_subtract(&after, &before), 0);
	assert_ranges(&after, 1, (const uint32_t[][3]){{5, 5, 0}});
}

/* Files that were just written are in memory, whatever they lie on. */
static void make_tree(void)
{
	assert_int_equal(mkdir(in_folder("a"), 0755), 0);
	assert_int_equal(mkdir(in_folder("a/b"), 0755), 0);
	write_file("a/b/file", 10000);
	write_file("a/empty", 0);
	assert_int_equal(mkfifo(in_folder("a/fifo"), 0644), 0);
	assert_int_equal(symlink("b/file", in_folder("a/link")), 0);
	assert_int_equal(link(in_folder("a/b/file"), in_folder("a/other")), 0);
}

static void test_tree_is_taken_with_its_folders(void **state)
{
	_cleanup_(snapshot_releasep) struct snapshot snapshot = {0};
	uint64_t pages = 0;

	make_tree();
	assert_int_equal(snapshot_add(&snapshot, folder), 0);
	assert_int_equal(snapshot_finish(&snapshot, "/tmp/", "", 100), 0);
	assert_non_null(find(&snapshot, "a"));
	assert_int_equal(find(&snapshot, "a")->kind, PROFILE_DIRECTORY);
	assert_int_equal(find(&snapshot, "a/b")->kind, PROFILE_DIRECTORY);
	assert_int_equal(find(&snapshot, "a/b/file")->size, 10000);
	assert_null(find(&snapshot, "a/fifo"));
	for (size_t i = 0; i < snapshot.profile.n_files; i++)
		pages += profile_file_pages(&snapshot.profile.files[i]);
	assert_int_equal(pages, (10000 + sysconf(_SC_PAGESIZE) - 1) / sysconf(_SC_PAGESIZE)); /* once */
	assert_string_equal(snapshot.profile.program, "/tmp/");
	assert_int_equal(snapshot.profile.runs, 1);
}

static void test_names_alone_have_no_pages(void **state)
{
	_cleanup_(snapshot_releasep) struct snapshot snapshot = {.names_only = true};

	make_tree();
	assert_int_equal(snapshot_add(&snapshot, in_folder("a/b/file")), 0);
	assert_int_equal(snapshot_finish(&snapshot, "/tmp/", "", 100), 0);
	assert_int_equal(snapshot.profile.n_files, 1);
	assert_int_equal(snapshot.profile.files[0].n_ranges, 0);
}

static void test_what_is_no_file_and_no_folder_is_refused(void **state)
{
	_cleanup_(snapshot_releasep) struct snapshot snapshot = {0};

	make_tree();
	assert_int_equal(snapshot_add(&snapshot, in_folder("a/fifo")), -EINVAL);
	assert_int_equal(snapshot_add(&snapshot, in_folder("a/link")), -EINVAL);
	assert_int_equal(snapshot_add(&snapshot, in_folder("none")), -ENOENT);
	assert_int_equal(snapshot_finish(&snapshot, "/tmp/", "", 100), -ENODATA);
}

static void test_difference_has_what_is_new_and_its_folders(void **state)
{
	_cleanup_(snapshot_releasep) struct snapshot before = {0}, after = {0};

	make_tree();
	write_file("a/b/grows", 5);
	assert_int_equal(snapshot_add(&before, folder), 0);
	write_file("a/b/new", 5);
	write_file("a/b/grows", 3 * (size_t)sysconf(_SC_PAGESIZE));
	assert_int_equal(snapshot_add(&after, folder), 0);
	assert_int_equal(snapshot_subtract(&after, &before), 0);
	assert_int_equal(snapshot_finish(&after, "/tmp/", "", 100), 0);
	assert_null(find(&after, "a/b/file"));
	assert_null(find(&after, "a/other"));
	assert_int_equal(find(&after, "a/b/new")->n_ranges, 1);
	assert_int_equal(find(&after, "a/b")->kind, PROFILE_DIRECTORY);
	assert_int_equal(find(&after, "a")->kind, PROFILE_DIRECTORY);
	assert_int_equal(profile_file_pages(find(&after, "a/b/grows")), 2);
}

static void test_equal_snapshots_have_no_difference(void **state)
{
	_cleanup_(snapshot_releasep) struct snapshot before = {0}, after = {0};

	make_tree();
	assert_int_equal(snapshot_add(&before, folder), 0);
	assert_int_equal(snapshot_add(&after, folder), 0);
	assert_int_equal(snapshot_subtract(&after, &before), 0);
	assert_int_equal(snapshot_finish(&after, "/tmp/", "", 100), -ENODATA);
}

static void test_names_of_another_snapshot_are_added_once(void **state)
{
	_cleanup_(snapshot_releasep) struct snapshot pages = {0}, names = {.names_only = true};

	make_tree();
	assert_int_equal(snapshot_add(&pages, in_folder("a/b/file")), 0);
	assert_int_equal(snapshot_add(&names, in_folder("a/b/file")), 0);
	assert_int_equal(snapshot_add(&names, in_folder("a/empty")), 0);
	assert_int_equal(snapshot_add_names(&pages, &names), 0);
	assert_int_equal(snapshot_finish(&pages, "/tmp/", "", 100), 0);
	assert_int_equal(pages.profile.n_files, 2);
	assert_int_equal(find(&pages, "a/b/file")->n_ranges, 1);
	assert_int_equal(find(&pages, "a/empty")->n_ranges, 0);
}

/* Of too many, files with pages stay first, then folders and links, then names. */
static void test_too_many_are_left_out_by_what_they_are_worth(void **state)
{
	const struct {
		const char *path;
		enum profile_kind kind;
		bool pages;
	} files[] = {
		{"/name", PROFILE_REGULAR, false},
		{"/d", PROFILE_DIRECTORY, false},
		{"/d/one", PROFILE_REGULAR, true},
		{"/d/l", PROFILE_SYMLINK, false},
		{"/d/two", PROFILE_REGULAR, true},
	};
	static const char *const kept[] = {"/d", "/d/one", "/d/two"};
	_cleanup_(snapshot_releasep) struct snapshot snapshot = {0};
	size_t file;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		assert_int_equal(snapshot_add_name(&snapshot, files[i].path, files[i].kind, &file), 0);
		if (files[i].pages)
			assert_int_equal(pages_add_map(&snapshot.profile.files[file], 0,
						 (const unsigned char[]){1}, 1, &snapshot.touches),
				0);
	}
	assert_int_equal(snapshot_finish(&snapshot, "/", "", 3), 0);
	assert_int_equal(snapshot.dropped, 2);
	assert_int_equal(snapshot.profile.n_files, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(snapshot.profile.files[i].path, kept[i]);
}

/* Two mounts that show the same part of a disk are walked once; one that something hides, and one without a disk, not at all. */
static void test_each_disk_is_walked_once(void **state)
{
	_cleanup_(snapshot_releasep) struct snapshot snapshot = {0};
	_cleanup_free_ char *mountinfo = strdup(in_folder("mountinfo"));
	struct stat st;
	FILE *file;

	for (const char *name = "abcd"; *name; name++) {
		char path[4];

		snprintf(path, sizeof(path), "%c", *name);
		assert_int_equal(mkdir(in_folder(path), 0755), 0);
		snprintf(path, sizeof(path), "%c/f", *name);
		write_file(path, 1);
	}
	assert_int_equal(stat(folder, &st), 0);
	assert_non_null(mountinfo);
	file = fopen(mountinfo, "w");
	assert_non_null(file);
	fprintf(file, "1 1 %u:%u /x/y %s rw - ext4 /dev/x rw\n", major(st.st_dev), minor(st.st_dev),
		in_folder("a"));
	fprintf(file, "2 1 %u:%u /x %s rw - ext4 /dev/x rw\n", major(st.st_dev), minor(st.st_dev),
		in_folder("b"));
	fprintf(file, "3 1 99:99 / %s rw - ext4 /dev/y rw\n", in_folder("c"));
	fprintf(file, "4 1 0:99 / %s rw - tmpfs none rw\n", in_folder("d"));
	fprintf(file, "no mount at all\n");
	fclose(file);
	assert_int_equal(snapshot_add_disks(&snapshot, mountinfo), 0);
	if (snapshot.silent > 0 || major(st.st_dev) == 0) {
		assert_null(find(&snapshot, "b/f"));
		snapshot_release(&snapshot); /* skip() does not come back */
		free(TAKE_PTR(mountinfo));
		print_message("nobody tells which names are in memory here, or /tmp lies on no disk\n");
		skip();
	}
	assert_null(find(&snapshot, "a/f"));
	assert_non_null(find(&snapshot, "b/f"));
	assert_null(find(&snapshot, "c/f"));
	assert_null(find(&snapshot, "d/f"));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_of_pages_become_ranges),
		cmocka_unit_test(test_pages_of_before_are_taken_out),
		cmocka_unit_test(test_nothing_is_taken_out_of_other_pages),
		IN_FOLDER(test_tree_is_taken_with_its_folders),
		IN_FOLDER(test_names_alone_have_no_pages),
		IN_FOLDER(test_what_is_no_file_and_no_folder_is_refused),
		IN_FOLDER(test_difference_has_what_is_new_and_its_folders),
		IN_FOLDER(test_equal_snapshots_have_no_difference),
		IN_FOLDER(test_names_of_another_snapshot_are_added_once),
		cmocka_unit_test(test_too_many_are_left_out_by_what_they_are_worth),
		IN_FOLDER(test_each_disk_is_walked_once),
	};

	return until_undisturbed(tests, sizeof(tests) / sizeof(tests[0]));
}
