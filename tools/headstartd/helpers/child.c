/* SPDX-License-Identifier: MIT */
#include "headstartd/helpers/child.h"

#include <fcntl.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILE_BYTES (256u << 20) /* a profile or a plan is smaller */

/* When memory is short the kernel ends it first (proc(5), oom_score_adj), and not the daemon, which has little and would be missed. */
static void be_dispensable(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!write(fd, "500", 3);
	close(fd);
}

void child_begin(pid_t daemon, int signal, unsigned seconds)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, signal);
	if (getppid() != daemon)
		_exit(1); /* it was killed before that */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(seconds);
	be_dispensable();
}

void child_keep_only(int fd)
{
	unsigned kept = fd > STDERR_FILENO ? (unsigned)fd : STDERR_FILENO;

	if (kept > STDERR_FILENO + 1)
		syscall(SYS_close_range, STDERR_FILENO + 1, kept - 1, 0);
	syscall(SYS_close_range, kept + 1, ~0u, 0);
}

void child_become_idle(unsigned seconds)
{
	const struct rlimit time = {.rlim_cur = seconds, .rlim_max = seconds};
	const struct rlimit size = {.rlim_cur = FILE_BYTES, .rlim_max = FILE_BYTES};

	(void)sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
	setrlimit(RLIMIT_CPU, &time);
	setrlimit(RLIMIT_FSIZE, &size);
}
