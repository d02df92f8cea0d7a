/* SPDX-License-Identifier: MIT */
#include "base/run/process-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"

#define PATH_SIZE 320 /* enough for a name that readdir(3) gives */

static int compose(char path[PATH_SIZE], pid_t pid, const char *name, va_list values)
{
	size_t used = (size_t)snprintf(path, PATH_SIZE, "/proc/%d/", pid);

	return vsnprintf(path + used, PATH_SIZE - used, name, values) < (int)(PATH_SIZE - used)
		? 0
		: -ENAMETOOLONG;
}

int process_open(pid_t pid, int flags, const char *name, ...)
{
	char path[PATH_SIZE];
	va_list values;
	int fd, r;

	va_start(values, name);
	r = compose(path, pid, name, values);
	va_end(values);
	if (r < 0)
		return r;
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int process_read(pid_t pid, size_t limit, char **ret_text, size_t *ret_size, const char *name, ...)
{
	char path[PATH_SIZE];
	va_list values;
	size_t size;
	int r;

	va_start(values, name);
	r = compose(path, pid, name, values);
	va_end(values);
	return r < 0 ? r : read_pseudo_file(path, limit, ret_text, ret_size ? ret_size : &size);
}

bool process_number(pid_t pid, const char *name, const char *key, uint64_t *ret)
{
	_cleanup_free_ char *text = NULL;

	return process_read(pid, PROCESS_STATUS_MAX, &text, NULL, "%s", name) == 0 &&
		number_of_line(text, key, ret);
}

DIR *process_threads(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return opendir(path);
}

pid_t process_next_thread(DIR *threads)
{
	struct dirent *entry;

	while ((entry = readdir(threads)))
		if (entry->d_name[0] != '.')
			return (pid_t)strtol(entry->d_name, NULL, 10);
	return 0;
}
