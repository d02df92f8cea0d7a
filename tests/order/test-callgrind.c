/* SPDX-License-Identifier: MIT */
/* Unit tests of reading what callgrind writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "order/callgrind.h"
#include "order/image.h"

int __real_order_name_compare(const struct order_function *a, const struct order_function *b);
int __wrap_order_name_compare(const struct order_function *a, const struct order_function *b);
int __wrap_order_image_read(
	int fd, const char *debug_folder, struct order_image *ret, const char **ret_problem);

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

enum { MANY = 1000 };

static size_t comparisons;

int __wrap_order_name_compare(const struct order_function *a, const struct order_function *b)
{
	comparisons++;
	return __real_order_name_compare(a, b);
}

/* Of any file: many functions of the same name, two at each address, and "main". */
int __wrap_order_image_read(
	int fd, const char *debug_folder, struct order_image *ret, const char **ret_problem)
{
	*ret = (struct order_image){.functions = calloc(MANY + 1, sizeof(*ret->functions)),
		.n_functions = MANY + 1,
		.by_name = calloc(MANY + 1, sizeof(*ret->by_name))};
	if (!ret->functions || !ret->by_name)
		return -ENOMEM;
	for (size_t i = 0; i <= MANY; i++) {
		ret->functions[i] = (struct order_function){.name = i == 0 ? "main" : "often",
			.name_length = i == 0 ? 4 : 5,
			.address = 0x1000 + (i + 1) / 2 * 16};
		ret->by_name[i] = &ret->functions[i];
	}
	return 0;
}

static struct callgrind_summary find(
	const char *calls, size_t n, struct profile_functions *functions, const char **ret_program)
{
	_cleanup_(callgrind_releasep) struct callgrind callgrind = {0};
	struct callgrind_summary summary;
	char *text = NULL;
	size_t line, size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to, HEAD "ob=(1) /proc/self/exe\n%s", calls);
	for (size_t i = 0; i < n; i++)
		fprintf(to, "fn=(%zu) often'%zu\n1 1\n", i + 100, i);
	assert_int_equal(fclose(to), 0);
	assert_int_equal(callgrind_parse(text, &callgrind, &line), 0);
	assert_int_equal(callgrind_functions(&callgrind, NULL, functions, ret_program, &summary), 0);
	return summary;
}

static void names_are_found_in_symbols(void **state)
{
	struct profile_functions *functions = calloc(1, sizeof(*functions));
	const char *program;
	struct callgrind_summary summary;

	assert_non_null(functions);
	summary =
		find("fn=(1) often\n1 1\nfn=(2) main\n1 1\nfn=(3) main\n1 1\nfn=(4) another\n1 1\n"
		     "fn=(5) long name\n1 1\n",
			0, functions, &program);
	assert_int_equal(summary.unknown, 2);
	assert_non_null(program);
	assert_int_equal(functions->n_calls, MANY / 2 + 1);
	assert_int_equal(functions->objects[0].calls[0].address, 0x1000);
	assert_int_equal(functions->objects[0].calls[0].order, MANY / 2);
	assert_int_equal(functions->objects[0].calls[1].address, 0x1010);
	assert_int_equal(functions->objects[0].calls[1].order, 0);
	profile_functions_free(functions);
}

/* A symbol table may have a name very often, and so may what callgrind writes. */
static void functions_of_a_name_are_gone_through_once(void **state)
{
	struct profile_functions *functions = calloc(1, sizeof(*functions));
	const char *program;

	assert_non_null(functions);
	comparisons = 0;
	assert_int_equal(find("", MANY, functions, &program).unknown, 0);
	assert_in_range(comparisons, MANY, 20 * MANY);
	assert_int_equal(functions->n_calls, MANY / 2);
	profile_functions_free(functions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_come_by_number),
		cmocka_unit_test(functions_without_numbers_keep_their_order),
		cmocka_unit_test(what_callgrind_does_not_write_is_refused),
		cmocka_unit_test(every_truncation_is_survived),
		cmocka_unit_test(names_are_found_in_symbols),
		cmocka_unit_test(functions_of_a_name_are_gone_through_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
