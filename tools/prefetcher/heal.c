/* SPDX-License-Identifier: MIT */
/*
 * Problem: the start that finds a plan stale should have a better one the next time, and whoever finds it may not be
 * noticed: the program waits for the end of its prefetcher; a prefetcher of a shim has no environment; and it may be
 * root's, in a start that a user has arranged.
 *
 * So a process of its own becomes the planner. It makes what the profile in the folder of the plan says, for the owner
 * of the plan alone, and only where user ids mean what they mean outside.
 */
#include "prefetcher/heal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "lib/settings/user-namespace.h"
#include "plan/store/store.h"
#include "prefetch/limits/process-room.h"
#include "prefetch/stale-mark.h"
#include "prefetcher/detach.h"
#include "prefetcher/time-limit.h"
#include "prefetcher/tool-path.h"

#define HEAL_LIMIT_MS 60000 /* the planner comes last for the processor and the disk */

/* Below the home of a user (format/state-folder.h). */
#define OWN_FOLDER "/.local/state/headstart"

/* A process that has another user's rights in reserve must not read what the present one wrote. */
static bool is_one_user(void)
{
	uid_t real, effective, saved;

	return getresuid(&real, &effective, &saved) == 0 && real == effective && saved == effective;
}

/* Makes the planner find the folder of the plan, and for a user also the settings, if it is below the user's home. */
static bool set_environment(const char *plan_path)
{
	char folder[PATH_MAX];
	char *slash;

	if (snprintf(folder, sizeof(folder), "%s", plan_path) >= (int)sizeof(folder) || clearenv() != 0)
		return false;
	slash = strrchr(folder, '/');
	if (!slash || slash == folder)
		return false;
	*slash = '\0';
	if (geteuid() != 0 && strlen(folder) > strlen(OWN_FOLDER) && ends_with(folder, OWN_FOLDER)) {
		folder[strlen(folder) - strlen(OWN_FOLDER)] = '\0';
		return setenv("HOME", folder, 1) == 0;
	}
	return setenv("HEADSTART_STATE", folder, 1) == 0;
}

/* The lock on the mark goes on into the planner, and ends with it. */
static void become_planner(const void *context)
{
	_cleanup_free_ char *profile = NULL;
	const struct heal *heal = context;
	int lock = heal->plan_path ? plan_mark_lock(heal->plan_path) : 0;

	if (lock < 0 || (lock > 0 && fcntl(lock, F_SETFD, 0) < 0))
		return;
	if (heal->bare && !set_environment(heal->plan_path))
		return;
	if (store_find(STORE_PROFILE, heal->program, &profile) < 0)
		return; /* 'headstart plan FILE' has made the plan; 'headstart doctor' says so */
	if (!heal->stay)
		time_limit_set(HEAL_LIMIT_MS);
	exec_planner(heal->program);
}

static int stay(const struct heal *heal)
{
	close_range(STDERR_FILENO + 1, UINT_MAX,
		CLOSE_RANGE_CLOEXEC); /* without it the planner has the old plan open */
	become_planner(heal);
	return -ENOEXEC;
}

int heal_plan(const struct heal *heal)
{
	_cleanup_close_ int pipe_end = -1;
	int child;

	if (!is_one_user() || in_user_namespace() || (heal->plan_path && !store_plan_is_own(heal->plan_path)))
		return -EPERM;
	if (process_room("") < PROCESS_ROOM_MIN)
		return -EAGAIN;
	return heal->stay ? stay(heal) : detach(become_planner, heal, false, &pipe_end, &child);
}
