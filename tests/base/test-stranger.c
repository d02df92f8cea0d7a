/* SPDX-License-Identifier: MIT */
/* Unit tests of base/paths/stranger.h: who besides root can change where a path leads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/paths/hidden.h"
#include "base/paths/stranger.h"
#include "tree.h"

#define USER 65534

static char folder[] = "/tmp/headstart-test.XXXXXX";

static int old_kernel; /* what it says of openat2(2); 0: it is as new as it is */

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* Only openat2(2) is called in this way. */
long __wrap_syscall(long number, ...)
{
	va_list arguments;
	const char *path;
	size_t size;
	void *how;
	int at;

	assert_int_equal(number, SYS_openat2);
	if (old_kernel) {
		errno = old_kernel;
		return -1;
	}
	va_start(arguments, number);
	at = va_arg(arguments, int);
	path = va_arg(arguments, const char *);
	how = va_arg(arguments, void *);
	size = va_arg(arguments, size_t);
	va_end(arguments);
	return __real_syscall(number, at, path, how, size);
}

static int make_folder(void **state)
{
	return mkdtemp(folder) && chmod(folder, 0755) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
	return tree_remove(folder);
}

static const char *in(const char *name)
{
	return tree_path(folder, name);
}

static void assert_stranger(const char *path, const char *where, uid_t owner)
{
	struct stranger stranger = {.owner = 12345};

	assert_int_equal(stranger_find(path, &stranger), -EPERM);
	assert_string_equal(stranger.path, where);
	assert_int_equal(stranger.owner, owner);
	assert_true(stranger_find_cached(path, &stranger) < 0);
}

static void assert_no_stranger(const char *path)
{
	struct stranger stranger;

	assert_int_equal(stranger_find(path, &stranger), 0);
}

static void what_is_cached_is_enough_for_a_canonical_path(void **state)
{
	struct stranger stranger;

	assert_int_equal(mkdir(in("cached"), 0755), 0);
	assert_int_equal(symlink("cached", in("link-to-cached")), 0);
	assert_int_equal(stranger_find_cached(in("cached"), &stranger), 0);
	assert_int_equal(stranger_find_cached(in("link-to-cached"), &stranger), -EAGAIN);
}

/* Before Linux 5.12, before 5.6, and where a filter of system calls does not know openat2. */
static void an_older_kernel_tells_the_same(void **state)
{
	static const int answers[] = {EINVAL, ENOSYS, EPERM};
	struct stranger stranger;

	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		old_kernel = answers[i];
		assert_int_equal(stranger_find_cached(in("cached"), &stranger), 0);
		assert_int_equal(stranger_find_cached(in("link-to-cached"), &stranger), -EAGAIN);
		assert_int_equal(stranger_find_cached(in("none"), &stranger), 0);
	}
	old_kernel = 0;
}

static void who_did_not_find_the_stranger_names_none(void **state)
{
	struct stranger stranger = {.owner = 12345, .path = "somewhere"};
	char path[NAME_MAX + 3] = "/";

	memset(path + 1, 'x', NAME_MAX + 1);
	assert_int_equal(stranger_find(path, &stranger), -ENAMETOOLONG);
	assert_int_equal(stranger.owner, (uid_t)-1);
	assert_string_equal(stranger.path, "");
}

/* Whoever opens something below it has it mounted, and nobody knows yet whose that is. Who mounted it asks for nothing. */
static void automount_point_is_a_strangers(void **state)
{
	struct stranger stranger;
	char options[128];
	int ends[2];

	assert_int_equal(mkdir(in("automount"), 0755), 0);
	assert_int_equal(pipe(ends), 0);
	snprintf(options, sizeof(options), "fd=%d,pgrp=%d,minproto=5,maxproto=5,direct", ends[1], getpgrp());
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, "") < 0 ||
		mount("test", in("automount"), "autofs", 0, options) < 0)
		skip();
	assert_int_equal(stranger_find(in("automount/someone/file"), &stranger), -EPERM);
	assert_string_equal(stranger.path, in("automount"));
	assert_int_equal(stranger.owner, (uid_t)-1);
	assert_int_not_equal(stranger_find_unasked(in("automount/someone/file"), &stranger), 0);
	assert_int_equal(stranger_find(in("automount"), &stranger), -EPERM);
	/* Once it is mounted. */
	assert_int_equal(mount("test", in("automount"), "tmpfs", 0, "mode=755"), 0);
	assert_int_equal(stranger_find(in("automount/someone/file"), &stranger), 0);
	assert_int_equal(umount(in("automount")), 0);
	assert_int_equal(umount(in("automount")), 0);
	close(ends[0]);
	close(ends[1]);
}

static void behind_the_first_stranger_nobody_is_asked(void **state)
{
	struct stranger stranger = {.owner = 12345};

	assert_int_equal(mkdir(in("unasked"), 0755), 0);
	assert_int_equal(chown(in("unasked"), USER, USER), 0);
	assert_int_equal(symlink("unasked/none", in("link-to-unasked")), 0);
	assert_int_equal(stranger_find_unasked(in("link-to-unasked"), &stranger), -EPERM);
	assert_string_equal(stranger.path, in("unasked"));
	assert_int_equal(stranger.owner, USER);
	assert_int_equal(stranger_find_unasked("/usr/./bin/../bin", &stranger), 0);
}

static void paths_of_root_have_none(void **state)
{
	assert_no_stranger("/");
	assert_no_stranger("//usr/./bin/..//bin/");
	assert_no_stranger(folder);
	assert_no_stranger(in("none"));
	assert_no_stranger(in("none/deeper/../still"));
	assert_int_equal(symlink(folder, in("link")), 0);
	assert_no_stranger(in("link/none"));
}

