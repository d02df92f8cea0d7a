/* SPDX-License-Identifier: MIT */
/*
 * thread-filter FILTER WAY FILE: a second thread installs a seccomp filter that kills the process at any system call
 * that libc's posix_spawn does not need to start a program. Then it starts FILE by posix_spawn, vfork-execv or
 * dlopen, as WAY says. The first thread has no filter; if FILTER is "none", the second has none either. Exits with
 * the status of the program.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forbid.h"

static const unsigned int forbidden[] = {__NR_preadv2, __NR_openat2, __NR_readahead, __NR_io_uring_setup,
	__NR_fadvise64, __NR_getxattr, __NR_lgetxattr, __NR_fgetxattr, __NR_flock, __NR_process_vm_readv,
	__NR_setsid, __NR_chdir, __NR_umask, __NR_memfd_create, __NR_ftruncate, __NR_unshare, __NR_pidfd_open,
	__NR_mincore, __NR_statx, __NR_clock_gettime, __NR_getpid, __NR_geteuid, __NR_ppoll, __NR_statfs,
	__NR_fstatfs};

#define FORBIDDEN (sizeof(forbidden) / sizeof(forbidden[0]))

struct work {
	const char *filter, *way;
	char **argv;
	int status;
};

static int status_of(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int start(const char *way, char **argv)
{
	pid_t child = -1;

	if (strcmp(way, "dlopen") == 0)
		return dlopen(argv[0], RTLD_NOW) ? 7 : 2;
	if (strcmp(way, "posix_spawn") == 0) {
		if (posix_spawn(&child, argv[0], NULL, NULL, argv, environ) != 0)
			return 2;
	} else {
		child = vfork();
		if (child == 0) {
			execv(argv[0], argv);
			_exit(2);
		}
	}
	return status_of(child);
}

static void *run(void *argument)
{
	struct work *work = argument;

	if (strcmp(work->filter, "none") != 0 && forbid(forbidden, FORBIDDEN, SECCOMP_RET_KILL_PROCESS) != 0)
		work->status = 3;
	else
		work->status = start(work->way, work->argv);
	return NULL;
}

int main(int argc, char **argv)
{
	struct work work = {.status = 2};
	pthread_t thread;

	if (argc < 4)
		return 2;
	work.filter = argv[1];
	work.way = argv[2];
	work.argv = argv + 3;
	if (pthread_create(&thread, NULL, run, &work) != 0 || pthread_join(thread, NULL) != 0)
		return 2;
	return work.status;
}
