/* SPDX-License-Identifier: MIT */
#include "plan/store/lock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/files/lock-file.h"
#include "base/times.h"
#include "plan/store/store.h"

#define LOOK_MS 20

static int find_file(char **ret)
{
	_cleanup_free_ char *folder = NULL;
	int r = store_folder(&folder);

	if (r < 0)
		return r;
	return asprintf(ret, "%s/.lock", folder) < 0 ? -ENOMEM : 0;
}

int store_lock_within(uint64_t milliseconds)
{
	uint64_t end = monotonic_ms() + milliseconds;
	_cleanup_free_ char *path = NULL;
	int r = find_file(&path);

	if (r == 0)
		r = lock_file(path);
	while (r == -EBUSY && monotonic_ms() < end) {
		poll(NULL, 0, LOOK_MS);
		r = lock_file(path);
	}
	return r;
}

pid_t store_lock_holder(void)
{
	_cleanup_free_ char *path = NULL;
	int r = find_file(&path);

	return r < 0 ? r : lock_file_holder(path);
}
