/* SPDX-License-Identifier: MIT */
#include "boot/recorder.h"

#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/lock-file.h"
#include "replace/publish.h"

static int make_folder(const char *path)
{
	_cleanup_free_ char *folder = strdup(path);

	return folder ? make_folders_for_all(dirname(folder)) : -ENOMEM;
}

int boot_lock(const char *path)
{
	int r = make_folder(path);

	return r < 0 ? r : lock_file(path);
}

int boot_signal(const char *path, int signal)
{
	pid_t holder = lock_file_holder(path);
	_cleanup_close_ int process = -1;

	if (holder <= 0)
		return holder < 0 ? holder : -ESRCH;
	process = (int)syscall(SYS_pidfd_open, holder, 0);
	if (process < 0 && errno == ENOSYS) /* before Linux 5.3 */
		return kill(holder, signal) < 0 ? -errno : 0;
	if (process < 0)
		return -errno;
	/* Its number was its own when it still had the lock: another process has not got that number meanwhile. */
	if (lock_file_holder(path) != holder)
		return -ESRCH;
	if (syscall(SYS_pidfd_send_signal, process, signal, NULL, 0) == 0)
		return 0;
	/* It is older than pidfd_open(2), but not everything that runs programs knows it: valgrind 3.24. */
	return errno == ENOSYS && kill(holder, signal) == 0 ? 0 : -errno;
}
