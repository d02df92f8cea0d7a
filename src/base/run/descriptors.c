/* SPDX-License-Identifier: MIT */
#include "base/run/descriptors.h"

#include <stdbool.h>
#include <sys/resource.h>

static struct rlimit before;
static bool raised;

void descriptors_allow_all(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	if (!raised)
		before = limit;
	limit.rlim_cur = limit.rlim_max;
	raised |= setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

void descriptors_put_back(void)
{
	if (raised)
		(void)setrlimit(RLIMIT_NOFILE, &before);
}
