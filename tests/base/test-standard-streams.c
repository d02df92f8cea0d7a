/* SPDX-License-Identifier: MIT */
/* Unit tests of occupying standard streams that are closed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files/standard-streams.h"

/* Runs a check in a process whose standard streams are closed. */
static void with_closed_streams(int (*check)(void))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
			close(fd);
		_exit(check());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Returns 0, or the number of what is wrong. */
static int files_get_other_numbers(void)
{
	standard_streams_hold(false);
	return open("/dev/null", O_RDONLY | O_CLOEXEC) <= STDERR_FILENO;
}

static int writing_fails_as_before(void)
{
	char byte = 0;

	standard_streams_hold(false);
	if (write(STDOUT_FILENO, &byte, 1) >= 0 || errno != EBADF)
		return 1;
	if (write(STDERR_FILENO, &byte, 1) >= 0 || errno != EBADF)
		return 2;
	return read(STDIN_FILENO, &byte, 1) >= 0 || errno != EBADF ? 3 : 0;
}

static int writing_is_discarded(void)
{
	standard_streams_hold(true);
	return write(STDOUT_FILENO, "x", 1) != 1 || write(STDERR_FILENO, "x", 1) != 1;
}

static int the_next_program_finds_them_closed(void)
{
	standard_streams_hold(false);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) != FD_CLOEXEC)
			return 1;
	return 0;
}

static void closed_streams(void **state)
{
	with_closed_streams(files_get_other_numbers);
	with_closed_streams(writing_fails_as_before);
	with_closed_streams(writing_is_discarded);
	with_closed_streams(the_next_program_finds_them_closed);
}

static void open_streams_stay(void **state)
{
	int ends[2], kept = dup(STDIN_FILENO);
	char byte = 0;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	standard_streams_hold(true);
	assert_int_equal(write(ends[1], "a", 1), 1);
	assert_int_equal(read(STDIN_FILENO, &byte, 1), 1);
	assert_int_equal(byte, 'a');
	assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
	close(kept);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_streams),
		cmocka_unit_test(open_streams_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
