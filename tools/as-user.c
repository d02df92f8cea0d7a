/* SPDX-License-Identifier: MIT */
/* fork, become, work, wait. */
#include "as-user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plan/store.h"

#define TIME_MAX 60  /* seconds */
#define LOST     125 /* exit status of a child that could not become the user */

static int become(const struct passwd *user)
{
	if (initgroups(user->pw_name, user->pw_gid) < 0 ||
		setresgid(user->pw_gid, user->pw_gid, user->pw_gid) < 0 ||
		setresuid(user->pw_uid, user->pw_uid, user->pw_uid) < 0 || chdir("/") < 0)
		return -errno;
	umask(077);
	if (clearenv() != 0 || setenv("HOME", user->pw_dir, 1) < 0 || setenv("USER", user->pw_name, 1) < 0 ||
		setenv("LOGNAME", user->pw_name, 1) < 0 || setenv("PATH", STORE_DEFAULT_PATH, 1) < 0)
		return -ENOMEM;
	return 0;
}

int as_user(const char *name, int (*work)(void *context), void *context)
{
	const struct passwd *user;
	int status;
	pid_t child;

	errno = 0;
	user = getpwnam(name);
	if (!user)
		return errno ? -errno : -ENOENT;
	fflush(NULL);
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0) {
		alarm(TIME_MAX);
		_exit(become(user) < 0 ? LOST : work(context));
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (!WIFEXITED(status))
		return -EINTR;
	return WEXITSTATUS(status) == LOST ? -EPERM : WEXITSTATUS(status);
}
