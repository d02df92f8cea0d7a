/* SPDX-License-Identifier: MIT */
/* Unit tests of what is read of a process below /proc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/process-file.h"

static void a_text_is_read_as_a_whole(void **state)
{
	_cleanup_free_ char *text = NULL;
	size_t size;

	assert_int_equal(prctl(PR_SET_NAME, "a name"), 0);
	assert_int_equal(process_read(getpid(), 64, &text, &size, "comm"), 0);
	assert_string_equal(text, "a name\n");
	assert_int_equal(size, strlen(text));
}

static void a_name_is_composed(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int again = process_open(getpid(), O_PATH, "fd/%d", fd);

	assert_true(again >= 0);
	assert_int_equal(fcntl(again, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(process_read(getpid(), 4096, &text, NULL, "fdinfo/%d", fd), 0);
	assert_non_null(strstr(text, "pos:\t0"));
	close(fd);
}

static void a_name_that_is_too_long_is_no_other_name(void **state)
{
	_cleanup_free_ char *text = NULL;
	char name[400]; /* without its end, the name of a folder that there is */

	memset(name, '/', sizeof(name));
	snprintf(name + sizeof(name) - 8, 8, "missing");
	assert_int_equal(process_open(getpid(), O_PATH, "%s", name), -ENAMETOOLONG);
	assert_int_equal(process_read(getpid(), 64, &text, NULL, "%s", name), -ENAMETOOLONG);
}

static void a_number_is_found(void **state)
{
	uint64_t parent;

	assert_true(process_number(getpid(), "status", "PPid:", &parent));
	assert_int_equal(parent, getppid());
	assert_false(process_number(getpid(), "status", "Nothing:", &parent));
}

static void of_one_that_has_ended_there_is_nothing(void **state)
{
	_cleanup_free_ char *text = NULL;
	uint64_t parent;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(process_open(pid, O_RDONLY, "maps"), -ENOENT);
	assert_int_equal(process_read(pid, 64, &text, NULL, "comm"), -ENOENT);
	assert_false(process_number(pid, "status", "PPid:", &parent));
	assert_null(process_threads(pid));
}

static pthread_barrier_t barrier;

static void *stay(void *ret_thread)
{
	*(pid_t *)ret_thread = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void every_thread_is_found_once(void **state)
{
	_cleanup_closedir_ DIR *threads = NULL;
	unsigned first = 0, second = 0, others = 0; /* qemu-user and sanitizers have threads of their own */
	pthread_t thread;
	pid_t id = 0, next;

	assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, stay, &id), 0);
	pthread_barrier_wait(&barrier);
	threads = process_threads(getpid());
	while (threads && (next = process_next_thread(threads)))
		*(next == getpid() ? &first : next == id ? &second : &others) += 1;
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&barrier);
	assert_int_equal(first, 1);
	assert_int_equal(second, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_read_as_a_whole),
		cmocka_unit_test(a_name_is_composed),
		cmocka_unit_test(a_name_that_is_too_long_is_no_other_name),
		cmocka_unit_test(a_number_is_found),
		cmocka_unit_test(of_one_that_has_ended_there_is_nothing),
		cmocka_unit_test(every_thread_is_found_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
