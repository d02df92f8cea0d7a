/* SPDX-License-Identifier: MIT */
/*
 * The other program is executed first, as root, and becomes the user then. A process that had become the user before would still have
 * our memory, with the names of other users' files, and what keeps the user from tracing it is a setting
 * (/proc/sys/fs/suid_dumpable). Nor does a user with too many processes keep it from being executed (RLIMIT_NPROC).
 */
#include "headstartd/own.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/run/process.h"
#include "headstartd/beside.h"
#include "profile/file/profile-file.h"
#include "profile/refine/refine.h"

#define TIME_MS  30000
#define GRACE_MS 2000 /* until a process that was ended is gone, unless it hangs */

static int replace_text(char **to, const char *by)
{
	free(*to);
	*to = by ? strdup(by) : NULL;
	return by && !*to ? -ENOMEM : 0;
}

int own_take_public(struct profile *public, const struct profile *own)
{
	int r = replace_text(&public->command, own->command);

	if (r == 0)
		r = replace_text(&public->milestone, own->milestone);
	if (r == 0)
		r = replace_text(&public->folder, own->folder);
	if (r == 0)
		r = replace_text(&public->rule, NULL);
	if (r == 0)
		r = replace_text(&public->asked_path, NULL);
	if (r == 0)
		r = profile_set_arguments(public, (const char *const *)own->arguments);
	public->asked = 0;
	public->status = 0;
	public->recorded = own->recorded;
	public->first_touches = public->first_pages = 0;
	profile_clear_doubts(public);
	return r;
}

/* A file in memory with both profiles, in this order, that nobody can change; or negative errno. */
static int put_into_memory(const struct profile *public, const struct profile *own)
{
	struct profile items[] = {*public, *own}; /* borrowed */
	const struct recordings both = {.items = items, .n = 2};
	_cleanup_close_ int fd = memfd_create("profiles", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	_cleanup_free_ void *data = NULL;
	size_t size;
	int r = fd < 0 ? -errno : recordings_serialize(&both, &data, &size);

	if (r == 0)
		r = write_full(fd, data, size);
	if (r < 0)
		return r;
	if (lseek(fd, 0, SEEK_SET) < 0 ||
		fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		return -errno;
	return TAKE_FD(fd);
}

static _Noreturn void become_keeper(const struct process_owner *owner, int profiles, uint32_t found)
{
	char path[PATH_MAX], user[16], group[16], touches[16];
	char *argv[] = {(char *)"headstart-keep", user, group, touches, NULL}, *envp[] = {NULL};
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	beside_find("headstart-keep", path);
	snprintf(user, sizeof(user), "%u", (unsigned)owner->user);
	snprintf(group, sizeof(group), "%u", (unsigned)owner->group);
	snprintf(touches, sizeof(touches), "%" PRIu32, found);
	if (setsid() >= 0 && nothing >= 0 && dup2(profiles, STDIN_FILENO) >= 0 &&
		dup2(nothing, STDOUT_FILENO) >= 0 && dup2(nothing, STDERR_FILENO) >= 0 &&
		syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0) == 0)
		execve(path, argv, envp);
	_exit(127);
}

enum own_outcome own_keep(const struct process_owner *owner, const struct profile *public,
	const struct profile *own, uint32_t found)
{
	_cleanup_close_ int fd = put_into_memory(public, own);
	pid_t child = fd < 0 ? -1 : fork();

	if (child < 0)
		return OWN_NONE;
	if (child == 0)
		become_keeper(owner, fd, found);
	if (process_wait(child, TIME_MS))
		return OWN_ENDED;
	kill(child, SIGKILL);
	return process_wait(child, GRACE_MS) ? OWN_LATE : OWN_STUCK;
}
