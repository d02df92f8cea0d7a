/* SPDX-License-Identifier: MIT */
/* Looks for the user among our ancestors, and reads /proc/PID/environ. */
#include "record/command/caller.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/process-file.h"
#include "base/strings.h"

#define ANCESTORS_MAX   64
#define ENVIRONMENT_MAX (4u << 20) /* bytes; execve(2) accepts no more */

/* The parent of a process, and whether all its user ids are the user's. */
static int look_at(pid_t pid, uid_t user, pid_t *ret_parent, bool *ret_users)
{
	_cleanup_free_ char *status = NULL;
	unsigned ids[4];
	uint64_t parent;
	const char *line;
	int r = process_read(pid, PROCESS_STATUS_MAX, &status, NULL, "status");

	if (r < 0)
		return r;
	line = strstr(status, "\nUid:");
	if (!number_of_line(status, "PPid:", &parent) || !line ||
		sscanf(line, "\nUid: %u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) != 4)
		return -EBADMSG;
	*ret_parent = (pid_t)parent;
	*ret_users = ids[0] == user && ids[1] == user && ids[2] == user && ids[3] == user;
	return 0;
}

int caller_find(uid_t user, struct caller *ret)
{
	pid_t below = getpid(), pid = getppid(), parent;

	for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		bool users;
		int r = look_at(pid, user, &parent, &users);

		if (r < 0)
			return r;
		if (users)
			return process_read(below == getpid() ? pid : below, ENVIRONMENT_MAX,
				&ret->environment, &ret->size, "environ");
		below = pid;
		pid = parent;
	}
	return -ENOENT;
}

const char *caller_value(const struct caller *caller, const char *name)
{
	size_t length = strlen(name);

	/* A NUL follows the last byte: read_pseudo_file(). */
	for (size_t at = 0; at < caller->size; at += strlen(caller->environment + at) + 1)
		if (strncmp(caller->environment + at, name, length) == 0 &&
			caller->environment[at + length] == '=')
			return caller->environment + at + length + 1;
	return NULL;
}

void caller_release(struct caller *caller)
{
	free(caller->environment);
	*caller = (struct caller){0};
}
