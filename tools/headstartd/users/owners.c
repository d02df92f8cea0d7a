/* SPDX-License-Identifier: MIT */
#include "headstartd/users/owners.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "format/plan-name.h"
#include "plan/store/store.h"
#include "replace/publish.h"

/* The folder of a user, or with `user` NULL that of all of them. */
static bool find_folder(const char *user, char ret[PATH_MAX])
{
	_cleanup_free_ char *state = NULL;

	return store_folder(&state) == 0 &&
		snprintf(ret, PATH_MAX, "%s/learn/users%s%s", state, user ? "/" : "", user ? user : "") <
		PATH_MAX;
}

static bool find_note(const char *user, const char *program, char ret[PATH_MAX])
{
	char name[PLAN_NAME_SIZE];
	size_t n;

	if (!find_folder(user, ret))
		return false;
	plan_name(program, "", name);
	n = strlen(ret);
	return snprintf(ret + n, PATH_MAX - n, "/%s", name) < (int)(PATH_MAX - n);
}

static bool find_note_of(uid_t user, const char *program, char ret[PATH_MAX])
{
	char number[16];

	snprintf(number, sizeof(number), "%u", (unsigned)user);
	return find_note(number, program, ret);
}

bool owners_has(uid_t user, const char *program)
{
	char path[PATH_MAX];

	return find_note_of(user, program, path) && access(path, F_OK) == 0;
}

void owners_note(uid_t user, const char *program)
{
	char path[PATH_MAX], *slash;
	_cleanup_close_ int fd = -1;

	if (!find_note_of(user, program, path))
		return;
	slash = strrchr(path, '/');
	*slash = 0;
	if (make_folders(path, 0700) < 0)
		return;
	*slash = '/';
	fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

void owners_drop(uid_t user, const char *program)
{
	char path[PATH_MAX];

	if (find_note_of(user, program, path))
		unlink(path);
}

void owners_forget(const char *program)
{
	_cleanup_closedir_ DIR *users = NULL;
	char path[PATH_MAX];
	const struct dirent *user;

	users = find_folder(NULL, path) ? opendir(path) : NULL;
	while (users && (user = readdir(users)))
		if (user->d_name[0] != '.' && find_note(user->d_name, program, path))
			unlink(path);
}
