/* SPDX-License-Identifier: MIT */
/*
 * What every part of the shim uses: raw system calls, strings, the start of the program it is loaded into, and whether
 * it may act there.
 *
 * The shim lives in a process that is not ours, so it is freestanding: no libc (a second one costs 150
 * microseconds a start), no thread-local storage, no heap, no global constructor order to rely on. It
 * includes headers of the compiler, of the kernel, src/format, and <link.h> for the types of rtld-audit(7);
 * never anything that needs code.
 *
 * Until shim_may_act() has said yes, only openat, read and close may be called: any other system call may be fatal
 * under a seccomp filter. Asking costs 18 microseconds, because the process has no entry in /proc yet. So the shim asks
 * as late as possible, and never in most programs that it does nothing for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <asm/stat.h>
#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/limits.h>

#include "core/start.h"
#include "core/text.h"
#include "syscall.h"

/* Bytes, with the NUL: a program with a longer path is left alone. The stack we run on may be small. */
#define SHIM_PATH_MAX 512

/* Bits of st_mode; <sys/stat.h> belongs to libc. */
#define MODE_KIND    0170000
#define MODE_REGULAR 0100000
#define MODE_LINK    0120000
#define MODE_SET_ID  0006000

/* Whether we are wanted: not in a program with more rights than its user, not while its start is recorded, and not when
 * switched off. */
bool shim_wanted(void);

/* Whether a recording that ends then at the latest (format/recording.h; 0: there is none) may still go on. */
bool shim_recording_lasts(uint64_t end);

/* The answer to an expensive question, which the caller keeps. */
enum shim_answer {
	SHIM_NOT_ASKED,
	SHIM_NO,
	SHIM_YES,
};

/*
 * Whether we may do more than open, read and close: this thread has no seccomp filter, which might make other calls
 * fatal; it does not run on a signal stack, which may be too small for us; and the process is not pid 1.
 */
bool shim_may_act(enum shim_answer *answer);

/* Whether a file like /proc/self/status has this line. `line` begins and ends with '\n'. */
bool shim_status_says(const char *path, const char *line);

/* Whether there is a file at that path; it is not opened. */
bool shim_exists(const char *path);

/* Whether the file lies on this machine (format/on-this-machine.h); true also if that cannot be told. Waits for nothing. */
bool shim_on_this_machine(int path_fd);

/*
 * Opens the file behind `path_fd`, an O_PATH descriptor, for reading, if it is a regular file: opening a device or a
 * FIFO has effects. Returns a descriptor or -errno.
 */
int shim_open_regular(int path_fd);

/* Whether no limit is set on the size of files: a write beyond one, even to a memfd, sends the program SIGXFSZ. */
bool shim_may_grow_files(void);

#define SHIM_FD_PATH_SIZE 40 /* bytes */

/* Writes the path of a descriptor of this thread in /proc. */
void shim_fd_path(int fd, char path[SHIM_FD_PATH_SIZE]);

/* Writes one line to the file that $HEADSTART_LOG names, if we obey that: "NAME program=… pid=… what". */
void shim_log(const char *program, const char *what);

static inline int sys_open(const char *path, int flags)
{
	return (int)raw_syscall(__NR_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0644, 0, 0);
}

static inline void sys_close(int fd)
{
	raw_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
}

static inline long sys_read(int fd, void *data, size_t size)
{
	return raw_syscall(__NR_read, fd, (long)data, (long)size, 0, 0, 0);
}

static inline long sys_write(int fd, const void *data, size_t size)
{
	return raw_syscall(__NR_write, fd, (long)data, (long)size, 0, 0, 0);
}

static inline long sys_pread(int fd, void *data, size_t size, uint64_t offset)
{
	return raw_syscall(__NR_pread64, fd, (long)data, (long)size, (long)offset, 0, 0);
}

static inline long sys_pwrite(int fd, const void *data, size_t size, uint64_t offset)
{
	return raw_syscall(__NR_pwrite64, fd, (long)data, (long)size, (long)offset, 0, 0);
}

static inline int sys_fstat(int fd, struct stat *ret)
{
	return (int)raw_syscall(__NR_fstat, fd, (long)ret, 0, 0, 0, 0);
}

/* Follows links, also one at the end. */
static inline int sys_stat(const char *path, struct stat *ret)
{
	return (int)raw_syscall(__NR_newfstatat, AT_FDCWD, (long)path, (long)ret, 0, 0, 0);
}

static inline long sys_readlink(const char *path, char *target, size_t size)
{
	return raw_syscall(__NR_readlinkat, AT_FDCWD, (long)path, (long)target, (long)size, 0, 0);
}

static inline uint32_t sys_geteuid(void)
{
	return (uint32_t)raw_syscall(__NR_geteuid, 0, 0, 0, 0, 0, 0);
}

static inline int sys_getpid(void)
{
	return (int)raw_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
}
