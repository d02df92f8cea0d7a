/* SPDX-License-Identifier: MIT */
/*
 * late-once PROGRAM [ARGUMENT]…: runs a program whose first preadv2(2) takes a millisecond, and which is left alone from
 * then on: one that is traced has every system call take long. Exits with its status, or 100 if it was never called.
 */
#include <stdbool.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Lets the child go on from one stop to the next. Returns whether it was in that call, which is over. */
static bool pass_first_call(pid_t child)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	struct __ptrace_syscall_info stop;
	bool within = false;
	int status;

	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		if (ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD) < 0 ||
			ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(stop), &stop) < 0)
			return false;
		if (within && stop.op == PTRACE_SYSCALL_INFO_EXIT)
			return true;
		if (stop.op == PTRACE_SYSCALL_INFO_ENTRY && stop.entry.nr == SYS_preadv2) {
			within = true;
			nanosleep(&pause, NULL);
		}
		if (ptrace(PTRACE_SYSCALL, child, NULL, NULL) < 0)
			return false;
	}
	return false;
}

int main(int argc, char **argv)
{
	pid_t child = argc > 1 ? fork() : -1;
	int status;

	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
			execvp(argv[1], argv + 1);
		perror("late-once");
		_exit(101);
	}
	if (child < 0 || !pass_first_call(child) || ptrace(PTRACE_DETACH, child, NULL, NULL) < 0)
		return 100;
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 102;
}
