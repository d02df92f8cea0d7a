/* SPDX-License-Identifier: MIT */
/* Commands in .desktop files: quoting, env, groups, line ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "setup/desktop.h"

static void expect_command(const char *exec, const char *wanted)
{
	char text[512], *command = NULL;

	strcpy(text, "[Desktop Entry]\n");
	strcat(text, exec);
	if (!wanted) {
		assert_true(desktop_command(text, &command) < 0);
		return;
	}
	assert_int_equal(desktop_command(text, &command), 0);
	assert_string_equal(command, wanted);
	free(command);
}

static void test_command(void **state)
{
	expect_command("Exec=firefox %u\n", "firefox");
	expect_command("Exec = firefox\n", "firefox");
	expect_command("Exec=\"/opt/my app/run\" -x", "/opt/my app/run");
	expect_command("Exec=\"/opt/a\\\\\"b\"", "/opt/a\"b");
	expect_command("Exec=\"/opt/a\\\\\\\\b\"", "/opt/a\\b");
	expect_command("Exec=\"/opt/100%% a\"", "/opt/100% a");
	expect_command("Exec=env A=b C= -u X /usr/bin/env\r\n", "/usr/bin/env");
	expect_command("Exec=env -i A=b prog", "prog");
	expect_command("Exec=\r\n", NULL);
	expect_command("Exec=", NULL);
	expect_command("Exec=env A=b", NULL);
	expect_command("Exec", NULL);
	expect_command("Executor=x\n", NULL);
	expect_command("", NULL);
	expect_command("[Other]\nExec=x\n", NULL);
}

static const char *replace(void *context, const char *command)
{
	return strcmp(command, "old") == 0 ? context : NULL;
}

static void expect_rewrite(const char *text, const char *with, int count, const char *wanted)
{
	char *result = NULL;

	assert_int_equal(desktop_rewrite(text, replace, (void *)with, &result), count);
	assert_string_equal(result, wanted);
	free(result);
}

static void test_rewrite(void **state)
{
	expect_rewrite("[Desktop Entry]\nExec=old %u\nName=old\n", "/new", 1,
		"[Desktop Entry]\nExec=/new %u\nName=old\n");
	expect_rewrite("[Desktop Entry]\r\nExec=old\r\n", "/new", 1, "[Desktop Entry]\r\nExec=/new\r\n");
	expect_rewrite("[Desktop Entry]\nExec=env X=1 \"old\" -a", "/new", 1,
		"[Desktop Entry]\nExec=env X=1 /new -a");
	expect_rewrite("[Desktop Action a]\nExec=old\n[X]\nExec=old\n", "/new", 1,
		"[Desktop Action a]\nExec=/new\n[X]\nExec=old\n");
	expect_rewrite("[Desktop Entry]\nExec=other\n", "/new", 0, "[Desktop Entry]\nExec=other\n");
	expect_rewrite("Exec=old\n", "/new", 0, "Exec=old\n");
	expect_rewrite("[Desktop Entry]\nExec=old\n", "/a b/$%\\\"", 1,
		"[Desktop Entry]\nExec=\"/a b/\\\\$%%\\\\\\\\\\\\\"\"\n");
}

/* What is written can be read back. */
static void test_round_trip(void **state)
{
	static const char path[] = "/home/u v/.local/b\"in/$x`y\\z";
	char *text = NULL, *command = NULL;

	assert_int_equal(desktop_rewrite("[Desktop Entry]\nExec=old %f\n", replace, (void *)path, &text), 1);
	assert_int_equal(desktop_command(text, &command), 0);
	assert_string_equal(command, path);
	free(command);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_rewrite),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
