/* SPDX-License-Identifier: MIT */
/* Unit tests of whose starts are traced: after tracers have hung, and if all users want one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/times.h"
#include "hanging.h"
#include "headstartd/learn/tracing.h"
#include "record/restore/kernelfs.h"

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

/* A start of that user was traced for so long. */
static void hold(struct tracing *tracing, uid_t user, uint64_t seconds)
{
	tracing->user = user;
	tracing->began_ms = monotonic_ms() - seconds * 1000;
	tracing->told = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_true(tracing->told >= 0);
	tracing_done(tracing, &(struct lesson){0});
}

static void a_user_whose_starts_are_always_traced_leaves_the_tracer_to_others(void **state)
{
	struct tracing tracing = {.debts = TRACING_DEBTS};
	unsigned n = 0;

	for (; n < 100 && tracing_allows(&tracing, 1000); n++)
		hold(&tracing, 1000, 15);
	assert_in_range(n, 5, 20);
	assert_true(tracing_allows(&tracing, 1001));
	for (unsigned i = 0; i < 100; i++)
		hold(&tracing, 0, 15);
	assert_true(tracing_allows(&tracing, 0));
	assert_true(tracing_allows(&tracing, 1001));
}

static int option(const struct tracing *tracing, const char *instance, const char *name, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), "instances/%s/%s", instance, name);
	return openat(tracing->tracefs, path, flags | O_CLOEXEC);
}

/* The instance of a trace that is over stays as long as a child has it open, with tracing switched off. */
static void a_child_that_lives_on_leaves_the_next_tracer_new(void **state)
{
	struct tracing tracing = {.tracefs = kernelfs_open_tracefs()};
	char on, before[64];
	pid_t child;
	int fd;

	if (tracing.tracefs < 0 && geteuid() == 0) {
		print_message("no mount of its own (valgrind)\n"); /* it does not know fsopen(2) */
		skip();
	}
	if (tracing.tracefs < 0 || tracing_prepare(&tracing, true) < 0) {
		print_message("no tracing here\n");
		skip();
	}
	memcpy(before, tracing.instance, sizeof(before));
	child = start_hanging(); /* of the daemon, for whatever: it has all that the daemon has open */
	fd = option(&tracing, before, "tracing_on", O_WRONLY);
	assert_int_equal(write(fd, "0", 1), 1);
	close(fd);
	assert_int_equal(tracing_prepare(&tracing, false), 0);
	assert_int_equal(tracing_prepare(&tracing, true), 0);
	fd = option(&tracing, tracing.instance, "tracing_on", O_RDONLY);
	assert_int_equal(read(fd, &on, 1), 1);
	assert_int_equal(on, '1');
	close(fd);
	end_hanging(child);
	assert_int_equal(tracing_prepare(&tracing, false), 0);
	assert_int_equal(tracing_prepare(&tracing, true), 0);
	assert_int_equal(option(&tracing, before, "", O_PATH), -1); /* it is swept */
	tracing_release(&tracing);
	close(tracing.tracefs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_user_whose_start_hangs_is_traced_no_more),
		cmocka_unit_test(root_is_traced_as_long_as_anybody),
		cmocka_unit_test(a_user_whose_starts_are_always_traced_leaves_the_tracer_to_others),
		cmocka_unit_test(a_child_that_lives_on_leaves_the_next_tracer_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
