/* SPDX-License-Identifier: MIT */
/* Forks, executes, and waits for the milestone. */
#include "measure/start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/run/child-signal.h"
#include "base/run/process-tree.h"
#include "base/strings.h"
#include "base/times.h"
#include "display/window.h"
#include "measure/activity.h"

#define HELPER_PATIENCE_MS 30000 /* a prefetcher works no longer */

struct start {
	const struct start_options *options;
	pid_t pid;
	double began; /* seconds, CLOCK_MONOTONIC */
	struct activity activity;
	struct window_watch *window; /* owned; NULL unless the milestone is a window */
	bool ended, tree_ended;      /* the command; all its processes, but for helpers */
	bool interrupted;
	int status;
	double over; /* the time of the milestone; 0 until then */
};

static double now(void)
{
	return (double)monotonic_ns() / 1e9;
}

static int enter_surroundings(const struct start_options *options)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || setsid() < 0)
		return -errno;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (dup2(null, fd) < 0)
			return -errno;
	for (const struct start_variable *variable = options->variables; variable->name; variable++)
		if ((variable->value ? setenv(variable->name, variable->value, 1)
				     : unsetenv(variable->name)) < 0)
			return -errno;
	child_signal_put_back();
	return sigprocmask(SIG_SETMASK, &options->mask, NULL) < 0 ? -errno : 0;
}

/* Writes an errno to `failed` if the command cannot be executed. */
static _Noreturn void be_command(const struct start_options *options, int failed)
{
	int r = enter_surroundings(options);

	if (r == 0) {
		/* Like every shell, execvp runs a script without a #! line with the shell. */
		execvp(options->path, options->argv);
		r = -errno;
	}
	write_full(failed, &r, sizeof(r));
	_exit(127);
}

/* Returns 0 once the command is executed. */
static int execute(struct start *start, int *ret_exec_error)
{
	_cleanup_close_ int failed_read = -1, failed_write = -1;
	int failed[2], error;

	if (pipe2(failed, O_CLOEXEC) < 0)
		return -errno;
	failed_read = failed[0];
	failed_write = failed[1];
	start->began = now();
	start->pid = fork();
	if (start->pid < 0)
		return -errno;
	if (start->pid == 0)
		be_command(start->options, failed_write);
	close(TAKE_FD(failed_write));
	if (read_full(failed_read, &error, sizeof(error)) != sizeof(error))
		return 0;
	*ret_exec_error = -error;
	return -ENOEXEC;
}

/* Whether the process is one of headstart's own, which works for the command but is no part of it. */
static bool is_helper(pid_t pid)
{
	static const char *const names[] = {"headstart", "headstart-prefetch", "headstart-tool"};
	char link[32], path[PATH_MAX];
	const char *name;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	name = strrchr(path, '/');
	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (streq(name + 1, names[i]))
			return true;
	return false;
}

/* Whether no process is left but helpers, once the command itself has ended. */
static bool only_helpers(void)
{
	_cleanup_free_ pid_t *children = NULL;
	size_t n = 0;

	if (process_tree_children(&children, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!is_helper(children[i]))
			return false;
	return true;
}

static void take_signals(struct start *start)
{
	struct signalfd_siginfo info;

	while (read(start->options->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			start->interrupted = true;
	start->tree_ended = process_tree_reap(start->pid, &start->ended, &start->status);
	if (!start->tree_ended && start->ended)
		start->tree_ended = only_helpers();
}

static int check_milestone(struct start *start)
{
	const struct milestone *until = &start->options->until;
	double time = now();
	int r;

	if (start->tree_ended) {
		start->over = time;
		return until->kind == MILESTONE_EXIT ? 0 : -ECHILD;
	}
	if (time - start->began >= start->options->timeout)
		return -ETIME;
	if (until->kind == MILESTONE_WINDOW) {
		r = window_watch_seen(start->window);
		start->over = r > 0 ? time : 0;
		return r < 0 ? r : 0;
	}
	if (until->kind != MILESTONE_IDLE)
		return 0;
	r = activity_look(&start->activity, time);
	if (r == 0 && time - start->activity.quiet_since >= until->seconds)
		start->over = start->activity.quiet_since;
	return r;
}

/* Milliseconds until something is to be done without a signal. */
static int patience(const struct start *start)
{
	double left = start->began + start->options->timeout - now();

	if (start->options->until.kind == MILESTONE_IDLE)
		return ACTIVITY_LOOK_MS;
	return left > 0 && left < INT_MAX / 1000 ? (int)(left * 1000) + 1 : left > 0 ? INT_MAX : 0;
}

static int follow(struct start *start)
{
	struct pollfd fds[] = {
		{.fd = start->options->signals, .events = POLLIN},
		{.fd = start->window ? window_watch_fd(start->window) : -1, .events = POLLIN},
	};
	int r;

	do {
		if (poll(fds, 2, patience(start)) < 0 && errno != EINTR)
			return -errno;
		take_signals(start);
		if (start->interrupted)
			return -EINTR;
		r = check_milestone(start);
	} while (r == 0 && start->over == 0);
	return r;
}

/* A prefetcher that still works says in the log what it did when it ends. */
static void await_helpers(struct start *start)
{
	uint64_t deadline = monotonic_ms() + HELPER_PATIENCE_MS;
	struct pollfd fd = {.fd = start->options->signals, .events = POLLIN};
	_cleanup_free_ pid_t *children = NULL;
	size_t n = 0;
	bool any = true;

	while (any && !start->interrupted && monotonic_ms() < deadline) {
		any = false;
		free(TAKE_PTR(children));
		if (process_tree_children(&children, &n) < 0)
			return;
		for (size_t i = 0; i < n; i++)
			any |= children[i] != start->pid && is_helper(children[i]);
		if (any && poll(&fd, 1, HELPER_PATIENCE_MS) > 0)
			take_signals(start);
	}
}

int start_run(const struct start_options *options, struct start_result *ret, int *ret_exec_error)
{
	struct start start = {.options = options};
	int status = 0, r;

	if (options->until.kind == MILESTONE_WINDOW) {
		r = window_watch_new(getpid(), &start.window);
		if (r < 0)
			return r;
	}
	r = execute(&start, ret_exec_error);
	activity_init(&start.activity, start.began);
	if (r == 0)
		r = follow(&start);
	if (r == 0)
		await_helpers(&start);
	if (r == 0 && start.interrupted)
		r = -EINTR;
	if (start.pid > 0 && !process_tree_end(start.pid, &status) && r == 0)
		r = -EPERM; /* the next start would not be cold beside what is left */
	activity_release(&start.activity);
	window_watch_free(start.window);
	if (r == 0)
		*ret = (struct start_result){
			.seconds = start.over - start.began,
			.status = start.ended ? start.status : 0,
		};
	return r;
}
