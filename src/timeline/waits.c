/* SPDX-License-Identifier: MIT */
#include "timeline/waits.h"

#include <sys/syscall.h>

struct call {
	int64_t number;
	enum timeline_state state;
};

/* Calls that wait for the same thing, whatever else the thread touches meanwhile. */
static const struct call calls[] = {
	{__NR_futex, TIMELINE_LOCK},
	{__NR_flock, TIMELINE_LOCK},
	{__NR_fcntl, TIMELINE_LOCK}, /* F_SETLKW */
	{__NR_wait4, TIMELINE_CHILD},
	{__NR_waitid, TIMELINE_CHILD},
	{__NR_nanosleep, TIMELINE_TIMER},
	{__NR_clock_nanosleep, TIMELINE_TIMER},
	{__NR_rt_sigtimedwait, TIMELINE_TIMER},
	{__NR_recvfrom, TIMELINE_MESSAGE},
	{__NR_recvmsg, TIMELINE_MESSAGE},
	{__NR_recvmmsg, TIMELINE_MESSAGE},
	{__NR_sendto, TIMELINE_MESSAGE},
	{__NR_sendmsg, TIMELINE_MESSAGE},
	{__NR_connect, TIMELINE_MESSAGE},
	{__NR_accept, TIMELINE_MESSAGE},
	{__NR_accept4, TIMELINE_MESSAGE},
	{__NR_ppoll, TIMELINE_EVENTS},
	{__NR_pselect6, TIMELINE_EVENTS},
	{__NR_epoll_pwait, TIMELINE_EVENTS},
	{__NR_io_uring_enter, TIMELINE_EVENTS},
	{__NR_write, TIMELINE_WRITE},
	{__NR_writev, TIMELINE_WRITE},
	{__NR_pwrite64, TIMELINE_WRITE},
	{__NR_pwritev, TIMELINE_WRITE},
	{__NR_fsync, TIMELINE_WRITE},
	{__NR_fdatasync, TIMELINE_WRITE},
	{__NR_sync_file_range, TIMELINE_WRITE},
	{__NR_syncfs, TIMELINE_WRITE},
	{__NR_fallocate, TIMELINE_WRITE},
	{__NR_ftruncate, TIMELINE_WRITE},
#ifdef __NR_poll /* architectures older than the common table */
	{__NR_poll, TIMELINE_EVENTS},
	{__NR_select, TIMELINE_EVENTS},
	{__NR_epoll_wait, TIMELINE_EVENTS},
	{__NR_pause, TIMELINE_TIMER},
#endif
#ifdef __NR_epoll_pwait2
	{__NR_epoll_pwait2, TIMELINE_EVENTS},
#endif
#ifdef __NR_futex_waitv
	{__NR_futex_waitv, TIMELINE_LOCK},
#endif
};

/* Calls that look up names or inodes: they wait for the file system's own data. */
static const int64_t lookups[] = {
	__NR_openat,
	__NR_newfstatat,
	__NR_statx,
	__NR_faccessat,
	__NR_readlinkat,
	__NR_getdents64,
	__NR_execve,
	__NR_execveat,
	__NR_chdir,
	__NR_statfs,
	__NR_getxattr,
#ifdef __NR_open
	__NR_open,
	__NR_stat,
	__NR_lstat,
	__NR_access,
	__NR_readlink,
#endif
#ifdef __NR_openat2
	__NR_openat2,
#endif
#ifdef __NR_faccessat2
	__NR_faccessat2,
#endif
};

/* The parent of a vfork waits in the call that made the child. */
static bool makes_child(int64_t call)
{
#ifdef __NR_vfork
	if (call == __NR_vfork)
		return true;
#endif
#ifdef __NR_clone3
	if (call == __NR_clone3)
		return true;
#endif
	return call == __NR_clone;
}

static bool looks_up(int64_t call)
{
	for (size_t i = 0; i < sizeof(lookups) / sizeof(*lookups); i++)
		if (lookups[i] == call)
			return true;
	return false;
}

static bool reads(int64_t call)
{
	return call == __NR_read || call == __NR_readv || call == __NR_pread64 || call == __NR_preadv;
}

enum timeline_state wait_state(const struct wait *wait)
{
	/* No signal can interrupt a wait for a page, except on FUSE. */
	if (wait->deep && wait->has_file && !makes_child(wait->call)) {
		for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
			if (calls[i].number == wait->call && calls[i].state == TIMELINE_WRITE)
				return TIMELINE_WRITE;
		return TIMELINE_READ;
	}
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].number == wait->call)
			return calls[i].state;
	if (makes_child(wait->call))
		return TIMELINE_CHILD;
	if (looks_up(wait->call))
		return TIMELINE_READ;
	if (reads(wait->call))
		/* Signals can interrupt waits for pipes and sockets. So a deep wait is one for a page that another process reads. */
		return wait->has_file || wait->deep ? TIMELINE_READ : TIMELINE_PIPE;
	return wait->has_file && !wait->deep ? TIMELINE_READ : TIMELINE_OTHER;
}
