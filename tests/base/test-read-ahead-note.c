/* SPDX-License-Identifier: MIT */
/* Unit tests of the note of what a recording has switched off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "base/texts/read-ahead-note.h"

static void every_line_is_told(void **state)
{
	char text[] = "254:0 8192\n\nbtrfs-1 0";
	char *rest = text;
	struct read_ahead device;

	assert_int_equal(read_ahead_note_next(&rest, &device), 1);
	assert_string_equal(device.bdi, "254:0");
	assert_int_equal(device.kib, 8192);
	assert_int_equal(read_ahead_note_next(&rest, &device), 1);
	assert_string_equal(device.bdi, "btrfs-1");
	assert_int_equal(device.kib, 0);
	assert_int_equal(read_ahead_note_next(&rest, &device), 0);
	assert_int_equal(read_ahead_note_next(&rest, &device), 0);
}

static void a_line_that_is_none_of_ours_is_passed_over(void **state)
{
	char text[] =
		"7:0\n7:0 -1\n7:0 1 2\n../../x 128\n. 128\n7:0 12345678901\n"
		"an-absurdly-long-name-of-a-backing-device-that-no-kernel-would-make-up-at-all 128\n8:0 64\n";
	char *rest = text;
	struct read_ahead device = {.bdi = "untouched"};

	for (int i = 0; i < 7; i++) {
		assert_int_equal(read_ahead_note_next(&rest, &device), -EINVAL);
		assert_string_equal(device.bdi, "untouched");
	}
	assert_int_equal(read_ahead_note_next(&rest, &device), 1);
	assert_string_equal(device.bdi, "8:0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_line_is_told),
		cmocka_unit_test(a_line_that_is_none_of_ours_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
