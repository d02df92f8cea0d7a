/* SPDX-License-Identifier: MIT */
#include "audit/fast-disk.h"

#include "core/clock.h"
#include "core/shim.h"

#include "format/fast-disk.h"

/* The mark is looked for as a plan is: in the user's own folder, then in root's. */
bool disk_is_fast(const char *path)
{
	char name[FAST_DISK_NAME_SIZE], mark[SHIM_PATH_MAX];
	struct stat status;

	if (sys_stat(path, &status) != 0)
		return false;
	fast_disk_name(status.st_dev, name);
	for (unsigned n = 0; n < STATE_FOLDERS_MAX; n++)
		if (state_file(&shim_start.folders, n, STATE_FAST_SUFFIX, name, mark, sizeof(mark)) &&
			sys_stat(mark, &status) == 0 &&
			state_file_trusted(status.st_uid, status.st_mode, sys_geteuid()) &&
			fast_disk_counts((int64_t)status.st_mtime, epoch_seconds()))
			return true;
	return false;
}
