/* SPDX-License-Identifier: MIT */
#include "record/profiles/describe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static char *join(const char *const *argv)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	for (size_t i = 0; argv && argv[i]; i++)
		fprintf(stream, "%s%s", i ? " " : "", argv[i]);
	return fclose(stream) == 0 ? text : NULL;
}

int record_describe(
	struct profile *profile, const char *const *argv, const char *program, const char *milestone)
{
	struct utsname kernel;

	if (uname(&kernel) < 0)
		return -errno;
	profile->command = join(argv);
	profile->program = strdup(program);
	profile->kernel = strdup(kernel.release);
	profile->milestone = strdup(milestone);
	profile->device = strdup("");
	profile->recorded = time(NULL);
	profile->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	profile->runs = 1;
	profile->backend = PROFILE_BACKEND_FILEMAP;
	return profile->command && profile->program && profile->kernel && profile->milestone &&
			profile->device
		? 0
		: -ENOMEM;
}
