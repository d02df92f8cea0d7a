/* SPDX-License-Identifier: MIT */
/* Turns a child of the program into the prefetcher: undoes everything that it inherited, then executes it. */
#include "prefetcher/prefetcher.h"

#include "core/clock.h"
#include "core/shim.h"

#include <asm/signal.h>
#include <asm/socket.h>
#include <linux/close_range.h>
#include <linux/resource.h>
#include <linux/time.h>

#include "format/plan-locks.h"

#define READAHEAD_MAX    (4 << 20) /* bytes */
#define DESCRIPTOR_SPARE 10        /* above all the numbers that are assigned below */
#define NUMBER_SIZE      12        /* bytes, of a descriptor in decimal */
#define GAP_MAX          64        /* free numbers in a row, behind which no descriptors are looked for */
#define TIME_LIMIT       32        /* seconds until the prefetcher has begun and set a limit of its own */
#define CLOSE_LIMIT      65536 /* descriptors closed one by one where close_range(2) is missing (before 5.9) */

void prefetcher_exit(int status)
{
	for (;;)
		raw_syscall(__NR_exit_group, status, 0, 0, 0, 0, 0);
}

/* Closes all but that descriptor, one that is none of 0 to 2; these become /dev/null. Returns its new number, or -1. */
static int close_others(int fd)
{
	int null = sys_open("/dev/null", O_RDWR);
	long spare_null = raw_syscall(__NR_fcntl, null, F_DUPFD_CLOEXEC, DESCRIPTOR_SPARE, 0, 0, 0);
	const long dealt[] = {spare_null, spare_null, spare_null, fd};
	const int count = sizeof(dealt) / sizeof(*dealt);

	for (int i = 0; i < count; i++)
		if (raw_syscall(__NR_dup3, dealt[i], i, 0, 0, 0, 0) != i)
			return -1;
	if (raw_syscall(__NR_close_range, count, ~0u, 0, 0, 0, 0) < 0)
		for (int i = count; i < CLOSE_LIMIT; i++)
			sys_close(i);
	return count - 1;
}

/* Whether it is a pipe, or a socket that does not linger: to close these takes no time. -EBADF: there is no such descriptor. */
static long closes_at_once(int fd)
{
	int linger[2] = {0}, size = sizeof(linger);
	long r = raw_syscall(__NR_getsockopt, fd, SOL_SOCKET, SO_LINGER, (long)linger, (long)&size, 0);

	if (r == -ENOTSOCK)
		return raw_syscall(__NR_fcntl, fd, F_GETPIPE_SZ, 0, 0, 0, 0) > 0;
	return r < 0 ? r : !linger[0];
}

/*
 * Whoever has started the program may wait for the end of a pipe, for instance of that which says that an execve has failed. The
 * execve closes descriptors in the order of their numbers, and may have to wait at a file before the pipe.
 */
static void close_pipes(void)
{
	for (int fd = 0, free = 0; free < GAP_MAX; fd++) {
		long r = closes_at_once(fd);

		free = r == -EBADF ? free + 1 : 0;
		if (r > 0)
			sys_close(fd);
	}
}

/*
 * Keeps only that file of the program's: a prefetcher that held the program's pipe would keep its reader waiting for the
 * end of file. Returns the file's new descriptor, or a negative number.
 *
 * To close a file of NFS, SMB or FUSE may take as long as its server likes, and the program waits for our execve. So the
 * execve closes them: the kernel lets the program go on before that. The file itself is closed under its old number here,
 * since that would release our lock on it later.
 */
static int keep_only(int fd)
{
	int kept = (int)raw_syscall(__NR_fcntl, fd, F_DUPFD_CLOEXEC, DESCRIPTOR_SPARE, 0, 0, 0);

	sys_close(fd);
	if (kept < 0)
		return kept;
	if (raw_syscall(__NR_close_range, 0, ~0u, CLOSE_RANGE_CLOEXEC, 0, 0, 0) < 0) /* before Linux 5.11 */
		return close_others(kept);
	return raw_syscall(__NR_fcntl, kept, F_SETFD, 0, 0, 0, 0) < 0 ? -1 : kept;
}

