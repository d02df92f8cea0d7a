/* SPDX-License-Identifier: MIT */
/* /proc/self/uid_map: on the machine itself it is one line, which maps all ids to themselves. */
#include "lib/settings/user-namespace.h"

#include <stdint.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/files/io.h"

bool in_user_namespace(void)
{
	_cleanup_free_ char *map = NULL;
	unsigned long long inside, outside, count;
	size_t size;

	/* Not readable: the kernel has no user namespaces, or /proc is not mounted. */
	if (read_pseudo_file("/proc/self/uid_map", 1 << 16, &map, &size) < 0)
		return false;
	return sscanf(map, "%llu %llu %llu", &inside, &outside, &count) != 3 || outside != 0 ||
		count != UINT32_MAX;
}
