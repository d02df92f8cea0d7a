/* SPDX-License-Identifier: MIT */
/* Profiles and plans on disk: whose folder, which file, whether to believe it (format/state-folder.h). */
#include "plan/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/publish.h"
#include "base/search.h"
#include "base/stranger.h"
#include "base/strings.h"
#include "format/state-folder.h"

/* Of root only HEADSTART_STATE says where its files are: that has to be a folder of root's (base/stranger.h). */
static int environment_now(struct state_environment *ret)
{
	struct stranger stranger;

	*ret = (struct state_environment){
		.state = secure_getenv("HEADSTART_STATE"),
		.xdg_state_home = secure_getenv("XDG_STATE_HOME"),
		.home = secure_getenv("HOME"),
		.root = geteuid() == 0,
	};
	return state_variable_set(ret->state) ? stranger_to_us(ret->state, &stranger) : 0;
}

/*
 * Which of the folders this user writes to, wherever it stands in the order of looking: the only one, or the one that is
 * not root's. STATE_FOLDERS_MAX where there is none.
 */
static unsigned writing_folder(const struct state_environment *environment)
{
	bool only = environment->root || state_variable_set(environment->state);
	char path[PATH_MAX];
	unsigned n = 0;

	while (n < STATE_FOLDERS_MAX && !(state_folder(environment, n, path, sizeof(path)) &&
						(only || !streq(path, HEADSTART_STATE_DIR))))
		n++;
	return n;
}

static const char *suffix_of(enum store_what what)
{
	return what == STORE_PLAN ? STATE_PLAN_SUFFIX : STATE_PROFILE_SUFFIX;
}

static int copy_string(const char *string, char **ret)
{
	char *copy = strdup(string);

	if (!copy)
		return -ENOMEM;
	*ret = copy;
	return 0;
}

int store_search_folder(unsigned n, char **ret)
{
	struct state_environment environment;
	char path[PATH_MAX];
	int r = environment_now(&environment);

	if (r < 0)
		return r;
	if (n >= STATE_FOLDERS_MAX || !state_folder(&environment, n, path, sizeof(path)))
		return -ENOENT;
	return copy_string(path, ret);
}

int store_folder(char **ret)
{
	struct state_environment environment;
	int r = environment_now(&environment);

	return r < 0 ? r : store_search_folder(writing_folder(&environment), ret);
}

/* Root's plans serve everybody, whatever root's umask is. */
static int make_state_folder(const char *path, bool root)
{
	mode_t mask;
	int r;

	if (!root)
		return make_folders(path, 0700);
	mask = umask(022);
	r = make_folders(path, 0755);
	umask(mask);
	return r;
}

int store_path_for_writing(enum store_what what, const char *program, char **ret)
{
	struct state_environment environment;
	char path[PATH_MAX];
	char *slash;
	int r = environment_now(&environment);

	if (r < 0)
		return r;
	if (!state_file(&environment, writing_folder(&environment), suffix_of(what), program, path, sizeof(path)))
		return -ENOENT;
	slash = strrchr(path, '/');
	*slash = '\0';
	r = make_state_folder(path, environment.root);
	if (r < 0)
		return r;
	*slash = '/';
	return copy_string(path, ret);
}

mode_t store_mode(void)
{
	return geteuid() == 0 ? 0644 : 0600;
}

/* The name of the mark beside a plan; the caller frees it. NULL without memory. */
static char *stale_mark(const char *path)
{
	char *mark;

	return asprintf(&mark, "%s" STATE_STALE_SUFFIX, path) < 0 ? NULL : mark;
}

int store_publish_plan(const char *path, mode_t mode, const void *data, size_t size)
{
	_cleanup_free_ char *mark = stale_mark(path);
	int r;

	if (!mark)
		return -ENOMEM;
	r = publish_file(path, mode, data, size);
	if (r == 0)
		unlink(mark);
	return r;
}

bool store_plan_is_own(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_uid == geteuid();
}

bool store_plan_is_stale(const char *path)
{
	_cleanup_free_ char *mark = stale_mark(path);

	return mark && access(mark, F_OK) == 0;
}

/* Whether the path is a file to believe, which can be read. */
static int check_trusted(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return -errno;
	if (!state_file_trusted(st.st_uid, st.st_mode, geteuid()))
		return -ENOENT;
	return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0 ? -errno : 0;
}

int store_find(enum store_what what, const char *program, char **ret)
{
	struct state_environment environment;
	char path[PATH_MAX];
	int r = environment_now(&environment);

	if (r < 0)
		return r;
	for (unsigned n = 0; n < STATE_FOLDERS_MAX; n++)
		if (state_file(&environment, n, suffix_of(what), program, path,
			    sizeof(path)) &&
			check_trusted(path) == 0)
			return copy_string(path, ret);
	return -ENOENT;
}

int store_find_command(const char *command, char **ret)
{
	const char *folders = getenv("PATH");
	char path[PATH_MAX];
	int r;

	if (!*command)
		return -ENOENT;
	if (strchr(command, '/')) {
		r = search_check_executable(NULL, command);
		return r < 0 ? r : copy_string(command, ret);
	}
	r = search_folders(folders ? folders : SEARCH_DEFAULT, command, search_check_executable, NULL, path);
	return r < 0 ? r : copy_string(path, ret);
}

int store_program_path(const char *command, char **ret)
{
	_cleanup_free_ char *path = NULL;
	char *resolved;
	int r = store_find_command(command, &path);

	if (r < 0)
		return r;
	resolved = realpath(path, NULL);
	if (!resolved)
		return -errno;
	*ret = resolved;
	return 0;
}
