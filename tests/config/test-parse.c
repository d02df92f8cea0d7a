/* SPDX-License-Identifier: MIT */
/* Settings: which are accepted, which problems are reported, and what they say of programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/parse.h"

static char told[1024]; /* "LINE: what\n" for each problem */

static void tell(void *context, const char *file, unsigned line, const char *what)
{
	size_t n = strlen(told);

	snprintf(told + n, sizeof(told) - n, "%u: %s\n", line, what);
}

static void parse_bytes(struct config *config, const char *bytes, size_t size)
{
	char *text = malloc(size + 1);

	memcpy(text, bytes, size);
	text[size] = '\0';
	told[0] = '\0';
	config->files[config->n_files++] = strdup("file");
	config_parse(config, text, size, tell, NULL);
	free(text);
}

static void parse(struct config *config, const char *text)
{
	parse_bytes(config, text, strlen(text));
}

static void test_values(void **state)
{
	struct config config = {0};

	parse(&config,
		"# a comment\r\n; another\n\n[ budget ]\nmemory = 512M\n time=20 \n"
		"[programs]\nallow=/usr/bin/*\ndeny = gdb\n"
		"[devices]\n/dev/sda = rotational\n/srv/media// = solid");
	assert_string_equal(told, "");
	assert_int_equal(config.memory, 512u << 20);
	assert_int_equal(config.time_ms, 20000);
	assert_int_equal(config.n_programs, 2);
	assert_string_equal(config.programs[1].glob, "gdb");
	assert_int_equal(config.programs[1].line, 9);
	assert_int_equal(config.n_devices, 2);
	assert_string_equal(config.devices[1].path, "/srv/media");
	assert_int_equal(config.devices[0].class, DEVICE_ROTATIONAL);
	assert_int_equal(config.devices[1].class, DEVICE_SOLID);
	config_release(&config);
}

/* All problems are told, each with its line, and what is right counts. */
static void test_problems(void **state)
{
	struct config config = {0};

	parse(&config,
		"memory = 1\n[budget]\nmemory = 0\nmemory = 1X\nmemory = 1K\nmemory = 2K\ntime = "
		"3601\nspeed = 3\n"
		"[nonsense]\nx = y\n[budget\n[programs]\nallow\nallow =\n= x\nallow = a/b\n"
		"[devices]\nsda = solid\n/dev/sda = fast\n[budget]\nmemory = "
		"99999999999999999999\nmemory = 18014398509481985K");
	assert_string_equal(told,
		"1: 'memory' stands before any [section]\n"
		"3: '0' is not a number of bytes: use digits, and K, M or G\n"
		"4: '1X' is not a number of bytes: use digits, and K, M or G\n"
		"6: 'memory' is given twice\n"
		"7: '3601' is not a number of seconds from 1 to 3600\n"
		"8: unknown key 'speed' in [budget]: use memory or time\n"
		"9: unknown section [nonsense]: use [programs], [budget], [devices] or [daemon]\n"
		"11: a section has no ']'\n"
		"13: 'allow' is not 'key = value', a [section] or a comment\n"
		"14: 'allow' has no value\n"
		"15: '= x' is not 'key = value', a [section] or a comment\n"
		"16: 'a/b' is neither an absolute path nor a name\n"
		"18: 'sda' in [devices] is neither a device (/dev/…) nor a folder\n"
		"19: unknown class of device 'fast': use rotational, solid or lazy\n"
		"21: 'memory' is given twice\n"
		"22: 'memory' is given twice\n");
	assert_int_equal(config.memory, 1024);
	assert_int_equal(config.n_programs + config.n_devices, 0);
	config_release(&config);
}

/* A pattern that matches nothing would deny nothing, without anybody noticing. */
static void test_comment_behind_pattern(void **state)
{
	struct config config = {0};

	parse(&config, "[programs]\ndeny = gdb # slow\nallow = /opt/a\t; mine\ndeny = a#b;c\ndeny = a b\n");
	assert_string_equal(told,
		"2: 'gdb # slow': a comment needs a line of its own\n"
		"3: '/opt/a?; mine': a comment needs a line of its own\n");
	assert_int_equal(config.n_programs, 2);
	config_release(&config);
}

static void test_hostile(void **state)
{
	static const char nul[] = "[budget]\nmem\0ory = 1\ntime = 1\n";
	struct config config = {0};
	char *text = malloc(20000);

	parse_bytes(&config, nul, sizeof(nul) - 1);
	assert_string_equal(told, "2: the line contains a NUL byte\n");
	assert_int_equal(config.time_ms, 1000);
	config_release(&config);
	memset(text, 'x', 19999);
	text[19999] = '\0';
	memcpy(text, "[programs]\nallow=", 17);
	parse(&config, text);
	assert_string_equal(told, "2: the line is too long\n");
	config_release(&config);
	parse(&config, "[budget]\n\033[31mred\n[\n");
	assert_non_null(strstr(told, "2: a section has no") ? told : strstr(told, "'?[31mred'"));
	assert_null(strchr(told, '\033'));
	config_release(&config);
	free(text);
}

static bool allows(const struct config *config, const char *program)
{
	const struct config_program *why;

	return config_allows(config, program, &why);
}

static void test_programs(void **state)
{
	const struct config_program *why;
	struct config config = {0};

	assert_true(allows(&config, "/usr/bin/gdb"));
	parse(&config, "[programs]\ndeny = gdb\ndeny = /opt/*\n");
	assert_false(allows(&config, "/usr/bin/gdb"));
	assert_true(allows(&config, "/usr/bin/gdb2"));
	assert_true(allows(&config, "/gdb/x"));
	assert_false(config_allows(&config, "/opt/a/b/c", &why));
	assert_int_equal(why->line, 3);
	/* Each file that allows some must allow this one; no file takes back what another denies. */
	parse(&config, "[programs]\nallow = /usr/*\nallow = /opt/*\n");
	assert_true(allows(&config, "/usr/bin/vi"));
	assert_false(allows(&config, "/opt/vi"));
	assert_false(config_allows(&config, "/bin/vi", &why));
	assert_null(why);
	config_release(&config);
}

static void test_least(void **state)
{
	struct config config = {0};

	parse(&config, "[budget]\nmemory=1M\ntime=5\n");
	parse(&config, "[budget]\nmemory=2M\ntime=3\n");
	assert_int_equal(config.memory, 1u << 20);
	assert_int_equal(config.time_ms, 3000);
	config_release(&config);
}

static void test_daemon(void **state)
{
	struct config config = {0};

	parse(&config, "[daemon]\nwarm = yes\nlearn = yes\n");
	assert_false(config.never_warm);
	assert_false(config.never_learn);
	config_release(&config);
	parse(&config, "[daemon]\nwarm = no\nwarm = maybe\ncool = yes\n");
	assert_string_equal(told,
		"3: 'maybe' is neither yes nor no\n"
		"4: unknown key 'cool' in [daemon]: use learn or warm\n");
	parse(&config, "[daemon]\nwarm = yes\n"); /* another file does not take it back */
	assert_true(config.never_warm);
	assert_false(config.never_learn);
	config_release(&config);
	parse(&config, "[daemon]\nlearn = no\n");
	assert_true(config.never_learn);
	assert_false(config.never_warm);
	config_release(&config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_problems),
		cmocka_unit_test(test_comment_behind_pattern),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_daemon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
