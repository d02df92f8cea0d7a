/* SPDX-License-Identifier: MIT */
/*
 * The child that waits at the gate must not need a page of a file in order to write to the marker: kernels before 6.12
 * copy the text with page faults off, and fail with EFAULT if its page was evicted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "record/command/command.h"

int __real_write_full(int fd, const void *data, size_t size);
int __wrap_write_full(int fd, const void *data, size_t size);

static int marker = -1;

/* What the child has seen, in memory that we share with it. */
static struct {
	bool written;
	unsigned long inode; /* of the file behind the text; 0: none */
	int r;
} * seen;

/* The inode number of the file that is mapped at this address, by /proc/self/maps. */
static unsigned long file_behind(const void *address)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long from, to, inode;
	char line[4400];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %*s %*s %lu", &from, &to, &inode) == 3 &&
			(uintptr_t)address >= from && (uintptr_t)address < to)
			return inode;
	return (unsigned long)-1;
}

int __wrap_write_full(int fd, const void *data, size_t size)
{
	int r;

	if (fd != marker)
		return __real_write_full(fd, data, size);
	seen->inode = file_behind(data);
	r = __real_write_full(fd, data, size);
	seen->r = r;
	seen->written = true;
	return r;
}

static void text_for_the_marker_lies_in_no_file(void **state)
{
	char *argv[] = {(char *)"true", NULL};
	const struct command_options options = {
		.path = "/bin/true", .argv = argv, .recording = "test", .signals = -1, .patience_ms = 100000};
	struct command command = COMMAND_INIT;
	char text[32] = "";
	int ends[2], status;

	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(seen != MAP_FAILED);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	marker = ends[1];
	assert_int_equal(command_start(&options, marker, &command), 0);
	assert_true(seen->written);
	assert_int_equal(seen->r, 0);
	assert_int_equal(seen->inode, 0);
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "headstart\n");
	assert_int_equal(command_go(&command), 0);
	assert_int_equal(waitpid(command.pid, &status, 0), command.pid);
	assert_int_equal(status, 0);
	command_release(&command);
	close(ends[0]);
	close(ends[1]);
	munmap(seen, sizeof(*seen));
}

/* A child that its user has stopped before it became the command. */
static void assert_given_up(const struct command_options *options, bool at_the_gate, int want)
{
	struct command command = COMMAND_INIT;
	int status;

	assert_int_equal(command_start(options, -1, &command), 0);
	assert_int_equal(kill(command.pid, SIGSTOP), 0);
	assert_int_equal(waitpid(command.pid, &status, WUNTRACED), command.pid);
	assert_true(WIFSTOPPED(status));
	if (!at_the_gate) {
		pid_t pid = command.pid;

		if (options->signals >= 0)
			raise(SIGTERM);
		if (want == -ETIME)
			command.patience_ms = 500;
		assert_int_equal(command_go(&command), want);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(WTERMSIG(status), SIGKILL);
	}
	command_release(&command);
	assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
}

static void a_child_that_is_stopped_holds_nobody_up(void **state)
{
	char *argv[] = {(char *)"true", NULL};
	struct command_options options = {.path = "/bin/true",
		.argv = argv,
		.recording = "test",
		.signals = -1,
		.patience_ms = 1000000};
	sigset_t signals, before;

	assert_given_up(&options, true, 0);
	assert_given_up(&options, false, -ETIME);
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, &before);
	options.signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	options.mask = before;
	assert_true(options.signals >= 0);
	assert_given_up(&options, false, -EINTR);
	close(options.signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* As by the keyboard while the page cache is dropped. */
static void a_child_that_is_ended_at_the_gate_was_interrupted(void **state)
{
	char *argv[] = {(char *)"true", NULL};
	const struct command_options options = {
		.path = "/bin/true", .argv = argv, .recording = "test", .signals = -1, .patience_ms = 100000};
	struct command command = COMMAND_INIT;
	int status;

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(command_start(&options, -1, &command), 0);
	assert_int_equal(kill(command.pid, SIGTERM), 0);
	assert_int_equal(waitpid(command.pid, &status, 0), command.pid);
	assert_int_equal(command_go(&command), -EINTR);
	command_release(&command);
	signal(SIGPIPE, SIG_DFL);
}

static void a_child_that_is_ended_behind_the_gate_was_interrupted(void **state)
{
	char *argv[] = {(char *)"true", NULL};
	const struct command_options options = {
		.path = "/bin/true", .argv = argv, .recording = "test", .signals = -1, .patience_ms = 100000};
	struct command command = COMMAND_INIT;
	int status;

	assert_int_equal(command_start(&options, -1, &command), 0);
	assert_int_equal(kill(command.pid, SIGSTOP), 0);
	assert_int_equal(waitpid(command.pid, &status, WUNTRACED), command.pid);
	assert_int_equal(command_open_gate(&command), 0);
	assert_int_equal(kill(command.pid, SIGKILL), 0);
	assert_int_equal(command_outcome(&command), -EINTR);
	assert_int_equal(waitpid(command.pid, &status, 0), command.pid);
	command_release(&command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_that_is_stopped_holds_nobody_up),
		cmocka_unit_test(a_child_that_is_ended_at_the_gate_was_interrupted),
		cmocka_unit_test(a_child_that_is_ended_behind_the_gate_was_interrupted),
		cmocka_unit_test(text_for_the_marker_lies_in_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
