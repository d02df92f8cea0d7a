/* SPDX-License-Identifier: MIT */
/* Forks, waits at the gate, execs. Between gate and exec the child touches no page of a file (detach.h). */
#include "record/command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "display/window.h"
#include "record/command/terminal.h"
#include "record/command/user.h"

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
	if (setenv("HEADSTART_RECORDING", options->recording, 1) < 0 ||
		(options->needs_x11 && setenv("WAYLAND_DISPLAY", WINDOW_NO_WAYLAND, 1) < 0) ||
		sigprocmask(SIG_SETMASK, &options->mask, NULL) < 0)
		return -errno;
	return write_full(marker, text, sizeof(text) - 1);
}

/* Reports how the preparation went, waits at the gate, execs, and reports the error if that fails. */
static _Noreturn void child_main(const struct command_options *options, int marker, int gate, int failed)
{
	int r = prepare_child(options, marker);
	char byte;

	write_full(failed, &r, sizeof(r));
	if (r < 0 || read_full(gate, &byte, 1) != 1)
		_exit(127);
	/* Like every shell, execvp runs a script without a #! line with the shell. */
	execvp(options->path, options->argv);
	r = -errno;
	write_full(failed, &r, sizeof(r));
	_exit(127);
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
	*ret = (struct command){.pid = pid, .gate = TAKE_FD(gate_write), .failed = TAKE_FD(failed_read)};
	if (read_full(ret->failed, &r, sizeof(r)) != sizeof(r))
		r = -ECHILD;
	if (r < 0)
		command_release(ret);
	return r;
}

int command_go(struct command *command)
{
	_cleanup_close_ int gate = TAKE_FD(command->gate);
	int r = write_full(gate, "g", 1), why;

	if (r < 0)
		return r;
	return read_full(command->failed, &why, sizeof(why)) == sizeof(why) ? why : 0;
}

/* A child that still waits at the gate gives up; one that has become the command is left alone. */
void command_release(struct command *command)
{
	if (command->gate >= 0) {
		close(command->gate);
		while (waitpid(command->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (command->failed >= 0)
		close(command->failed);
	*command = (struct command)COMMAND_INIT;
}
