/* SPDX-License-Identifier: MIT */
/*
 * Reads the environment that a caller passes through the kernel (process_vm_readv on ourselves): execve answers a bad
 * address with EFAULT, so it must not become a SIGSEGV here. The program's own environment is read in the same way
 * where the caller passes none: execv hands it to the kernel unread, and it may point to freed strings.
 */
#include "preload/environment.h"

#include "core/memory.h"
#include "core/shim.h"
#include "preload/next.h"

#include "format/recording.h"

#define OFF       "HEADSTART=off"
#define RECORDING SHIM_RECORDING "="
#define OURS      "HEADSTART" /* how both begin */

#define ENTRIES_READ 64 /* at once; a power of two, at most what a page holds */
#define GROUP_MAX    16 /* entries whose beginnings are read at once: there is little stack */
#define ENTRY_READ   80 /* bytes: more than either of the above, with the name of a recording */

static bool entry_forbids(int self, const char *entry)
{
	char text[ENTRY_READ + 1];
	const size_t name = sizeof(RECORDING) - 1;
	long got = memory_read(self, entry, text, ENTRY_READ);

	if (got <= 0)
		return false;
	text[got] = '\0';
	return shim_equal(text, OFF) ||
		(shim_begins(text, RECORDING) && shim_recording_lasts(recording_end(text + name)));
}

/*
 * Reads the beginnings of these entries at once, and of the entries that begin as ours do the rest. If one of the beginnings
 * cannot be read, perhaps because memory ends behind a short entry, it reads each entry by itself.
 */
static bool group_forbids(int self, const char *const *entries, size_t count)
{
	char beginnings[GROUP_MAX][sizeof(OURS) - 1];
	struct iovec remote[GROUP_MAX];
	const struct iovec local = {.iov_base = beginnings, .iov_len = count * sizeof(beginnings[0])};
	bool read;

	for (size_t i = 0; i < count; i++)
		remote[i] = (struct iovec){.iov_base = (void *)entries[i], .iov_len = sizeof(beginnings[0])};
	read = raw_syscall(__NR_process_vm_readv, self, (long)&local, 1, (long)remote, (long)count, 0) ==
		(long)local.iov_len;
	for (size_t i = 0; i < count; i++)
		if ((!read || shim_begins(beginnings[i], OURS)) && entry_forbids(self, entries[i]))
			return true;
	return false;
}

static bool entries_forbid(int self, const char *const *entries, size_t count)
{
	for (size_t i = 0; i < count; i += GROUP_MAX)
		if (group_forbids(self, entries + i, count - i < GROUP_MAX ? count - i : GROUP_MAX))
			return true;
	return false;
}

static bool list_forbids(char *const *environment)
{
	const char *entries[ENTRIES_READ];
	int self = sys_getpid();

	for (;;) {
		/* Only up to the end of a block, and so at most of a page: what follows may not be mapped. */
		size_t count = ENTRIES_READ - (uintptr_t)environment / sizeof(*entries) % ENTRIES_READ, n = 0;
		long got = memory_read(self, environment, entries, count * sizeof(*entries));

		if (got == -EFAULT)
			return true;
		if (got != (long)(count * sizeof(*entries)))
			return false;
		while (n < count && entries[n])
			n++;
		if (entries_forbid(self, entries, n))
			return true;
		if (n < count)
			return false;
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
