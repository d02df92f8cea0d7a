/* SPDX-License-Identifier: MIT */
/* Unit tests of how the process that records a boot is found: by a lock that goes with it. */
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
#include "boot/recorder.h"

struct place {
	char folder[40], path[64];
};

static int setup(void **state)
{
	static struct place place;

	snprintf(place.folder, sizeof(place.folder), "/tmp/headstart-test-XXXXXX");
	if (!mkdtemp(place.folder))
		return -1;
	snprintf(place.path, sizeof(place.path), "%s/recorder", place.folder);
	*state = &place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;

	unlink(place->path);
	return rmdir(place->folder);
}

/* A child that has the lock, and waits to be ended. */
static pid_t holder(const char *path)
{
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (boot_lock(path) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void nobody(void **state)
{
	struct place *place = *state;

	assert_int_equal(lock_file_holder(place->path), 0);
	assert_int_equal(boot_signal(place->path, SIGTERM), -ESRCH);
	assert_int_equal(lock_file_holder(place->path), 0); /* it has made no file */
	assert_int_equal(access(place->path, F_OK), -1);
}

static void who_has_the_lock_is_ended(void **state)
{
	struct place *place = *state;
	pid_t child = holder(place->path);
	int status;

	assert_int_equal(boot_lock(place->path), -EBUSY);
	assert_int_equal(lock_file_holder(place->path), child);
	assert_int_equal(boot_signal(place->path, SIGTERM), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	/* The file is still there, and the lock is gone with the process. */
	assert_int_equal(access(place->path, F_OK), 0);
	assert_int_equal(lock_file_holder(place->path), 0);
	assert_int_equal(boot_signal(place->path, SIGTERM), -ESRCH);
}

/* Others have files there that everybody may read, and the units have such a umask. */
static void everybody_may_look_into_the_folder(void **state)
{
	struct place *place = *state;
	mode_t mask = umask(077);
	char folder[64], path[80];
	struct stat st;
	int lock;

	snprintf(folder, sizeof(folder), "%s/run", place->folder);
	snprintf(path, sizeof(path), "%s/recorder", folder);
	lock = boot_lock(path);
	umask(mask);
	assert_true(lock >= 0);
	assert_int_equal(stat(folder, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	close(lock);
	unlink(path);
	rmdir(folder);
}

static void a_link_is_not_followed(void **state)
{
	struct place *place = *state;
	char target[80];

	snprintf(target, sizeof(target), "%s-target", place->path);
	assert_int_equal(symlink(target, place->path), 0);
	assert_int_equal(boot_lock(place->path), -ELOOP);
	assert_int_equal(access(target, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nobody, setup, teardown),
		cmocka_unit_test_setup_teardown(who_has_the_lock_is_ended, setup, teardown),
		cmocka_unit_test_setup_teardown(everybody_may_look_into_the_folder, setup, teardown),
		cmocka_unit_test_setup_teardown(a_link_is_not_followed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
