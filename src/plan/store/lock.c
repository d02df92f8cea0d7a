/* SPDX-License-Identifier: MIT */
#include "plan/store/lock.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/lock-file.h"
#include "plan/store/store.h"

int store_lock(void)
{
	_cleanup_free_ char *folder = NULL, *path = NULL;
	int r = store_folder(&folder);

	if (r < 0)
		return r;
	return asprintf(&path, "%s/.lock", folder) < 0 ? -ENOMEM : lock_file_wait(path);
}
