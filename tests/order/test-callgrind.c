/* SPDX-License-Identifier: MIT */
/* Unit tests of reading what callgrind writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "order/callgrind.h"

#define HEAD "# callgrind format\ncmd:  ./app -x\nevents: Ir\n"

static void assert_function(
	const struct callgrind *callgrind, size_t i, uint64_t number, const char *name, const char *object)
{
	assert_true(i < callgrind->n_functions);
	assert_int_equal(callgrind->functions[i].number, number);
	assert_string_equal(callgrind->functions[i].name, name);
	assert_string_equal(callgrind->functions[i].object, object);
}

/* A function is named once, and its object may be another than that of its caller. */
static void functions_come_by_number(void **state)
{
	_cleanup_(callgrind_releasep) struct callgrind callgrind = {0};
	char *text = strdup(HEAD
		"ob=(2) /bin/app\nfl=(1) app.c\nfn=(9) main\n7 4\ncob=(5) /lib/two.so\n"
		"cfn=(12) two\ncalls=1 -2\n* 19\ncfn=(10) one\ncalls=1 3\n+2 1\n\n"
		"fn=(10)\n3 4\nob=(5)\nfn=(12)\n1 1\ncfn=(11) (below main)\ntotals: 5\n");
	size_t line;

	assert_int_equal(callgrind_parse(text, &callgrind, &line), 0);
	assert_string_equal(callgrind.command, "./app -x");
	assert_int_equal(callgrind.n_functions, 4);
	assert_function(&callgrind, 0, 9, "main", "/bin/app");
	assert_function(&callgrind, 1, 10, "one", "/bin/app");
	assert_function(&callgrind, 2, 11, "(below main)", "/lib/two.so");
	assert_function(&callgrind, 3, 12, "two", "/lib/two.so");
}

/* With --compress-strings=no there are no numbers: the order is that of the file. */
static void functions_without_numbers_keep_their_order(void **state)
{
	_cleanup_(callgrind_releasep) struct callgrind callgrind = {0};
	size_t line;

	assert_int_equal(
		callgrind_parse(strdup(HEAD "ob=/bin/app\nfn=main\n1 1\nfn=another\n"), &callgrind, &line),
		0);
	assert_int_equal(callgrind.n_functions, 2);
	assert_function(&callgrind, 0, 0, "main", "/bin/app");
	assert_function(&callgrind, 1, 1, "another", "/bin/app");
}

static void what_callgrind_does_not_write_is_refused(void **state)
{
	static const struct {
		const char *text;
		size_t line;
	} bad[] = {
		{"", 1},
		{"nonsense\n", 1},
		{"# callgrind format\n", 2},
		{"# callgrind format\nfn=(1) before\n", 2},
		{HEAD "fn=(1 main\n", 4},
		{HEAD "fn=(99999999999999999999) main\n", 4},
		{HEAD "ob=(7\n", 4},
		{HEAD "cob=(x) y\ncfn=(3\n", 5},
		{HEAD "unknown=(1) main\n", 4},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		_cleanup_(callgrind_releasep) struct callgrind callgrind = {0};
		size_t line = 0;

		assert_int_equal(callgrind_parse(strdup(bad[i].text), &callgrind, &line), -EBADMSG);
		assert_int_equal(line, bad[i].line);
	}
}

/* No end of the text makes the reader go beyond it. */
static void every_truncation_is_survived(void **state)
{
	const char *text =
		HEAD "ob=(2) /bin/app\nfn=(9) main\n7 4\ncob=(5) /lib/two.so\ncfn=(12) two\ncalls=1 -2\n";

	for (size_t size = 0; size < strlen(text); size++) {
		_cleanup_(callgrind_releasep) struct callgrind callgrind = {0};
		size_t line;
		int r = callgrind_parse(strndup(text, size), &callgrind, &line);

		assert_true(r == 0 || r == -EBADMSG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_come_by_number),
		cmocka_unit_test(functions_without_numbers_keep_their_order),
		cmocka_unit_test(what_callgrind_does_not_write_is_refused),
		cmocka_unit_test(every_truncation_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
