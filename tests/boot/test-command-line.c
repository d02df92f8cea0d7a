/* SPDX-License-Identifier: MIT */
/* Unit tests of what the kernel's command line says of headstart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

#include "boot/command-line.h"

static void values(void **state)
{
	static const struct {
		const char *text;
		enum boot_mode mode;
	} cases[] = {
		{"", BOOT_USUAL},
		{"\n", BOOT_USUAL},
		{"BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet\n", BOOT_USUAL},
		{"headstart=off", BOOT_OFF},
		{"root=/dev/sda1 headstart=off quiet\n", BOOT_OFF},
		{"\t headstart=record\n", BOOT_RECORD},
		/* the last one counts */
		{"headstart=off headstart=record", BOOT_RECORD},
		{"headstart=record headstart=off", BOOT_OFF},
		{"headstart=off headstart=on", BOOT_USUAL},
		{"headstart=\"off\" quiet", BOOT_OFF},
		{"quiet headstart=\"record\"", BOOT_RECORD},
		{"headstart=\"off", BOOT_OFF},
		{"headstart=\"", BOOT_USUAL},
		{"headstart=\"off now\"", BOOT_USUAL},
		/* words of others */
		{"headstart=offline", BOOT_USUAL},
		{"headstart=", BOOT_USUAL},
		{"headstart", BOOT_USUAL},
		{"noheadstart=off", BOOT_USUAL},
		{"x.headstart=off", BOOT_USUAL},
		/* within quotes, and for init */
		{"dyndbg=\"file a.c headstart=off +p\" quiet", BOOT_USUAL},
		{"a=\"b c\" headstart=off", BOOT_OFF},
		{"a=\"b headstart=off", BOOT_USUAL},
		{"quiet -- headstart=off", BOOT_USUAL},
		{"headstart=record -- headstart=off", BOOT_RECORD},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (boot_mode_of(cases[i].text) != cases[i].mode)
			print_error("'%s' is read wrongly\n", cases[i].text);
		assert_int_equal(boot_mode_of(cases[i].text), cases[i].mode);
	}
}

static void repairs(void **state)
{
	static const char *const yes[] = {"single", "ro quiet s\n", "S", "1", "rescue", "emergency", "-b",
		"root=/dev/sda1 -- single", "systemd.unit=rescue.target",
		"systemd.unit=multi-user.target systemd.unit=emergency.target"};
	static const char *const no[] = {"", "root=/dev/sda1 ro quiet\n", "singled",
		"systemd.unit=multi-user.target", "systemd.unit=rescue.target systemd.unit=graphical.target",
		"a=\"b single c\"", "init=single", "rd.emergency=halt"};

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		assert_true(boot_repairs(yes[i]));
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		assert_false(boot_repairs(no[i]));
	assert_false(boot_repairs_read("/nonexistent"));
}

static void a_file(void **state)
{
	char path[] = "/tmp/headstart-test-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "quiet headstart=off\n", 20), 20);
	close(fd);
	assert_int_equal(boot_mode_read(path), BOOT_OFF);
	unlink(path);
	assert_int_equal(boot_mode_read(path), BOOT_USUAL);
	assert_null(boot_value_read(path, "headstart"));
}

static void a_value(void **state)
{
	static const char text[] =
		"root=/dev/sda1 headstart_init=/bin/one headstart_init=\"/bin/two\" headstart_initx=3 -- headstart_init=/bin/four\n";
	char path[] = "/tmp/headstart-test-XXXXXX", *value;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	value = boot_value_read(path, "headstart_init");
	assert_string_equal(value, "/bin/two");
	free(value);
	assert_null(boot_value_read(path, "headstart"));
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(repairs),
		cmocka_unit_test(a_file),
		cmocka_unit_test(a_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
