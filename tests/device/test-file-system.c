/* SPDX-License-Identifier: MIT */
/* Unit tests of file systems by their ids: where one is mounted, and which disk is its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "device/file-system.h"

static char folder[] = "/var/tmp/headstart-file-system-XXXXXX";
static struct device_file_system ours; /* of the folder; id 0: it has none */

static int make_folder(void **state)
{
	int fd;

	if (!mkdtemp(folder))
		return -1;
	fd = open(folder, O_PATH | O_CLOEXEC);
	if (device_file_system(fd, &ours) < 0)
		ours.id = 0;
	close(fd);
	return 0;
}

static int remove_folder(void **state)
{
	return rmdir(folder);
}

/* Not every file system has one. */
static void need_id(void)
{
	if (!ours.id) {
		print_message("the file system of /var/tmp has no id\n");
		skip();
	}
}

static void file_systems_without_a_disk_have_no_id(void **state)
{
	_cleanup_close_ int fd = open("/proc", O_PATH | O_CLOEXEC);
	struct device_file_system found = {.id = 1};

	assert_int_equal(device_file_system(fd, &found), -EOPNOTSUPP);
	assert_int_equal(device_file_system(-1, &found), -EBADF);
	assert_int_equal(found.id, 1);
}

/* Looks for our file system in a list of mounts of that text. *ret_point may stay NULL. */
static int find(const char *text, const char *root, char **ret_point)
{
	char path[sizeof(folder) + 16];
	dev_t number = 0;
	FILE *file;
	int r;

	snprintf(path, sizeof(path), "%s/mountinfo", folder);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	r = device_find_mount(path, root, ours.id, ret_point, &number);
	if (r == 0)
		assert_int_equal(number, ours.number);
	unlink(path);
	return r;
}

/* Below a root, so that the root of this machine is not looked at. */
static void a_file_system_is_found_where_it_is_mounted(void **state)
{
	_cleanup_free_ char *point = NULL, *same = NULL, *none = NULL, *text = NULL;
	char below[sizeof(folder) + 16];

	need_id();
	snprintf(below, sizeof(below), "%s/below", folder);
	assert_int_equal(mkdir(below, 0700), 0);
	assert_true(asprintf(&text,
			    "nonsense\n"
			    "20 1 0:30 / %s rw - tmpfs tmpfs rw\n"
			    "21 1 8:1 / /proc rw - ext4 /dev/sda1 rw\n"
			    "22 1 8:1 / %s-missing rw - ext4 /dev/sda1 rw\n"
			    "23 1 8:1 / %s rw - ext4 /dev/sda1 rw\n",
			    below, below, below) > 0);
	/* The root itself is on it too, but is no mount point: that of a chroot. */
	assert_int_equal(find(text, folder, &point), 0);
	assert_string_equal(point, "/");
	assert_int_equal(find(text, below, &same), 0);
	assert_string_equal(same, "/");
	assert_int_equal(find(text, "/proc", &none), -ENOENT);
	assert_int_equal(find("", "/proc", &none), -ENOENT);
	assert_null(none);
	assert_int_equal(rmdir(below), 0);
}

static void half_a_name_is_no_root(void **state)
{
	_cleanup_free_ char *point = NULL, *text = NULL;

	need_id();
	assert_true(asprintf(&text, "23 1 8:1 / %s rw - ext4 /dev/sda1 rw\n", folder) > 0);
	assert_int_equal(find(text, "/va", &point), -ENOENT);
	assert_null(point);
}

static void only_the_disk_of_that_file_system_is_opened(void **state)
{
	assert_int_equal(device_open_disk("/proc", 1), -EOPNOTSUPP);
	assert_int_equal(device_open_disk("/nonexistent", 1), -ENOENT);
	if (ours.id)
		assert_int_equal(device_open_disk(folder, ours.id + 1), -ESTALE);
}

static void a_disk_that_is_opened_has_the_number(void **state)
{
	_cleanup_close_ int fd = ours.id ? device_open_disk(folder, ours.id) : -1;
	struct stat st;

	need_id();
	if (fd < 0) {
		print_message("this user cannot open the disk of /var/tmp\n");
		skip();
	}
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(S_ISBLK(st.st_mode));
	assert_int_equal(st.st_rdev, ours.number);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_systems_without_a_disk_have_no_id),
		cmocka_unit_test(a_file_system_is_found_where_it_is_mounted),
		cmocka_unit_test(half_a_name_is_no_root),
		cmocka_unit_test(only_the_disk_of_that_file_system_is_opened),
		cmocka_unit_test(a_disk_that_is_opened_has_the_number),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
