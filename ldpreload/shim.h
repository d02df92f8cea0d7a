/* SPDX-License-Identifier: MIT */
/*
 * What every part of the shim stands on: raw system calls, strings, and the start of the program it is loaded
 * into.
 *
 * The shim lives in a process that is not ours, so it is freestanding: no libc (a second one costs 150
 * microseconds a start), no thread-local storage, no heap, no global constructor order to rely on. It
 * includes headers of the compiler, of the kernel, src/format, and <link.h> for the types of rtld-audit(7);
 * never anything that needs code.
 *
 * Until shim_unfiltered() has said yes, only openat, read and close may be called: any other system call may
 * be fatal under somebody's seccomp filter. Finding out costs 18 microseconds, because the process has no
 * entry in /proc yet; so it is asked as late as possible, and most programs that need nothing of us never
 * come to it.
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

#include "syscall.h"

/* The variable that is in the environment of a program whose start is being recorded. */
#define SHIM_RECORDING "HEADSTART_RECORDING"

/* Bytes, with the NUL: a program with a longer path is left alone. */
#define SHIM_PATH_MAX 1024

/* The start of the program, from its first stack frame. */
struct shim_start {
	char **environment;  /* as it was when the program started */
	const char *program; /* AT_EXECFN as the kernel got it: a script's own path, not its interpreter's */
	const void *headers; /* AT_PHDR: the program headers of the main executable */
	uintptr_t header_count;
	uintptr_t entry;  /* AT_ENTRY: address of the first instruction */
	uintptr_t loader; /* AT_BASE: where ld.so is mapped */
	uint32_t uid;     /* AT_EUID */
	bool secure;      /* AT_SECURE, or not known: nothing may be done */
};

extern struct shim_start shim_start;

/*
 * Once, with what ld.so passes to a constructor: the arguments of main. The auxiliary vector follows the
 * environment and, where ld.so has taken variables from that (AT_SECURE), more than one NULL. musl's loader
 * passes nothing, and registers hold anything: then they are not one behind the other, nothing of the start
 * is known, and `secure` stays set.
 */
void shim_begin(int argc, char **argv, char **envp);

/* Whether we are wanted: not in a program with more rights than its user, nor in one whose start is being
 * recorded, nor when switched off. */
bool shim_wanted(void);

/* Something that is dear to find out, and so is remembered by who asks. */
enum shim_answer {
	SHIM_NOT_ASKED,
	SHIM_NO,
	SHIM_YES,
};

/* Whether system calls are free of seccomp, and the process is not an init. */
bool shim_unfiltered(enum shim_answer *answer);

/* Whether a file like /proc/self/status has this line; it is given with the '\n' before and behind it. */
bool shim_status_says(const char *path, const char *line);

/* The value of an environment variable, or NULL. shim_environment_entry() gives NAME=VALUE. */
const char *shim_environment(const char *name);
char *shim_environment_entry(const char *name);

/* Which of the shim's libraries this is: "audit", "preload". */
extern const char shim_name[];

/* One line in the file that $HEADSTART_LOG names: "NAME program=… pid=… what". */
void shim_log(const char *program, const char *what);

/* A string under construction in the caller's buffer; too long a one is known by overflow. */
struct shim_text {
	char *at, *end; /* end: one past the buffer */
	bool overflow;
};

static inline struct shim_text shim_text(char *buffer, size_t size)
{
	buffer[0] = '\0';
	return (struct shim_text){.at = buffer, .end = buffer + size};
}

void shim_text_add(struct shim_text *text, const char *string);
void shim_text_add_character(struct shim_text *text, char character);
void shim_text_add_number(struct shim_text *text, uint64_t number);

size_t shim_length(const char *string);
bool shim_equal(const char *a, const char *b);
bool shim_begins(const char *string, const char *prefix);

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
