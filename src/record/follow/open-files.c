/* SPDX-License-Identifier: MIT */
/* proc(5): fd, fdinfo. */
#include "record/follow/open-files.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/run/process-file.h"
#include "base/strings.h"

#define INFO_MAX (1u << 16) /* bytes of text */

static uint64_t bytes_read(int32_t pid, const char *number)
{
	_cleanup_free_ char *text = NULL;
	uint64_t position = 0;
	const char *flags;

	if (process_read(pid, INFO_MAX, &text, NULL, "fdinfo/%s", number) < 0)
		return 0;
	flags = strstr(text, "\nflags:");
	if (!flags || (strtoul(flags + strlen("\nflags:"), NULL, 8) & O_ACCMODE) != O_RDONLY)
		return 0;
	return number_of_line(text, "pos:", &position) ? position : 0;
}

int open_files_each(int32_t pid, open_file_found *found, void *context)
{
	_cleanup_closedir_ DIR *folder = NULL;
	struct dirent *entry;
	char path[32];
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/fd", pid);
	folder = opendir(path);
	while (r == 0 && folder && (entry = readdir(folder))) {
		_cleanup_close_ int fd = -1;
		struct statx status;

		if (entry->d_name[0] == '.')
			continue;
		fd = process_open(pid, O_PATH, "fd/%s", entry->d_name);
		/* Asks no server. */
		if (fd >= 0 && statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &status) == 0 &&
			S_ISREG(status.stx_mode))
			r = found(context, fd, bytes_read(pid, entry->d_name));
	}
	return r;
}
