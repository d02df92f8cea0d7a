/* SPDX-License-Identifier: MIT */
/* Unit tests of the table of options. Messages are for people; what counts here is where values go, and the exit status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <getopt.h>

#include "lib/options/options.h"
#include "verb.h"

struct values {
	bool loud, alone;
	const char *output;
	const char *taken;
	int (*parse)(int argc, char **argv, const char *help, const struct option_row *rows);
};

static int take(const char *verb, const char *value, void *to)
{
	assert_string_equal(verb, "verb");
	if (value && value[0] == '!')
		return 77;
	*(const char **)to = value ? value : "none";
	return 0;
}

/* Parses up to five words after the verb. */
static int parse(
	struct values *values, const char *a, const char *b, const char *c, const char *d, const char *e)
{
	char *argv[] = {(char *)"verb", (char *)a, (char *)b, (char *)c, (char *)d, (char *)e, NULL};
	const struct option_row rows[] = {
		{"loud", 'l', .flag = &values->loud},
		{"alone", .flag = &values->alone},
		{"output", 'o', .text = &values->output},
		{"taken", .take = take, .to = &values->taken},
		{"maybe", .take = take, .to = &values->taken, .optional = true},
		{0},
	};
	int argc = 0;

	while (argv[argc])
		argc++;
	optind = 0;
	return values->parse(argc, argv, "help\n", rows);
}

static void values_go_where_the_table_says(void **state)
{
	struct values values = {.parse = options_parse};

	assert_int_equal(parse(&values, "-lo", "x", "--taken=y", "operand", NULL), -1);
	assert_true(values.loud);
	assert_false(values.alone);
	assert_string_equal(values.output, "x");
	assert_string_equal(values.taken, "y");
	assert_int_equal(optind, 4);
	assert_int_equal(parse(&values, "--output", "z", "--alone", NULL, NULL), -1);
	assert_true(values.alone);
	assert_string_equal(values.output, "z");
}

static void a_value_may_be_left_out_where_the_table_says_so(void **state)
{
	struct values values = {.parse = options_parse};

	assert_int_equal(parse(&values, "--maybe", "operand", NULL, NULL, NULL), -1);
	assert_string_equal(values.taken, "none");
	assert_int_equal(optind, 2);
	assert_int_equal(parse(&values, "--maybe=x", NULL, NULL, NULL, NULL), -1);
	assert_string_equal(values.taken, "x");
}

static void options_may_come_after_operands(void **state)
{
	struct values values = {.parse = options_parse};

	assert_int_equal(parse(&values, "operand", "--loud", NULL, NULL, NULL), -1);
	assert_true(values.loud);
	assert_int_equal(optind, 2);
}

static void a_command_has_options_of_its_own(void **state)
{
	struct values values = {.parse = options_parse_before_command};

	assert_int_equal(parse(&values, "-o", "x", "command", "--loud", "--no-such"), -1);
	assert_false(values.loud);
	assert_int_equal(optind, 3);
	assert_int_equal(parse(&values, "--", "--loud", NULL, NULL, NULL), -1);
	assert_false(values.loud);
}

static void wrong_options_are_refused(void **state)
{
	struct values values = {.parse = options_parse};

	assert_int_equal(parse(&values, "--no-such", NULL, NULL, NULL, NULL), VERB_USAGE);
	assert_int_equal(parse(&values, "-x", NULL, NULL, NULL, NULL), VERB_USAGE);
	assert_int_equal(parse(&values, "-o", NULL, NULL, NULL, NULL), VERB_USAGE);
	assert_int_equal(parse(&values, "--loud=x", NULL, NULL, NULL, NULL), VERB_USAGE);
	assert_null(values.output);
}

static void a_value_that_is_refused_ends_it(void **state)
{
	struct values values = {.parse = options_parse};

	assert_int_equal(parse(&values, "--taken", "!", "--loud", NULL, NULL), 77);
	assert_false(values.loud);
}

static void help_ends_it(void **state)
{
	struct values values = {.parse = options_parse};

	assert_int_equal(parse(&values, "-h", "--loud", NULL, NULL, NULL), 0);
	assert_int_equal(parse(&values, "--help", NULL, NULL, NULL, NULL), 0);
	assert_false(values.loud);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_go_where_the_table_says),
		cmocka_unit_test(a_value_may_be_left_out_where_the_table_says_so),
		cmocka_unit_test(options_may_come_after_operands),
		cmocka_unit_test(a_command_has_options_of_its_own),
		cmocka_unit_test(wrong_options_are_refused),
		cmocka_unit_test(a_value_that_is_refused_ends_it),
		cmocka_unit_test(help_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
