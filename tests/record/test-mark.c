/* SPDX-License-Identifier: MIT */
/* Unit tests of the socket between mark and record: whose mark counts, and that strangers cannot hold up anybody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/times.h"
#include "format/recording.h"
#include "record/mark.h"

#define STRANGER 65534

/* Sends marks as another user, which only root can do. */
static void mark_as_stranger(const char *name, int times)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (setuid(STRANGER) < 0)
			_exit(1);
		while (times-- > 0 && mark_send(name) == 0)
			;
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void without_a_mark_there_is_none(void **state)
{
	const struct markers nobody = {0};
	char name[MARK_NAME_MAX];
	_cleanup_close_ int fd = mark_listen(1, name);
	uid_t refused = 7;

	assert_true(fd >= 0);
	assert_false(mark_take(fd, &nobody, &refused));
	assert_int_equal(refused, 7);
}

static void a_mark_of_a_user_who_may_counts(void **state)
{
	const struct markers us = {.users = {geteuid()}, .n_users = 1};
	char name[MARK_NAME_MAX];
	_cleanup_close_ int fd = mark_listen(1, name);
	uid_t refused = 7;

	assert_true(fd >= 0);
	assert_int_equal(mark_send(name), 0);
	assert_true(mark_take(fd, &us, &refused));
	assert_int_equal(refused, 7);
}

static void recordings_are_told_apart(void **state)
{
	char one[MARK_NAME_MAX], other[MARK_NAME_MAX], none[512];
	_cleanup_close_ int fd = mark_listen(1, one), fd_of_other = mark_listen(1, other);

	assert_true(fd >= 0 && fd_of_other >= 0);
	assert_string_not_equal(one, other);
	assert_int_equal(mark_send("none"), -ECONNREFUSED);
	memset(none, 'x', sizeof(none));
	none[sizeof(none) - 1] = '\0';
	assert_int_equal(mark_send(none), -ECONNREFUSED);
}

/* It is in the environment of what is started later, too, and tells when it means nothing any more. */
static void a_name_says_when_the_recording_is_over(void **state)
{
	char name[MARK_NAME_MAX];
	_cleanup_close_ int fd = mark_listen(1000, name);

	assert_true(fd >= 0);
	assert_true(recording_end(name) > boottime_seconds() + 1000);
	assert_true(recording_end(name) < boottime_seconds() + 100000);
	close(fd);
	fd = mark_listen(1e9, name);
	assert_true(recording_end(name) > 1000000000 && recording_end(name) < 10000000000);
	assert_int_equal(recording_end("12-00ff-100"), 100);
	assert_int_equal(recording_end("12-00ff-0"), 0);
	assert_true(recording_end("12-00ff-99999999999999999999999") >= 99999999999999999);
	for (const char *const *other = (const char *const[]){"", "-", "--", "name", "12-00ff", "12-00ff-",
		     "12-00ff-x", NULL};
		*other; other++)
		assert_true(recording_end(*other) == UINT64_MAX);
}

static void a_mark_of_a_stranger_is_refused(void **state)
{
	const struct markers nobody = {0};
	char name[MARK_NAME_MAX];
	_cleanup_close_ int fd = mark_listen(1, name);
	uid_t refused = 7;

	if (geteuid() != 0) {
		print_message("SKIP: another user needs root\n");
		skip();
	}
	assert_true(fd >= 0);
	mark_as_stranger(name, 3);
	assert_false(mark_take(fd, &nobody, &refused));
	assert_int_equal(refused, STRANGER);
	assert_int_equal(mark_send(name), 0); /* root's */
	assert_true(mark_take(fd, &nobody, &refused));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_mark_there_is_none),
		cmocka_unit_test(a_mark_of_a_user_who_may_counts),
		cmocka_unit_test(recordings_are_told_apart),
		cmocka_unit_test(a_name_says_when_the_recording_is_over),
		cmocka_unit_test(a_mark_of_a_stranger_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