static void what_is_no_path_is_told(void **state)
{
	char long_path[2 * PATH_MAX] = "/";
	struct stranger stranger;

	memset(long_path + 1, 'a', sizeof(long_path) - 2);
	assert_int_equal(stranger_find("relative", &stranger), -EINVAL);
	assert_int_equal(stranger_find("", &stranger), -EINVAL);
	assert_int_equal(stranger_find(long_path, &stranger), -ENAMETOOLONG);
	assert_int_equal(symlink("loop", in("loop")), 0);
	assert_int_equal(stranger_find(in("loop"), &stranger), -ELOOP);
	assert_int_equal(stranger_find("/etc/passwd/none", &stranger), -ENOTDIR);
}

static void folders_files_and_links_of_others_are_found(void **state)
{
	assert_int_equal(mkdir(in("theirs"), 0755), 0);
	assert_int_equal(mkdir(in("theirs/roots"), 0755), 0);
	assert_int_equal(chown(in("theirs"), USER, USER), 0);
	assert_stranger(in("theirs"), in("theirs"), USER);
	assert_stranger(in("theirs/roots"), in("theirs"), USER);
	assert_stranger(in("theirs/none"), in("theirs"), USER);
	assert_int_equal(symlink("theirs/roots", in("over")), 0);
	assert_stranger(in("over"), in("theirs"), USER);
	assert_int_equal(symlink("/", in("their-link")), 0);
	assert_int_equal(lchown(in("their-link"), USER, USER), 0);
	assert_stranger(in("their-link/etc"), in("their-link"), USER);
}

static void folders_that_others_write_are_found(void **state)
{
	assert_int_equal(mkdir(in("open"), 0755), 0);
	assert_int_equal(chmod(in("open"), 0775), 0);
	assert_stranger(in("open/none"), in("open"), 0);
	assert_int_equal(chmod(in("open"), 0757), 0);
	assert_stranger(in("open"), in("open"), 0);
}

static void sticky_folders_may_be_on_the_way_but_not_at_the_end(void **state)
{
	assert_int_equal(mkdir(in("sticky"), 0755), 0);
	assert_int_equal(mkdir(in("sticky/roots"), 0755), 0);
	assert_int_equal(chmod(in("sticky"), 01777), 0);
	assert_no_stranger(in("sticky/roots"));
	assert_no_stranger(in("sticky/roots/none"));
	assert_stranger(in("sticky"), in("sticky"), 0);
	assert_stranger(in("sticky/none"), in("sticky"), 0);
	assert_stranger(in("sticky/roots/.."), in("sticky"), 0);
}

/* A program that nobody else can start tells nobody else what it touches. */
static void what_others_cannot_reach_may_name_what_they_cannot_see(void **state)
{
	_cleanup_free_ char *file = NULL;

	assert_int_equal(mkdir(in("room"), 0755), 0);
	file = strdup(in("room/file"));
	assert_non_null(file);
	assert_false(closed_to_others(file));
	assert_true(may_show_of("/", file));
	assert_int_equal(chmod(in("room"), 0711), 0);
	assert_false(closed_to_others(file));
	assert_false(may_show_of(file, file));
	assert_int_equal(chmod(in("room"), 0700), 0);
	assert_int_equal(closed_to_others(file), geteuid() == 0);
	if (geteuid() != 0)
		return;
	assert_int_equal(chmod(in("room"), 0750), 0);
	assert_int_equal(chown(in("room"), 0, 65534), 0); /* a group of others may start it */
	assert_false(closed_to_others(file));
	assert_int_equal(chown(in("room"), 0, 0), 0);
	assert_true(may_show_of(file, file));
	assert_false(may_show_of("/", file));
}

static void what_only_root_can_list_or_search_is_hidden(void **state)
{
	assert_int_equal(mkdir(in("shown"), 0755), 0);
	assert_int_equal(mkdir(in("shown/closed"), 0755), 0);
	assert_int_equal(mkdir(in("shown/closed/deep"), 0755), 0);
	assert_false(hidden_from_others(in("shown/closed/deep/file")));
	assert_int_equal(chmod(in("shown/closed"), 0711), 0);
	assert_true(hidden_from_others(in("shown/closed/deep/file")));
	assert_true(hidden_from_others(in("shown/closed/file")));
	assert_false(hidden_from_others(in("shown/closed"))); /* its own name is there to read */
	assert_int_equal(chmod(in("shown/closed"), 0744), 0);
	assert_true(hidden_from_others(in("shown/closed/file")));
	assert_true(hidden_from_others(in("none/file")));
	assert_true(hidden_from_others("relative"));
	assert_false(hidden_from_others("/"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(behind_the_first_stranger_nobody_is_asked),
		cmocka_unit_test(paths_of_root_have_none),
		cmocka_unit_test(what_is_cached_is_enough_for_a_canonical_path),
		cmocka_unit_test(an_older_kernel_tells_the_same),
		cmocka_unit_test(who_did_not_find_the_stranger_names_none),
		cmocka_unit_test(automount_point_is_a_strangers),
		cmocka_unit_test(what_is_no_path_is_told),
		cmocka_unit_test(folders_files_and_links_of_others_are_found),
		cmocka_unit_test(folders_that_others_write_are_found),
		cmocka_unit_test(sticky_folders_may_be_on_the_way_but_not_at_the_end),
		cmocka_unit_test(what_only_root_can_list_or_search_is_hidden),
		cmocka_unit_test(what_others_cannot_reach_may_name_what_they_cannot_see),
	};

	if (geteuid() != 0) {
		puts("only root can make what is root's and what is another's");
		return 77;
	}
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