/* execve resets handlers, but not ignored or blocked signals. */
static void reset_signals(void)
{
	static const uint64_t action[8]; /* SIG_DFL, no flags: large enough for any architecture's struct */
	static const uint64_t no_signal;

	for (int i = 1; i <= 64; i++)
		raw_syscall(__NR_rt_sigaction, i, (long)action, 0, sizeof(no_signal), 0, 0);
	raw_syscall(__NR_rt_sigprocmask, SIG_SETMASK, (long)&no_signal, 0, sizeof(no_signal), 0, 0);
}

/* In its execve, too, which may wait for the close of a file, and which leaves the timer. */
static void limit_time(void)
{
	const struct itimerval timer = {.it_value = {.tv_sec = TIME_LIMIT}};

	raw_syscall(__NR_setitimer, ITIMER_REAL, (long)&timer, 0, 0, 0, 0);
}

/* The program's limits were not meant for us: raises them as far as they go, except that a crash leaves no core. */
static void reset_limits(void)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit64 limit;

		/* The program's limit on processes counts both, so the prefetcher obeys it. */
		if (i == RLIMIT_STACK || i == RLIMIT_NPROC ||
			raw_syscall(__NR_prlimit64, 0, i, 0, (long)&limit, 0, 0) != 0)
			continue;
		limit.rlim_cur = i == RLIMIT_CORE ? 0 : limit.rlim_max;
		raw_syscall(__NR_prlimit64, 0, i, (long)&limit, 0, 0, 0);
	}
}

/* If memory runs out, the kernel should end the prefetcher first. */
static void prefer_for_oom(void)
{
	int fd = sys_open("/proc/self/oom_score_adj", O_WRONLY);

	if (fd < 0)
		return;
	sys_write(fd, "1000", 4);
	sys_close(fd);
}

/*
 * Asks for all of a program at once, since the kernel and the program's own start-up would otherwise read it piece by
 * piece. The kernel cuts the request to what the device takes at once, which is enough.
 */
static void read_ahead_program(const char *path)
{
	int fd = sys_open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return;
	raw_syscall(__NR_readahead, fd, 0, READAHEAD_MAX, 0, 0, 0);
	sys_close(fd);
}

const char *prefetcher_path(void)
{
	return shim_start.prefetcher ? shim_start.prefetcher : HEADSTART_PREFETCH_PATH;
}

/* Takes the lock that names this process, until it ends or closes any descriptor of the plan. */
static void mark_as_carrier(int plan_fd)
{
	struct flock lock = {.l_type = F_RDLCK, .l_start = PLAN_LOCK_CARRIER + now_ms(), .l_len = 1};

	raw_syscall(__NR_fcntl, plan_fd, F_SETLK, (long)&lock, 0, 0, 0);
}

void prefetcher_become(int fd, const char *mode)
{
	const char *path = prefetcher_path();
	const char *const environment[] = {shim_start.log, NULL};
	char number[NUMBER_SIZE];
	struct shim_text text = shim_text(number, sizeof(number));
	const char *const argv[] = {"headstart-prefetch", "--fd", number, mode, NULL};

	read_ahead_program(path);
	raw_syscall(__NR_setsid, 0, 0, 0, 0, 0, 0);
	raw_syscall(__NR_chdir, (long)"/", 0, 0, 0, 0, 0);
	raw_syscall(__NR_umask, 022, 0, 0, 0, 0, 0);
	reset_signals();
	reset_limits();
	limit_time();
	prefer_for_oom();
	close_pipes();
	fd = keep_only(fd);
	if (fd < 0)
		prefetcher_exit(127);
	shim_text_add_number(&text, (uint64_t)fd);
	mark_as_carrier(fd);
	raw_syscall(__NR_execve, (long)path, (long)argv, (long)environment, 0, 0, 0);
	prefetcher_exit(127);
}
