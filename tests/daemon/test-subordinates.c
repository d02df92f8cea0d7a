/* SPDX-License-Identifier: MIT */
/* Unit tests of the ids that users may use besides their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "headstartd/look/subordinates.h"

#define AGAIN 10000 /* milliseconds after which the file is looked at again */

static char path[] = "/tmp/subordinates.XXXXXX";

/* As if it was written at that second. */
static void write_list(const char *text, time_t second)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	const struct timespec times[2] = {{.tv_sec = second}, {.tv_sec = second}};

	assert_true(fd >= 0);
	assert_int_equal(write_full(fd, text, strlen(text)), 0);
	assert_int_equal(futimens(fd, times), 0);
}

static void ranges_have_what_they_say(void **state)
{
	struct subordinates ids = {.path = path};

	write_list("one:1000:10\nother:4294967290:5\n", 1);
	assert_false(subordinates_have(&ids, 999, 0));
	assert_true(subordinates_have(&ids, 1000, 0));
	assert_true(subordinates_have(&ids, 1009, 0));
	assert_false(subordinates_have(&ids, 1010, 0));
	assert_true(subordinates_have(&ids, 4294967294, 0));
	assert_false(subordinates_have(&ids, (uid_t)-1, 0));
	assert_false(subordinates_have(&ids, 0, 0));
	subordinates_release(&ids);
}

static void what_is_no_range_is_passed_over(void **state)
{
	struct subordinates ids = {.path = path};

	write_list("\n:\n#\nroot:1:1000\n0:1:1000\none\none:2\none:2:x\none:-:1\none:7:1", 1);
	assert_false(subordinates_have(&ids, 2, 0));
	assert_false(subordinates_have(&ids, 0, 0));
	assert_true(subordinates_have(&ids, 7, 0));
	subordinates_release(&ids);
}

static void a_changed_file_is_read_again_after_a_while(void **state)
{
	struct subordinates ids = {.path = path};

	write_list("one:1:1\n", 1);
	assert_true(subordinates_have(&ids, 1, 5));
	write_list("one:2:1\n", 2);
	assert_false(subordinates_have(&ids, 2, 4 + AGAIN));
	assert_true(subordinates_have(&ids, 2, 5 + AGAIN));
	assert_false(subordinates_have(&ids, 1, 5 + AGAIN));
	unlink(path);
	assert_false(subordinates_have(&ids, 2, 5 + 2 * AGAIN));
	subordinates_release(&ids);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	unlink(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_have_what_they_say),
		cmocka_unit_test(what_is_no_range_is_passed_over),
		cmocka_unit_test(a_changed_file_is_read_again_after_a_while),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
