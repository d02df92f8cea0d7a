/* SPDX-License-Identifier: MIT */
/* Unit tests of whose starts are traced after tracers have hung. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <string.h>

#include "headstartd/tracing.h"

/* A tracer of a start of that user hangs. Returns whether others may be traced. */
static bool hang(struct tracing *tracing, uid_t user)
{
	tracing->user = user;
	tracing->told = open("/dev/null", O_RDONLY | O_CLOEXEC);
	tracing->program = strdup("/usr/bin/program");
	assert_true(tracing->told >= 0 && tracing->program);
	return tracing_give_up(tracing);
}

static void a_user_whose_start_hangs_is_traced_no_more(void **state)
{
	struct tracing tracing = {0};

	assert_true(tracing_allows(&tracing, 1000));
	assert_true(hang(&tracing, 1000));
	assert_false(tracing_allows(&tracing, 1000));
	assert_true(tracing_allows(&tracing, 1001));
	assert_true(tracing_allows(&tracing, 0));
	assert_true(late_allows(&tracing.late, 1000)); /* their own files are another matter */
}

static void root_is_traced_as_long_as_anybody(void **state)
{
	struct tracing tracing = {0};

	assert_true(hang(&tracing, 0));
	assert_true(hang(&tracing, 0));
	assert_true(hang(&tracing, 1000));
	assert_true(tracing_allows(&tracing, 0));
	assert_true(tracing_allows(&tracing, 1001));
	assert_false(hang(&tracing, 1001)); /* too many: the caller traces nobody after this one */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_user_whose_start_hangs_is_traced_no_more),
		cmocka_unit_test(root_is_traced_as_long_as_anybody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
