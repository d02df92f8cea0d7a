/* SPDX-License-Identifier: MIT */
/*
 * What a caller passes as an environment is read through the kernel (process_vm_readv on ourselves): a bad
 * address must not become a SIGSEGV where execve makes EFAULT of it. So is the program's own, where the caller passes
 * none: execv hands that to the kernel unread, and it may have strings that are gone.
 */
#include "environment.h"

#include "next.h"
#include "shim.h"

#include <linux/uio.h>

#define OFF       "HEADSTART=off"
#define RECORDING SHIM_RECORDING "="

#define ENTRIES_READ 64 /* at once; a power of two, no more than a page holds */
#define ENTRY_READ   32 /* bytes: more than either of the above */

/* Copies up to `size` bytes of the memory of process `self`, our own. Returns how many, or -errno. */
static long read_memory(int self, const void *from, void *to, size_t size)
{
	const struct iovec local = {.iov_base = to, .iov_len = size};
	const struct iovec remote = {.iov_base = (void *)from, .iov_len = size};

	return raw_syscall(__NR_process_vm_readv, self, (long)&local, 1, (long)&remote, 1, 0);
}

static bool entry_forbids(int self, const char *entry)
{
	char text[ENTRY_READ + 1];
	long got = read_memory(self, entry, text, ENTRY_READ);

	if (got <= 0)
		return false;
	text[got] = '\0';
	return shim_equal(text, OFF) || shim_begins(text, RECORDING);
}

static bool list_forbids(char *const *environment)
{
	const char *entries[ENTRIES_READ];
	int self = sys_getpid();

	for (;;) {
		/* Up to the end of a block, and so of a page at most: what lies behind that may not be
		 * memory. */
		size_t count = ENTRIES_READ - (uintptr_t)environment / sizeof(*entries) % ENTRIES_READ;
		long got = read_memory(self, environment, entries, count * sizeof(*entries));

		if (got == -EFAULT)
			return true;
		if (got != (long)(count * sizeof(*entries)))
			return false;
		for (size_t i = 0; i < count; i++) {
			if (!entries[i])
				return false;
			if (entry_forbids(self, entries[i]))
				return true;
		}
		environment += count;
	}
}

bool environment_forbids(char *const *environment)
{
	char *const *const *own;

	if (environment)
		return list_forbids(environment);
	own = (char *const *const *)next_variable("environ");
	return own && *own && list_forbids(*own);
}
