/* SPDX-License-Identifier: MIT */
/*
 * A double fork that leaves no trace. clone(2) makes the first child with no exit signal, so that no SIGCHLD is left
 * pending for the program that we become. We reap that child here; the detached process is then an orphan. The first child
 * shares our descriptors: its end would otherwise wait for their close, which may take as long as a file server likes.
 */
#include "prefetcher/detach.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/links.h"
#include "format/cgroup-line.h"
#include "format/surroundings.h"

#define GROUPS_MAX (64u << 10) /* bytes */

static pid_t fork_silently(void)
{
	return (pid_t)syscall(SYS_clone, 0L, NULL, NULL, NULL, NULL);
}

/* Where there is no clone3(2), under valgrind and qemu-user too, the child gets copies. */
static pid_t fork_sharing_files(void)
{
	const struct clone_args how = {.flags = CLONE_FILES};
	pid_t child = (pid_t)syscall(SYS_clone3, &how, CLONE_ARGS_SIZE_VER0);

	return child < 0 ? fork_silently() : child;
}

bool detach_in_first_namespace(void)
{
	return link_is(SURROUNDINGS_PID_CHILDREN, SURROUNDINGS_FIRST);
}

static bool in_service(void)
{
	_cleanup_free_ char *groups = NULL;
	char *rest = NULL;
	size_t size;

	if (read_file(SURROUNDINGS_GROUPS, GROUPS_MAX, &groups, &size) < 0)
		return false;
	for (char *text = strtok_r(groups, "\n", &rest); text; text = strtok_r(NULL, "\n", &rest)) {
		struct cgroup_line line;

		if (cgroup_line_split(text, &line) && surroundings_is_service(line.path))
			return true;
	}
	return false;
}

static bool everywhere(void)
{
	return access(SURROUNDINGS_EVERYWHERE, F_OK) == 0;
}

bool detach_in_container(void)
{
	return !detach_in_first_namespace() && !everywhere();
}

bool detach_stays(void)
{
	int subreaper = 0;

	if (getpid() == 1 || prctl(PR_GET_CHILD_SUBREAPER, &subreaper, 0L, 0L, 0L) != 0 || subreaper)
		return true;
	return detach_in_container() || (in_service() && !everywhere());
}

static void keep_only(int pipe_end, bool errors)
{
	int null;

	/* Moves the pipe first; otherwise /dev/null might get its place. */
	if (dup2(pipe_end, DETACHED_PIPE) < 0)
		_exit(1);
	null = open("/dev/null", O_RDWR);
	if (null < 0)
		_exit(1);
	for (int fd = 0; fd < DETACHED_PIPE; fd++)
		if (fd != STDERR_FILENO || !errors)
			dup2(null, fd);
	if (syscall(SYS_close_range, DETACHED_PIPE + 1U, ~0U, 0U) < 0)
		for (int fd = DETACHED_PIPE + 1; fd < 65536; fd++)
			close(fd);
	if (chdir("/") < 0)
		_exit(1);
}

static void default_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void detach_from_real_time(void)
{
	int policy = sched_getscheduler(0);

	if (policy == SCHED_FIFO || policy == SCHED_RR)
		(void)sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
}

static _Noreturn void be_detached(
	void (*body)(const void *context), const void *context, bool errors, int pipe_end)
{
	setsid();
	detach_from_real_time();
	default_signals();
	keep_only(pipe_end, errors);
	body(context);
	_exit(0);
}

int detach(void (*body)(const void *context), const void *context, bool errors, int *ret_pipe, int *ret_child)
{
	_cleanup_close_ int here = -1, there = -1;
	bool stays = detach_stays();
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	here = ends[0];
	there = ends[1];
	child = stays ? fork_silently() : fork_sharing_files();
	if (child < 0)
		return -errno;
	if (child == 0) {
		if (stays || fork_silently() == 0)
			be_detached(body, context, errors, there);
		_exit(0);
	}
	while (!stays && waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
		;
	*ret_pipe = TAKE_FD(here);
	*ret_child = stays ? child : -1;
	return 0;
}
