/* SPDX-License-Identifier: MIT */
/* A program's output goes to two memory files: no pipe can be full, and no process that it leaves behind holds us
 * up. */
#include "base/run/process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"
#include "base/times.h"

#define NOBODY        65534
#define LOOK_AGAIN_MS 10

static int become_nobody(void)
{
	if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
		setresuid(NOBODY, NOBODY, NOBODY) < 0)
		return -errno;
	return 0;
}

/* In the child. */
static void start(
	const struct process_options *options, const char *const *envp, int out, int err, pid_t parent)
{
	sigset_t none;
	int nothing;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || setsid() < 0 || (!options->stay && chdir("/") < 0))
		_exit(127);
	nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (nothing < 0)
		nothing = memfd_create("empty", MFD_CLOEXEC);
	if (dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		_exit(127);
	if (options->as_nobody && become_nobody() < 0)
		_exit(127);
	execve(options->argv[0], (char *const *)options->argv, (char *const *)envp);
	_exit(127);
}

static unsigned left_until(uint64_t deadline_ms)
{
	uint64_t now = monotonic_ms();

	return now < deadline_ms ? (unsigned)(deadline_ms - now) : 0;
}

static bool has_ended(pid_t child)
{
	siginfo_t ended = {0};

	return waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT | __WALL) < 0 ||
		ended.si_pid == child;
}

/*
 * Signals do not prolong it: a thread with a timer gets one every few milliseconds. Without pidfd_open(2), before Linux 5.3,
 * this looks again and again.
 */
static bool ends_within(pid_t child, unsigned timeout_ms)
{
	_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	const uint64_t deadline_ms = monotonic_ms() + timeout_ms;
	struct pollfd end = {.fd = pidfd, .events = POLLIN}; /* poll(2) passes over a negative one */
	unsigned left = timeout_ms;

	while (!has_ended(child) && left > 0) {
		int wait_ms = pidfd < 0 && left > LOOK_AGAIN_MS ? LOOK_AGAIN_MS : (int)left;

		if (poll(&end, 1, wait_ms) < 0 && errno != EINTR)
			return true; /* waiting for it says why */
		left = left_until(deadline_ms);
	}
	return has_ended(child);
}

int process_await(pid_t child, unsigned timeout_ms, int *ret_status)
{
	bool late = timeout_ms > 0 && !ends_within(child, timeout_ms);

	if (late) {
		kill(-child, SIGKILL);
		kill(child, SIGKILL); /* it may not lead its group yet */
	}
	while (waitpid(child, ret_status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return late ? -ETIME : 0;
}

bool process_wait(pid_t child, unsigned timeout_ms)
{
	return ends_within(child, timeout_ms) && waitpid(child, NULL, WNOHANG | __WALL) == child;
}

static int take_output(int fd, size_t max, char **ret, size_t *ret_size)
{
	struct stat st;
	char *text;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (max == 0 || (uint64_t)st.st_size < max)
		max = (size_t)st.st_size;
	text = malloc(max + 1);
	if (!text)
		return -ENOMEM;
	n = pread_full(fd, text, max, 0);
	if (n < 0) {
		free(text);
		return (int)n;
	}
	text[n] = '\0';
	*ret = text;
	*ret_size = (size_t)n;
	return 0;
}

/* This process's environment, but in the C locale. The caller frees the array alone; NULL without memory. */
static const char **c_locale_environment(void)
{
	size_t n = 0, kept = 0;
	const char **copy;

	while (environ[n])
		n++;
	copy = malloc((n + 2) * sizeof(*copy));
	if (!copy)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!after_prefix(environ[i], "LC_ALL=") && !after_prefix(environ[i], "LANGUAGE="))
			copy[kept++] = environ[i];
	copy[kept++] = "LC_ALL=C";
	copy[kept] = NULL;
	return copy;
}

int process_run(const struct process_options *options, struct process_result *ret)
{
	_cleanup_close_ int out = memfd_create("stdout", MFD_CLOEXEC),
			    err = memfd_create("stderr", MFD_CLOEXEC);
	_cleanup_(process_result_releasep) struct process_result result = {0};
	_cleanup_free_ const char **environment = options->envp ? NULL : c_locale_environment();
	pid_t parent = getpid(), child;
	int r;

	if (out < 0 || err < 0)
		return -errno;
	if (!options->envp && !environment)
		return -ENOMEM;
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0)
		start(options, options->envp ? options->envp : environment, out, err, parent);
	r = process_await(child, options->timeout_ms, &result.status);
	if (r == 0)
		r = take_output(out, options->output_max, &result.out, &result.out_size);
	if (r == 0)
		r = take_output(err, options->output_max, &result.err, &result.err_size);
	if (r < 0)
		return r;
	*ret = result;
	result = (struct process_result){0};
	return 0;
}

void process_result_release(struct process_result *result)
{
	free(result->out);
	free(result->err);
	*result = (struct process_result){0};
}
