/* SPDX-License-Identifier: MIT */
/* Unit tests of the lock of one process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files/lock-file.h"

static char folder[40], path[64];

static int setup(void **state)
{
	snprintf(folder, sizeof(folder), "/tmp/headstart-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/lock", folder);
	return 0;
}

static int teardown(void **state)
{
	unlink(path);
	return rmdir(folder);
}

/* What another process gets. */
static int tried_by_another(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int fd = lock_file(path);

		_exit(fd < 0 ? -fd : 0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return -WEXITSTATUS(status);
}

static void one_process_has_it(void **state)
{
	int fd = lock_file(path);

	assert_true(fd >= 0);
	assert_int_equal(tried_by_another(), -EBUSY);
	close(fd);
	assert_int_equal(tried_by_another(), 0);
}

static void its_holder_is_known(void **state)
{
	int fd, status;
	pid_t child;

	assert_int_equal(lock_file_holder(path), 0);
	assert_int_equal(access(path, F_OK), -1);
	fd = lock_file(path);
	assert_true(fd >= 0);
	child = fork();
	if (child == 0)
		_exit(lock_file_holder(path) != getppid());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(fd);
	assert_int_equal(lock_file_holder(path), 0);
}

static void a_child_does_not_keep_it(void **state)
{
	int fd = lock_file(path);
	pid_t child;

	assert_true(fd >= 0);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_true(child > 0);
	assert_int_equal(tried_by_another(), -EBUSY);
	close(fd);
	assert_int_equal(tried_by_another(), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void only_its_user_can_open_it(void **state)
{
	mode_t mask = umask(0);
	struct stat st;
	int fd = lock_file(path);

	umask(mask);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	close(fd);
}

static void a_link_is_not_followed(void **state)
{
	char target[64];

	snprintf(target, sizeof(target), "%s/target", folder);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(lock_file(path), -ELOOP);
	assert_int_equal(access(target, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_process_has_it, setup, teardown),
		cmocka_unit_test_setup_teardown(its_holder_is_known, setup, teardown),
		cmocka_unit_test_setup_teardown(a_child_does_not_keep_it, setup, teardown),
		cmocka_unit_test_setup_teardown(only_its_user_can_open_it, setup, teardown),
		cmocka_unit_test_setup_teardown(a_link_is_not_followed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
