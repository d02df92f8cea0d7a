/* SPDX-License-Identifier: MIT */
/*
 * Prints what a process can see of itself: arguments, environment, descriptors, signals, folder, children, limits.
 * The output must be the same with headstart in front and without.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void print_descriptors(void)
{
	for (int fd = 0; fd < 256; fd++) {
		int flags = fcntl(fd, F_GETFD);
		struct stat st;

		if (flags >= 0 && fstat(fd, &st) == 0)
			printf("fd %d flags %d inode %lu offset %ld\n", fd, flags, (unsigned long)st.st_ino,
				(long)lseek(fd, 0, SEEK_CUR));
	}
}

static void print_signals(void)
{
	sigset_t blocked, pending;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	sigpending(&pending);
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) == 0)
			printf("signal %d blocked %d pending %d ignored %d\n", number,
				sigismember(&blocked, number), sigismember(&pending, number),
				action.sa_handler == SIG_IGN);
	}
}

static void print_limits(void)
{
	for (int resource = 0; resource < RLIM_NLIMITS; resource++) {
		struct rlimit limit;

		if (getrlimit((__rlimit_resource_t)resource, &limit) == 0)
			printf("limit %d %llu %llu\n", resource, (unsigned long long)limit.rlim_cur,
				(unsigned long long)limit.rlim_max);
	}
}

static void print_children(void)
{
	pid_t child = waitpid(-1, NULL, WNOHANG | __WALL);

	printf("children %d %s\n", (int)child, child < 0 ? strerror(errno) : "");
}

int main(int argc, char **argv)
{
	char folder[4096];
	char *status = getenv("WITNESS_STATUS");
	mode_t mask = umask(0);

	printf("pid-of-starter %d\n", getenv("WITNESS_PID") && atoi(getenv("WITNESS_PID")) == getpid());
	for (int i = 0; i < argc; i++)
		printf("argument %s\n", argv[i]);
	for (char **at = environ; *at; at++)
		if (strncmp(*at, "_=", 2) != 0 && strncmp(*at, "WITNESS_PID=", 12) != 0)
			printf("environment %s\n", *at);
	print_descriptors();
	print_signals();
	print_limits();
	print_children();
	printf("folder %s umask %o session %d group %d nice %d dumpable %d\n", getcwd(folder, sizeof(folder)),
		(unsigned)mask, getsid(0) == getpid(), getpgrp() == getpid(), getpriority(PRIO_PROCESS, 0),
		prctl(PR_GET_DUMPABLE));
	return status ? atoi(status) : 0;
}
