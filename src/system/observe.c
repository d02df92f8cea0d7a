/* SPDX-License-Identifier: MIT */
/* A program's output in two memory files: no pipe can be full, and nobody it leaves behind holds us up. */
#include "system/observe.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"

#define NOBODY 65534

static int become_nobody(void)
{
	if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
		setresuid(NOBODY, NOBODY, NOBODY) < 0)
		return -errno;
	return 0;
}

/* In the child. */
static void start(const struct observe_options *options, int out, int err, pid_t parent)
{
	sigset_t none;
	int nothing;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || setsid() < 0 || chdir("/") < 0)
		_exit(127);
	nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (nothing < 0)
		nothing = memfd_create("empty", MFD_CLOEXEC);
	if (dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		_exit(127);
	if (options->as_nobody && become_nobody() < 0)
		_exit(127);
	execve(options->argv[0], (char *const *)options->argv, (char *const *)options->envp);
	_exit(127);
}

/* Returns 0, -ETIME after killing it, or negative errno. */
static int await(pid_t child, unsigned timeout_ms, int *ret_status)
{
	_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	struct pollfd end = {.fd = pidfd, .events = POLLIN};
	int late;

	do
		late = pidfd >= 0 ? poll(&end, 1, (int)timeout_ms) : 1;
	while (late < 0 && errno == EINTR);
	if (late == 0)
		kill(-child, SIGKILL);
	while (waitpid(child, ret_status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return late == 0 ? -ETIME : 0;
}

static int take_output(int fd, char **ret, size_t *ret_size)
{
	_cleanup_free_ char *text = malloc(OBSERVE_MAX + 1);
	ssize_t n;

	if (!text)
		return -ENOMEM;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	n = read_full(fd, text, OBSERVE_MAX);
	if (n < 0)
		return (int)n;
	text[n] = '\0';
	*ret = realloc(text, (size_t)n + 1);
	if (*ret)
		(void)TAKE_PTR(text);
	*ret_size = (size_t)n;
	return *ret ? 0 : -ENOMEM;
}

int observe(const struct observe_options *options, struct observed *ret)
{
	_cleanup_close_ int out = memfd_create("stdout", MFD_CLOEXEC),
			    err = memfd_create("stderr", MFD_CLOEXEC);
	_cleanup_(observed_releasep) struct observed observed = {0};
	pid_t parent = getpid(), child;
	int r;

	if (out < 0 || err < 0)
		return -errno;
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0)
		start(options, out, err, parent);
	r = await(child, options->timeout_ms, &observed.status);
	if (r == 0)
		r = take_output(out, &observed.out, &observed.out_size);
	if (r == 0)
		r = take_output(err, &observed.err, &observed.err_size);
	if (r < 0)
		return r;
	*ret = observed;
	observed = (struct observed){0};
	return 0;
}

void observed_release(struct observed *observed)
{
	free(observed->out);
	free(observed->err);
	*observed = (struct observed){0};
}
