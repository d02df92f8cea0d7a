/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of base/files/open.h: only regular files are opened, and no link on the way is followed. The master of a
 * terminal shows whether the terminal was opened: reading from it fails with EIO if somebody had it open and closed
 * it, and with EAGAIN if nobody ever opened it. The tests run a second time where openat2(2) is missing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/links.h"
#include "base/files/open.h"

struct fixture {
	char folder[64];
	char path[128]; /* the last that path_in() made */
	int master;     /* of a terminal that nobody has opened */
	bool old;       /* no openat2(2) */
};

static const char *path_in(struct fixture *fixture, const char *name)
{
	snprintf(fixture->path, sizeof(fixture->path), "%s/%s", fixture->folder, name);
	return fixture->path;
}

static int set_up(void **state)
{
	static const char none[64]; /* no struct open_how: its size is what openat2 refuses */
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	int fd;

	strcpy(fixture->folder, "/tmp/headstart-open-XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	fd = open(path_in(fixture, "file"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write_full(fd, "text", 4), 0);
	close(fd);
	assert_int_equal(mkdir(path_in(fixture, "folder"), 0700), 0);
	assert_int_equal(mkfifo(path_in(fixture, "fifo"), 0600), 0);
	assert_int_equal(symlink("file", path_in(fixture, "link")), 0);
	assert_int_equal(symlink(".", path_in(fixture, "loop")), 0);
	assert_int_equal(symlink("/dev/pts", path_in(fixture, "terminals")), 0);
	fixture->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	fixture->old =
		syscall(SYS_openat2, AT_FDCWD, "/", &none, 0) < 0 && (errno == ENOSYS || errno == EPERM);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	static const char *const names[] = {"file", "fifo", "link", "loop", "terminals"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(path_in(fixture, names[i]));
	rmdir(path_in(fixture, "folder"));
	rmdir(fixture->folder);
	if (fixture->master >= 0)
		close(fixture->master);
	free(fixture);
	return 0;
}

static void a_regular_file_is_opened_to_read(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_close_ int fd = open_regular(path_in(fixture, "file"), OPEN_NO_LINKS);
	char text[8] = "";

	assert_true(fd >= 0);
	assert_int_equal(read_full(fd, text, sizeof(text)), 4);
	assert_string_equal(text, "text");
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_int_equal(open_regular(path_in(fixture, "none"), OPEN_NO_LINKS), -ENOENT);
}

static void links_are_followed_only_where_told(void **state)
{
	struct fixture *fixture = *state;
	int fd;

	assert_int_equal(open_regular(path_in(fixture, "link"), OPEN_NO_LINKS), -ELOOP);
	fd = open_regular(path_in(fixture, "link"), 0);
	assert_true(fd >= 0);
	close(fd);
	fd = open_regular(path_in(fixture, "loop/file"), OPEN_NO_LINKS);
	assert_true(fixture->old ? fd >= 0 : fd == -ELOOP);
	if (fd >= 0)
		close(fd);
	fd = open_regular(path_in(fixture, "loop/loop/link"), 0);
	assert_true(fd >= 0);
	close(fd);
}

static void another_type_in_its_place_is_refused(void **state)
{
	struct fixture *fixture = *state;
	int fd;

	assert_int_equal(open_regular(path_in(fixture, "folder"), OPEN_NO_LINKS), -EISDIR);
	assert_int_equal(open_regular(path_in(fixture, "fifo"), OPEN_NO_LINKS), -EINVAL);
	assert_int_equal(open_regular(path_in(fixture, "fifo"), 0), -EINVAL);
	assert_int_equal(open_typed(path_in(fixture, "fifo"), S_IFDIR, OPEN_NO_LINKS), -ENOTDIR);
	assert_int_equal(open_typed(path_in(fixture, "file"), S_IFLNK, OPEN_NO_LINKS), -EINVAL);
	assert_int_equal(open_typed(path_in(fixture, "file/x"), S_IFREG, OPEN_NO_LINKS), -ENOTDIR);
	fd = open_typed(path_in(fixture, "folder"), S_IFDIR, OPEN_NO_LINKS);
	assert_true(fd >= 0);
	close(fd);
	fd = open_typed(path_in(fixture, "link"), S_IFLNK, OPEN_NO_LINKS);
	assert_true(fd >= 0);
	close(fd);
}

static bool was_opened(struct fixture *fixture)
{
	char byte;

	return read(fixture->master, &byte, 1) < 0 && errno == EIO;
}

static void a_terminal_is_not_opened(void **state)
{
	struct fixture *fixture = *state;
	char terminal[64], through[128];
	int fd;

	if (fixture->master < 0 || unlockpt(fixture->master) < 0 ||
		ptsname_r(fixture->master, terminal, sizeof(terminal)) != 0)
		skip();
	snprintf(through, sizeof(through), "%s/terminals/%s", fixture->folder, strrchr(terminal, '/') + 1);
	assert_int_equal(open_regular(terminal, OPEN_NO_LINKS), -EINVAL);
	assert_int_equal(open_regular(through, OPEN_NO_LINKS), fixture->old ? -EINVAL : -ELOOP);
	assert_int_equal(open_regular(through, 0), -EINVAL);
	assert_true(open_typed(through, S_IFDIR, OPEN_NO_LINKS) < 0);
	assert_false(was_opened(fixture));
	/* The control: an open terminal is noticed. */
	fd = open(through, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	close(fd);
	assert_true(was_opened(fixture));
}

/* Whoever empties the page cache holds each file for a moment, and then there is no lease to be had. */
static bool take_lease(int fd)
{
	for (unsigned i = 0; i < 10000; i++) {
		if (fcntl(fd, F_SETLEASE, F_WRLCK) == 0)
			return true;
		if (errno != EAGAIN)
			return false;
		usleep(1000);
	}
	return false;
}

static void a_lease_is_not_waited_for(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_close_ int holder = open(path_in(fixture, "file"), O_RDWR | O_CLOEXEC);

	signal(SIGIO, SIG_IGN);
	if (!take_lease(holder))
		skip();
	assert_int_equal(open_regular(path_in(fixture, "file"), OPEN_NO_LINKS), -EAGAIN);
}

static void the_cache_alone_can_be_asked(void **state)
{
	struct fixture *fixture = *state;
	int fd = open_regular(path_in(fixture, "file"), OPEN_NO_LINKS | OPEN_CACHED);

	assert_true(fd >= 0 || fd == -EAGAIN);
	if (fd >= 0)
		close(fd);
}

static bool opens(const char *path, unsigned options)
{
	_cleanup_close_ int fd = open_regular(path, options);

	return fd >= 0;
}

/* /etc/passwd is another user's. */
static void the_time_of_access_stays_where_we_may(void **state)
{
	struct fixture *fixture = *state;
	const struct timespec long_ago[] = {{.tv_sec = 1000000000}, {.tv_nsec = UTIME_OMIT}};
	const char *path = path_in(fixture, "file");
	_cleanup_close_ int fd = -1;
	struct stat st;
	char byte;

	assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
	fd = open_regular(path, OPEN_KEEP_ATIME);
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_atim.tv_sec, long_ago[0].tv_sec);
	assert_true(opens("/etc/passwd", OPEN_KEEP_ATIME));
	if (geteuid() == 0 && seteuid(65534) == 0) {
		bool any = opens("/etc/passwd", OPEN_NO_ATIME), kept = opens("/etc/passwd", OPEN_KEEP_ATIME);

		assert_int_equal(seteuid(0), 0);
		assert_false(any);
		assert_true(kept);
	}
}

static void an_open_file_has_the_path_that_it_has_now(void **state)
{
	char name[] = "/tmp/headstart-open.XXXXXX", moved[sizeof(name) + 2], path[PATH_MAX] = "as before";
	int fd = mkostemp(name, O_CLOEXEC), ends[2];

	(void)state;
	assert_true(fd >= 0);
	snprintf(moved, sizeof(moved), "%s.2", name);
	assert_int_equal(rename(name, moved), 0);
	assert_int_equal(path_of_fd(fd, path), 0);
	assert_string_equal(path, moved);
	assert_int_equal(unlink(moved), 0);
	assert_int_equal(path_of_fd(fd, path), -ENOENT);
	assert_string_equal(path, moved);
	close(fd);
	assert_int_equal(path_of_fd(fd, path), -ENOENT);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(path_of_fd(ends[0], path), -ENOENT);
	close(ends[0]);
	close(ends[1]);
}

static void a_link_is_told_by_all_of_its_text(void **state)
{
	char name[] = "/tmp/headstart-open.XXXXXX", link[sizeof(name) + 2];

	(void)state;
	assert_non_null(mkdtemp(name));
	snprintf(link, sizeof(link), "%s/l", name);
	assert_false(link_is(link, "target"));
	assert_int_equal(symlink("target", link), 0);
	assert_true(link_is(link, "target"));
	assert_false(link_is(link, "targe"));
	assert_false(link_is(link, "target2"));
	assert_false(link_is(name, ""));
	assert_int_equal(unlink(link), 0);
	assert_int_equal(rmdir(name), 0);
}

static void a_file_beside_us_need_not_exist(void **state)
{
	char own[PATH_MAX], path[PATH_MAX], long_name[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	(void)state;
	assert_true(n > 0);
	own[n] = '\0';
	assert_int_equal(path_beside_us("none", path), 0);
	strcpy(strrchr(own, '/') + 1, "none");
	assert_string_equal(path, own);
	memset(long_name, 'x', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(path_beside_us(long_name, path), -ENAMETOOLONG);
	assert_string_equal(path, own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_regular_file_is_opened_to_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(links_are_followed_only_where_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_type_in_its_place_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_terminal_is_not_opened, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_lease_is_not_waited_for, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_cache_alone_can_be_asked, set_up, tear_down),
		cmocka_unit_test(a_file_beside_us_need_not_exist),
		cmocka_unit_test(a_link_is_told_by_all_of_its_text),
		cmocka_unit_test(an_open_file_has_the_path_that_it_has_now),
		cmocka_unit_test_setup_teardown(the_time_of_access_stays_where_we_may, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
