/* SPDX-License-Identifier: MIT */
/* Unit tests of the buffers of an instance of ftrace, in a folder that looks like one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/descriptors.h"
#include "record/events/buffers.h"
#include "tree.h"

static char folder[64];
static struct tracefs_instance *instance;

static void name_buffer(int number, char path[160])
{
	snprintf(path, 160, "%s/instances/test/per_cpu/cpu%d", folder, number);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, 160, "%s/instances/test/per_cpu/cpu%d/trace_pipe_raw", folder, number);
}

/* The processor with that number has a buffer. */
static void add_cpu(int number)
{
	char path[160];
	int fd;

	name_buffer(number, path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	close(fd);
}

static int begin(void **state)
{
	static const char *const folders[] = {
		"instances", "instances/test", "instances/test/per_cpu", "events"};
	char path[160];

	snprintf(folder, sizeof(folder), "/tmp/headstart-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, folders[i]);
		if (mkdir(path, 0755) < 0)
			return -1;
	}
	instance = tracefs_instance_alloc(folder, "test");
	return instance ? 0 : -1;
}

static int end(void **state)
{
	tracefs_instance_free(instance);
	return tree_remove(folder);
}

static void a_buffer_is_opened_for_each_processor(void **state)
{
	int n = (int)sysconf(_SC_NPROCESSORS_CONF);
	struct buffers buffers;

	for (int cpu = 0; cpu < n; cpu++)
		add_cpu(cpu);
	assert_int_equal(buffers_open(instance, &buffers), 0);
	assert_int_equal(buffers.n, n);
	for (int cpu = 0; cpu < n; cpu++) {
		assert_true(buffers.cpus[cpu] >= 0);
		assert_int_equal(fcntl(buffers.cpus[cpu], F_GETFD), FD_CLOEXEC);
		assert_true(fcntl(buffers.cpus[cpu], F_GETFL) & O_NONBLOCK);
	}
	buffers_release(&buffers);
}

static void a_processor_without_a_buffer_is_left_out(void **state)
{
	int last = (int)sysconf(_SC_NPROCESSORS_CONF) - 1;
	struct buffers buffers;

	assert_int_equal(buffers_open(instance, &buffers), -EIO);
	buffers_release(&buffers);
	add_cpu(last);
	assert_int_equal(buffers_open(instance, &buffers), 0);
	assert_true(buffers.cpus[last] >= 0);
	for (int cpu = 0; cpu < last; cpu++)
		assert_int_equal(buffers.cpus[cpu], -1);
	buffers_release(&buffers);
}

/* With those of some processors alone, a trace would look complete. */
static void too_few_descriptors_are_no_reason_to_leave_some_out(void **state)
{
	int n = (int)sysconf(_SC_NPROCESSORS_CONF), first = open("/", O_PATH | O_CLOEXEC);
	struct rlimit limit, few;
	struct buffers buffers;

	assert_true(first >= 0);
	close(first);
	for (int cpu = 0; cpu < n; cpu++)
		add_cpu(cpu);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	for (int enough = 0; enough < n; enough++) {
		few = (struct rlimit){.rlim_cur = (rlim_t)(first + enough), .rlim_max = limit.rlim_max};
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		assert_int_equal(buffers_open(instance, &buffers), -EMFILE);
		buffers_release(&buffers);
		descriptors_allow_all();
		assert_int_equal(buffers_open(instance, &buffers), 0);
		buffers_release(&buffers);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	}
	assert_int_equal(open("/", O_PATH | O_CLOEXEC), first); /* none is left open */
	close(first);
}

/* Otherwise the daemon would not sleep where the machine has room for more processors than it has. */
static void a_processor_that_was_never_online_wakes_nobody(void **state)
{
	/* Of such a file polling reports an error, too, until it is read. */
	static const char like_it[] = "/sys/kernel/uevent_seqnum";
	int last = (int)sysconf(_SC_NPROCESSORS_CONF) - 1;
	_cleanup_close_ int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event ready;
	struct buffers buffers;
	char path[160];

	if (access(like_it, R_OK) < 0) {
		print_message("no /sys here\n");
		skip();
	}
	for (int cpu = 0; cpu < last; cpu++) {
		name_buffer(cpu, path);
		assert_int_equal(mkfifo(path, 0644), 0);
	}
	name_buffer(last, path);
	assert_int_equal(symlink(like_it, path), 0);
	assert_int_equal(buffers_open(instance, &buffers), 0);
	assert_int_equal(buffers_watch(&buffers, epoll), 0);
	assert_int_equal(epoll_wait(epoll, &ready, 1, 0), 0);
	for (int cpu = 0; cpu <= last; cpu++)
		assert_int_equal(buffers.watched[cpu], cpu != last);
	/* It comes online, and has events. */
	assert_true(read(buffers.cpus[last], path, sizeof(path)) > 0);
	assert_int_equal(buffers_watch(&buffers, epoll), 0);
	assert_true(buffers.watched[last]);
	assert_int_equal(epoll_wait(epoll, &ready, 1, 0), 1);
	buffers_release(&buffers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_buffer_is_opened_for_each_processor, begin, end),
		cmocka_unit_test_setup_teardown(a_processor_without_a_buffer_is_left_out, begin, end),
		cmocka_unit_test_setup_teardown(a_processor_that_was_never_online_wakes_nobody, begin, end),
		cmocka_unit_test_setup_teardown(
			too_few_descriptors_are_no_reason_to_leave_some_out, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
