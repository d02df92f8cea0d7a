/* SPDX-License-Identifier: MIT */
/* What verbs say: each sentence in one piece, since others may print meanwhile, and the kernel's log makes an entry of each piece. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "verb.h"

static int ends[2], before;
static char heard[1000];

/* A socket that keeps pieces apart stands for standard error. */
static int listen_to_it(void **state)
{
	before = dup(STDERR_FILENO);
	return before < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends) < 0 ||
		dup2(ends[0], STDERR_FILENO) < 0;
}

static int stop_listening(void **state)
{
	return dup2(before, STDERR_FILENO) < 0;
}

static const char *hear(void)
{
	ssize_t n = recv(ends[1], heard, sizeof(heard) - 1, 0);

	heard[n < 0 ? 0 : n] = '\0';
	return heard;
}

static void a_sentence_is_one_piece(void **state)
{
	verb_note("%d files", 3);
	assert_string_equal(hear(), "headstart: 3 files\n");
	assert_int_equal(verb_fail("nothing"), VERB_FAILED);
	assert_string_equal(hear(), "headstart: nothing\n");
	assert_int_equal(verb_fail_errno(-2, "cannot read '%s'", "a\nb"), VERB_FAILED);
	assert_string_equal(hear(), "headstart: cannot read 'a?b': No such file or directory\n");
	assert_int_equal(verb_usage("boot", "give '%s'", "\xc2\x9b"), VERB_USAGE);
	assert_string_equal(hear(), "headstart boot: give '?\?'; see 'headstart boot --help'\n");
	assert_string_equal(hear(), "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_sentence_is_one_piece, listen_to_it, stop_listening),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
