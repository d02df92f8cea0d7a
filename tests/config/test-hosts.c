/* SPDX-License-Identifier: MIT */
/* Unit tests of config/hosts: the rule that a program gets from hosts.d, and every mistake in a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hosts.h"

static char rule[ASKED_RULE_MAX];
static char said[256];
static unsigned said_line;

static void remember(void *context, const char *file, unsigned line, const char *what)
{
	said_line = line;
	snprintf(said, sizeof(said), "%s", what);
}

/* Parses a text for a program. Returns the number of mistakes; `rule` is its rule, or "". */
static unsigned parse(const char *text, const char *program)
{
	char *copy = strdup(text);
	bool host = false;
	unsigned problems;

	rule[0] = said[0] = '\0';
	said_line = 0;
	problems = hosts_parse("test", copy, strlen(copy), program, rule, &host, remember, NULL);
	free(copy);
	if (!host)
		rule[0] = '\0';
	return problems;
}

static void a_section_becomes_a_rule(void **state)
{
	static const char text[] =
		"# a comment\n[python3 python3.*]\noperand = file\n-c = text\n --x =  skip \n"
		"joined = yes\nassignments = no\n\n[git]\noperand=word\nnear = .git\n";

	assert_int_equal(parse(text, "/usr/bin/python3.11"), 0);
	assert_string_equal(rule, "operand=file -c=text --x=skip joined");
	assert_int_equal(parse(text, "/usr/bin/git"), 0);
	assert_string_equal(rule, "operand=word near=.git");
	assert_int_equal(parse(text, "/usr/bin/python"), 0);
	assert_string_equal(rule, "");
}

static void a_glob_with_a_slash_matches_the_whole_path(void **state)
{
	static const char text[] = "[/opt/*/bin/x]\noperand = file\n";

	assert_int_equal(parse(text, "/opt/a/bin/x"), 0);
	assert_string_equal(rule, "operand=file");
	assert_int_equal(parse(text, "/opt/a/b/bin/x"), 0);
	assert_string_equal(rule, "");
}

static void the_last_section_counts(void **state)
{
	static const char text[] = "[x]\noperand = file\n[*]\noperand = word\n[x]\nhost = no\n";

	assert_int_equal(parse(text, "/bin/x"), 0);
	assert_string_equal(rule, "");
	assert_int_equal(parse(text, "/bin/y"), 0);
	assert_string_equal(rule, "operand=word");
}

/* The mistake is reported at its line, and the section that it is in does not count. */
static void mistake(const char *text, unsigned line, const char *what)
{
	assert_int_equal(parse(text, "/bin/x"), 1);
	assert_int_equal(said_line, line);
	if (!strstr(said, what))
		fail_msg("'%s' instead of '%s'", said, what);
	assert_string_equal(rule, "");
}

static void every_mistake_is_reported(void **state)
{
	mistake("[x]\noperand = script\n", 2, "unknown operand 'script'");
	mistake("[x]\noperand = file\n-c = code\n", 3, "unknown role 'code'");
	mistake("[x]\noperand = file\n-c = text joined\n", 3, "a blank too many");
	mistake("[x]\noperand = file\n-c -d = text\n", 3, "a blank too many");
	mistake("[x]\noperand = file\njoined = maybe\n", 3, "neither 'yes' nor 'no'");
	mistake("[x]\noperand = file\nunknown = yes\n", 3, "unknown key 'unknown'");
	mistake("[x]\noperand = file\nnear =\n", 3, "has no value");
	mistake("[x]\noperand file\n", 2, "is not 'key = value'");
	mistake("[x\noperand = file\n", 1, "no ']'");
	mistake("[]\noperand = file\n", 1, "names no program");
	mistake("operand = file\n", 1, "before any [section]");
	mistake("[x]\n\n", 2, "says nothing");
}

static void a_rule_that_would_not_fit_is_refused(void **state)
{
	char text[4096] = "[x]\noperand = file\n";

	for (int i = 0; i < 80; i++)
		sprintf(text + strlen(text), "--option-%d = skip\n", i);
	assert_true(parse(text, "/bin/x") > 0);
	assert_string_equal(rule, "");
	assert_non_null(strstr(said, "too long"));
}

static void a_mistake_leaves_other_sections_alone(void **state)
{
	assert_int_equal(parse("[y]\noperand = nothing\n[x]\noperand = word\n", "/bin/x"), 1);
	assert_string_equal(rule, "operand=word");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_section_becomes_a_rule),
		cmocka_unit_test(a_glob_with_a_slash_matches_the_whole_path),
		cmocka_unit_test(the_last_section_counts),
		cmocka_unit_test(every_mistake_is_reported),
		cmocka_unit_test(a_rule_that_would_not_fit_is_refused),
		cmocka_unit_test(a_mistake_leaves_other_sections_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
