/* SPDX-License-Identifier: MIT */
/* Has the loader look for a library that is nowhere, below a folder that has $LIB in its name. */
#include "setup/system/searched-lib.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/run/process.h"

#define TIMEOUT_MS 10000
#define OUTPUT_MAX (1u << 20) /* bytes */

/* No such folder can exist, nor such a library. */
#define NOWHERE "/proc/none"
#define NOTHING "headstart-none.so"

/* The LIB of the last "trying file=NOWHERE/LIB/NOTHING": those before have subfolders for processors. NULL if there is none. */
static char *last_tried(const char *text)
{
	static const char before[] = "trying file=" NOWHERE "/", after[] = "/" NOTHING "\n";
	const char *found = NULL;
	size_t length = 0;

	while ((text = strstr(text, before))) {
		const char *end;

		text += strlen(before);
		end = strchr(text, '\n');
		if (!end || end - text < (ptrdiff_t)strlen(NOTHING) + 1 ||
			strncmp(end + 1 - strlen(after), after, strlen(after)) != 0)
			continue;
		found = text;
		length = (size_t)(end + 1 - text) - strlen(after);
	}
	return found ? strndup(found, length) : NULL;
}

/* A file of the loader's kind, which lies in its folder. The caller frees it; NULL if memory runs out. */
static char *libc_beside(const char *loader)
{
	_cleanup_free_ char *canonical = realpath(loader, NULL);
	char *path;

	if (!canonical ||
		asprintf(&path, "%.*s/libc.so.6", (int)(strrchr(canonical, '/') - canonical), canonical) < 0)
		return NULL;
	return path;
}

int searched_lib(const char *loader, char **ret)
{
	_cleanup_free_ char *libc = libc_beside(loader);
	const char *const argv[] = {loader, "--list", libc, NULL};
	const char *const envp[] = {
		"LC_ALL=C", "LD_DEBUG=libs", "LD_LIBRARY_PATH=" NOWHERE "/$LIB", "LD_PRELOAD=" NOTHING, NULL};
	const struct process_options options = {
		.argv = argv, .envp = envp, .timeout_ms = TIMEOUT_MS, .output_max = OUTPUT_MAX};
	_cleanup_(process_result_releasep) struct process_result said = {0};
	int r = libc ? process_run(&options, &said) : -ENOMEM;
	char *lib = r < 0 ? NULL : last_tried(said.err);

	if (lib)
		*ret = lib;
	return r;
}
