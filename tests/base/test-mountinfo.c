/* SPDX-License-Identifier: MIT */
/* Unit tests of parsing lines of mountinfo. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/paths/mountinfo.h"

static void every_field_of_a_line_is_told(void **state)
{
	char text[] =
		"36 35 98:12 /mnt1 /mnt2 rw,noatime master:1 propagate_from:2 - ext3 /dev/root "
		"rw,errors=continue\n";
	char *rest = text;
	struct mountinfo mount;

	assert_int_equal(mountinfo_next(&rest, &mount), 1);
	assert_int_equal(mount.id, 36);
	assert_int_equal(mount.device_major, 98);
	assert_int_equal(mount.device_minor, 12);
	assert_string_equal(mount.root, "/mnt1");
	assert_string_equal(mount.point, "/mnt2");
	assert_string_equal(mount.type, "ext3");
	assert_string_equal(mount.source, "/dev/root");
	assert_string_equal(mount.options, "rw,errors=continue");
	assert_int_equal(mountinfo_next(&rest, &mount), 0);
	assert_int_equal(mountinfo_next(&rest, &mount), 0);
}

static void escapes_are_undone_but_in_the_options(void **state)
{
	char text[] = "40 22 0:44 /r\\040 /a\\040b\\134c\\0z rw - ext4 /dev/x\\011y rw,lowerdir=/a\\040b";
	char *rest = text;
	struct mountinfo mount;

	assert_int_equal(mountinfo_next(&rest, &mount), 1);
	assert_string_equal(mount.root, "/r ");
	assert_string_equal(mount.point, "/a b\\c\\0z");
	assert_string_equal(mount.source, "/dev/x\ty");
	assert_string_equal(mount.options, "rw,lowerdir=/a\\040b");
}

static void what_automounters_mount_is_told(void **state)
{
	char text[] =
		"22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		"30 22 0:40 / /net rw - autofs systemd-1 rw\n"
		"no mount\n"
		"31 22 0:41 / /boot\\040x rw - autofs systemd-1 rw\n"
		"32 31 8:2 / /boot\\040x rw - vfat /dev/sda2 rw\n";
	char none[] = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n", *points;

	assert_int_equal(mountinfo_points_of(text, mountinfo_is_automount, &points), 0);
	assert_true(mountinfo_is_below(points, "/net"));
	assert_true(mountinfo_is_below(points, "/net/a/b"));
	assert_true(mountinfo_is_below(points, "/boot x/vmlinuz"));
	assert_false(mountinfo_is_below(points, "/network"));
	assert_false(mountinfo_is_below(points, "/boot"));
	assert_false(mountinfo_is_below(points, "/"));
	free(points);
	assert_int_equal(mountinfo_points_of(none, mountinfo_is_automount, &points), 0);
	assert_false(mountinfo_is_below(points, "/"));
	free(points);
}

/* An empty source is possible: mount -t tmpfs '' /a. */
static void a_source_may_be_empty(void **state)
{
	char text[] = "40 22 0:44 / /a rw - tmpfs  rw\n";
	char *rest = text;
	struct mountinfo mount;

	assert_int_equal(mountinfo_next(&rest, &mount), 1);
	assert_string_equal(mount.source, "");
	assert_string_equal(mount.options, "rw");
}

static void damaged_lines_are_told_and_the_next_one_follows(void **state)
{
	static const char *const damaged[] = {"34 22", "not a line", "22 1 8:2 / /",
		"22 1 8:2 / / rw - ext4 x", "22 1 8 / / rw - ext4 x rw", "22 1 8:2"};
	struct mountinfo mount;

	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		char text[256] = "", *rest = text;

		strcat(strcat(text, damaged[i]), "\n\n23 1 8:2 / /x rw - ext4 /dev/a rw\n");
		assert_int_equal(mountinfo_next(&rest, &mount), -EINVAL);
		assert_int_equal(mountinfo_next(&rest, &mount), 1);
		assert_int_equal(mount.id, 23);
		assert_int_equal(mountinfo_next(&rest, &mount), 0);
	}
}

/* By FUSE. A server of root's is root's choice. */
static void what_a_users_process_serves_is_told(void **state)
{
	char text[] =
		"40 22 0:44 / /a rw - fuse.sshfs host: rw,nosuid,user_id=1000,group_id=1000,allow_other\n"
		"41 22 0:45 / /b rw - fuseblk /dev/x rw,user_id=0,group_id=0\n"
		"42 22 0:46 / /c rw - ext4 /dev/y rw,user_id=1000\n"
		"43 22 0:47 / /d rw - fuse user_id=7 user_id=4294967294\n";
	const uid_t users[] = {1000, 0, 0, 4294967294};
	char *rest = text;
	struct mountinfo mount;

	for (size_t i = 0; i < 4; i++) {
		uid_t user = 0;

		assert_int_equal(mountinfo_next(&rest, &mount), 1);
		assert_int_equal(mountinfo_serves_user(&mount, &user), users[i] != 0);
		assert_int_equal(user, users[i]);
	}
}

static void a_mount_that_is_gone_may_be_anybodys(void **state)
{
	bool automount = true;
	uid_t user = 0;

	assert_true(mountinfo_of_user(UINT64_MAX, &user, &automount));
	assert_false(automount);
	assert_int_equal(user, (uid_t)-1);
}

static uint64_t mount_of(const char *path)
{
	struct statx status;

	return statx(AT_FDCWD, path, 0, STATX_MNT_ID, &status) == 0 && status.stx_mask & STATX_MNT_ID
		? status.stx_mnt_id
		: 0;
}

static void what_the_kernel_makes_up_is_on_no_disk(void **state)
{
	assert_false(mountinfo_on_disk(UINT64_MAX));
	assert_false(mountinfo_on_disk(mount_of("/proc")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_a_line_is_told),
		cmocka_unit_test(escapes_are_undone_but_in_the_options),
		cmocka_unit_test(a_source_may_be_empty),
		cmocka_unit_test(what_automounters_mount_is_told),
		cmocka_unit_test(damaged_lines_are_told_and_the_next_one_follows),
		cmocka_unit_test(what_a_users_process_serves_is_told),
		cmocka_unit_test(a_mount_that_is_gone_may_be_anybodys),
		cmocka_unit_test(what_the_kernel_makes_up_is_on_no_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
