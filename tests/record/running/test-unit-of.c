/* SPDX-License-Identifier: MIT */
/* Which unit of systemd a control group belongs to, by its path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "record/running/everybody.h"

static void units_of_paths(void **state)
{
	static const struct {
		const char *path, *unit;
	} list[] = {
		{"/init.scope", "init.scope"},
		{"/system.slice/ssh.service", "ssh.service"},
		{"/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/other.service",
			"user@1000.service"},
		{"/user.slice/user-1000.slice/session-3.scope", "session-3.scope"},
		{"/system.slice/_cpu.service", "cpu.service"},
		{"/system.slice/boot-efi.mount", "boot-efi.mount"},
		{"/../../system.slice/a.service", "a.service"},
		{"/system.slice/<b>&\"'\n.service/x", "<b>&\"'\n.service"},
		{"/", NULL},
		{"", NULL},
		{"/system.slice", NULL},
		{"/docker/0123", NULL},
		{"/.service", NULL},
		{"//", NULL},
	};
	char unit[UNIT_NAME_MAX];

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		assert_int_equal(everybody_unit_of(list[i].path, unit), list[i].unit != NULL);
		if (list[i].unit)
			assert_string_equal(unit, list[i].unit);
	}
}

static void a_name_that_is_too_long_is_none(void **state)
{
	char path[1000] = "/", unit[UNIT_NAME_MAX];

	memset(path + 1, 'a', 300);
	strcpy(path + 301, ".service/b.service");
	assert_true(everybody_unit_of(path, unit));
	assert_string_equal(unit, "b.service");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_of_paths),
		cmocka_unit_test(a_name_that_is_too_long_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
