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

#define ENTRIES_READ 64 /* at once; a power of two, at most what a page holds */
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

static bool list_forbids(char *const *environment)
{
	const char *entries[ENTRIES_READ];
	int self = sys_getpid();

	for (;;) {
		/* Only up to the end of a block, and so at most of a page: what follows may not be mapped. */
		size_t count = ENTRIES_READ - (uintptr_t)environment / sizeof(*entries) % ENTRIES_READ;
		long got = memory_read(self, environment, entries, count * sizeof(*entries));

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
