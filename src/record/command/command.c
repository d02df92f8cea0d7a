/* SPDX-License-Identifier: MIT */
/* Forks, waits at the gate, execs. Between gate and exec the child touches no page of a file (detach.h). */
#include "record/command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/run/child-signal.h"
#include "base/run/descriptors.h"
#include "base/run/process-file.h"
#include "base/times.h"
#include "display/window.h"
#include "record/command/terminal.h"
#include "record/command/user.h"

#define STAT_MAX      (1u << 16)  /* bytes of text */
#define PF_FORKNOEXEC 0x00000040u /* the kernel's include/linux/sched.h */

/* In the environment of the command: who reads ahead leaves it alone. */
static int tell_of_recording(const struct command_options *options)
{
	int r;

	if (!options->recording)
		return 0;
	r = setenv("HEADSTART_RECORDING", options->recording, 1);
	if (r == 0)
		r = options->traced ? setenv("HEADSTART_TRACED", "1", 1) : unsetenv("HEADSTART_TRACED");
	return r;
}

static int prepare_child(const struct command_options *options, int marker)
{
	/*
	 * On the stack: kernels before 6.12 copy it with page faults off, and the page of a literal may not be there yet.
	 */
	char text[] = "headstart\n";
	int r = options->terminal ? terminal_enter(options->terminal) : 0;

	if (r == 0 && options->user)
		r = user_become(options->user);
	if (r < 0)
		return r;
	if (tell_of_recording(options) < 0 ||
		(options->needs_x11 && setenv("WAYLAND_DISPLAY", WINDOW_NO_WAYLAND, 1) < 0) ||
		sigprocmask(SIG_SETMASK, &options->mask, NULL) < 0)
		return -errno;
	child_signal_put_back();
	descriptors_put_back();
	return marker < 0 ? 0 : write_full(marker, text, sizeof(text) - 1);
}

/* Only the kernel's CAP_SYS_ADMIN may filter what then gains rights. */
static bool may_filter(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	return syscall(SYS_capget, &header, data) == 0 && data[0].effective & 1u << CAP_SYS_ADMIN;
}

static int set_filter(const struct sock_fprog *filter)
{
	if (!may_filter() && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	/* Without this flag older kernels make every program slower that has a filter. */
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, filter) < 0
		? -errno
		: 0;
}

/* Reports how the preparation went, waits at the gate, execs, and reports the error if that fails. */
static _Noreturn void child_main(const struct command_options *options, int marker, int gate, int failed)
{
	int r = prepare_child(options, marker);
	char byte;

	write_full(failed, &r, sizeof(r));
	if (r < 0 || read_full(gate, &byte, 1) != 1)
		_exit(127);
	r = options->filter ? set_filter(options->filter) : 0;
	if (r == 0) {
		/* Like every shell, execvp runs a script without a #! line with the shell. */
		execvp(options->path, options->argv);
		r = -errno;
	}
	write_full(failed, &r, sizeof(r));
	_exit(127);
}

int command_check(const struct command *command, uint64_t deadline_ms)
{
	struct signalfd_siginfo info = {.ssi_signo = SIGCHLD};
	int r = 0;

	while (info.ssi_signo == SIGCHLD && read(command->signals, &info, sizeof(info)) == sizeof(info))
		;
	if (info.ssi_signo != SIGCHLD)
		r = -EINTR;
	else if (monotonic_ms() >= deadline_ms)
		r = -ETIME;
	if (r < 0)
		kill(command->pid, SIGKILL);
	return r;
}

/* What the child says of itself; `none` if it has closed its end without a word. */
static int await_word(const struct command *command, int none)
{
	struct pollfd fds[] = {
		{.fd = command->failed, .events = POLLIN},
		{.fd = command->signals, .events = POLLIN},
	};
	uint64_t deadline_ms = monotonic_ms() + command->patience_ms;
	int word, r = 0;

	while (r == 0 && (poll(fds, 2, (int)command->patience_ms) < 0 || !fds[0].revents))
		r = command_check(command, deadline_ms);
	if (r < 0)
		return r;
	return read_full(command->failed, &word, sizeof(word)) == sizeof(word) ? word : none;
}

int command_start(const struct command_options *options, int marker, struct command *ret)
{
	_cleanup_close_ int gate_read = -1, gate_write = -1, failed_read = -1, failed_write = -1;
	int gate[2], failed[2], r;
	pid_t pid;

	if (pipe2(gate, O_CLOEXEC) < 0)
		return -errno;
	gate_read = gate[0];
	gate_write = gate[1];
	if (pipe2(failed, O_CLOEXEC) < 0)
		return -errno;
	failed_read = failed[0];
	failed_write = failed[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		close(TAKE_FD(gate_write));
		child_main(options, marker, gate_read, failed_write);
	}
	close(TAKE_FD(failed_write));
	*ret = (struct command){.pid = pid,
		.bereft = options->filter && (options->user || !may_filter()),
		.gate = TAKE_FD(gate_write),
		.failed = TAKE_FD(failed_read),
		.signals = options->signals,
		.patience_ms = options->patience_ms};
	r = await_word(ret, -ECHILD);
	if (r < 0)
		command_release(ret);
	return r;
}

int command_open_gate(struct command *command)
{
	_cleanup_close_ int gate = TAKE_FD(command->gate);
	int r = write_full(gate, "g", 1);

	return r == -EPIPE ? -EINTR : r; /* a signal has ended the child that waits there */
}

/*
 * Whether it has passed execve(2): by the flags in proc(5)'s "stat", which a process keeps when it is killed. True if it has been
 * reaped already.
 */
static bool has_executed(pid_t pid)
{
	_cleanup_free_ char *text = NULL;
	const char *name_end =
		process_read(pid, STAT_MAX, &text, NULL, "stat") < 0 ? NULL : strrchr(text, ')');
	unsigned flags;

	return !name_end || sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) != 1 ||
		!(flags & PF_FORKNOEXEC);
}

/* A child that is ended before it has become the command says nothing either. */
int command_outcome(struct command *command)
{
	int r = await_word(command, 0);

	return r == 0 && !has_executed(command->pid) ? -EINTR : r;
}

int command_go(struct command *command)
{
	int r = command_open_gate(command);

	return r ? r : command_outcome(command);
}

/* A child that has not passed the gate is killed, since it may be stopped; one that has become the command is left alone. */
void command_release(struct command *command)
{
	if (command->gate >= 0) {
		kill(command->pid, SIGKILL);
		close(command->gate);
		while (waitpid(command->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (command->failed >= 0)
		close(command->failed);
	*command = (struct command)COMMAND_INIT;
}
