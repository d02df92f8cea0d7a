/* SPDX-License-Identifier: MIT */
/* What headstartd and headstart-keep say to each other, also what they never should. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/programs/keep-request.h"

static const struct keep_request request = {
	.version = KEEP_VERSION, .kind = KEEP_LEARNT, .user = 1000, .group = 100, .number = 7};

static void connect_ends(int ends[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
}

static void close_ends(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

static void request_arrives_with_its_file(void **state)
{
	struct keep_request got;
	struct stat sent, came;
	int ends[2], file = open("/dev/null", O_RDONLY | O_CLOEXEC), fd = -1;

	(void)state;
	if (geteuid() != 0)
		skip(); /* only root may ask */
	connect_ends(ends);
	assert_int_equal(keep_ask(ends[0], &request, file), 0);
	assert_int_equal(keep_asked(ends[1], &got, &fd), 0);
	assert_memory_equal(&got, &request, sizeof(got));
	assert_int_equal(fstat(file, &sent), 0);
	assert_int_equal(fstat(fd, &came), 0);
	assert_int_equal(came.st_rdev, sent.st_rdev);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	close(file);
	close_ends(ends);
}

static void request_of_another_version_is_none(void **state)
{
	struct keep_request got = {.user = 5}, newer = request;
	int ends[2], fd = -2;

	(void)state;
	if (geteuid() != 0)
		skip();
	newer.version++;
	connect_ends(ends);
	assert_int_equal(keep_ask(ends[0], &newer, STDERR_FILENO), 0);
	assert_int_equal(keep_asked(ends[1], &got, &fd), -EBADMSG);
	assert_int_equal(got.user, 5);
	assert_int_equal(fd, -2);
	assert_int_equal(send(ends[0], &request, sizeof(request), 0), sizeof(request)); /* no file */
	assert_int_equal(keep_asked(ends[1], &got, &fd), -EBADMSG);
	close(ends[0]);
	assert_int_equal(keep_asked(ends[1], &got, &fd), -EBADMSG); /* nobody asks any more */
	close(ends[1]);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(keep_asked(fd, &got, &fd), -ENOTSOCK);
	close(fd);
}

static void only_root_may_ask(void **state)
{
	struct keep_request got;
	int ends[2], fd = -2;

	(void)state;
	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	connect_ends(ends);
	assert_int_equal(seteuid(getuid()), 0);
	assert_int_equal(keep_ask(ends[0], &request, STDERR_FILENO), 0);
	assert_int_equal(keep_asked(ends[1], &got, &fd), -EPERM);
	close_ends(ends);
}

static void answers_come_in_turn(void **state)
{
	enum keep_answer answer = KEEP_GONE;
	int ends[2];

	(void)state;
	connect_ends(ends);
	assert_int_equal(keep_answered(ends[0], 1, &answer), -EAGAIN);
	keep_answer(ends[1], KEEP_BEGUN);
	keep_answer(ends[1], KEEP_NONE);
	assert_int_equal(keep_answered(ends[0], 60, &answer), 0);
	assert_int_equal(answer, KEEP_BEGUN);
	assert_int_equal(keep_answered(ends[0], 60, &answer), 0);
	assert_int_equal(answer, KEEP_NONE);
	keep_answer(ends[1], KEEP_HAS);
	assert_int_equal(keep_answered(ends[0], 60, &answer), 0);
	assert_int_equal(answer, KEEP_HAS);
	assert_int_equal(send(ends[1], "beside", 6, 0), 6);
	assert_int_equal(keep_answered(ends[0], 60, &answer), 0);
	assert_int_equal(answer, KEEP_BEGUN);
	assert_int_equal(send(ends[1], "x", 1, 0), 1);
	assert_int_equal(keep_answered(ends[0], 60, &answer), 0);
	assert_int_equal(answer, KEEP_GONE);
	answer = KEEP_BEGUN;
	close(ends[1]);
	assert_int_equal(keep_answered(ends[0], 60, &answer), 0);
	assert_int_equal(answer, KEEP_GONE);
	keep_answer(ends[0], KEEP_BEGUN); /* to nobody: no signal */
	close(ends[0]);
}

/* The request was not read when the other end was closed (unix(7)). */
static void end_without_reading_is_an_end(void **state)
{
	enum keep_answer answer = KEEP_BEGUN;
	int ends[2];

	(void)state;
	connect_ends(ends);
	assert_int_equal(keep_ask(ends[0], &request, STDERR_FILENO), 0);
	close(ends[1]);
	assert_int_equal(keep_answered(ends[0], 60, &answer), 0);
	assert_int_equal(answer, KEEP_GONE);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request_arrives_with_its_file),
		cmocka_unit_test(request_of_another_version_is_none),
		cmocka_unit_test(only_root_may_ask),
		cmocka_unit_test(answers_come_in_turn),
		cmocka_unit_test(end_without_reading_is_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
