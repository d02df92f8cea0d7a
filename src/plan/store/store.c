/* SPDX-License-Identifier: MIT */
/* Profiles and plans on disk: in which folder and file they are, and whether to trust them (format/state-folder.h). */
#include "plan/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/paths/stranger.h"
#include "base/run/search.h"
#include "base/run/wrapper.h"
#include "base/strings.h"
#include "replace/publish.h"

/*
 * For root only HEADSTART_STATE changes where the files are, and it must name a folder that only root can change
 * (base/paths/stranger.h).
 */
int store_of_process(struct store *ret)
{
	struct stranger stranger;

	*ret = (struct store){.root = "", .user = geteuid()};
	ret->environment = (struct state_environment){
		.state = secure_getenv("HEADSTART_STATE"),
		.xdg_state_home = secure_getenv("XDG_STATE_HOME"),
		.home = secure_getenv("HOME"),
		.root = geteuid() == 0,
	};
	if (!state_variable_set(ret->environment.state))
		return 0;
	return stranger_to_us(ret->environment.state, &stranger);
}

/*
 * The number of the folder that this user writes to, in the order of the search: the only one, or the one that is not
 * root's. STATE_FOLDERS_MAX if there is none.
 */
static unsigned writing_folder(const struct state_environment *environment)
{
	bool only = environment->root || state_variable_set(environment->state);
	char path[PATH_MAX];
	unsigned n = 0;

	while (n < STATE_FOLDERS_MAX &&
		!(state_folder(environment, n, path, sizeof(path)) &&
			(only || !streq(path, HEADSTART_STATE_DIR))))
		n++;
	return n;
}

static const char *suffix_of(enum store_what what)
{
	static const char *const suffixes[] = {
		[STORE_PROFILE] = STATE_PROFILE_SUFFIX,
		[STORE_PLAN] = STATE_PLAN_SUFFIX,
		[STORE_DISK] = STATE_DISK_SUFFIX,
		[STORE_FAST_DISK] = STATE_FAST_SUFFIX,
	};

	return suffixes[what];
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
	struct store store;
	char path[PATH_MAX];
	int r = store_of_process(&store);

	if (r < 0)
		return r;
	if (n >= STATE_FOLDERS_MAX || !state_folder(&store.environment, n, path, sizeof(path)))
		return -ENOENT;
	return copy_string(path, ret);
}

int store_folder(char **ret)
{
	struct store store;
	int r = store_of_process(&store);

	return r < 0 ? r : store_search_folder(writing_folder(&store.environment), ret);
}

/* Root's plans serve everybody, so root's umask must not hide them. */
static int make_state_folder(const char *path, bool root)
{
	return root ? make_folders_for_all(path) : make_folders(path, 0700);
}

int store_plan_for_writing(const char *program, const char *suffix, char **ret)
{
	const struct state_environment *environment;
	struct store store;
	char path[PATH_MAX];
	char *slash;
	int r = store_of_process(&store);

	if (r < 0)
		return r;
	environment = &store.environment;
	if (!state_file(environment, writing_folder(environment), suffix, program, path, sizeof(path)))
		return -ENOENT;
	slash = strrchr(path, '/');
	*slash = '\0';
	r = make_state_folder(path, environment->root);
	if (r < 0)
		return r;
	*slash = '/';
	return copy_string(path, ret);
}

int store_path_for_writing(enum store_what what, const char *program, char **ret)
{
	return store_plan_for_writing(program, suffix_of(what), ret);
}

bool store_profile_of_plan(const char *plan, char ret[PATH_MAX])
{
	const char *end = strchr(strrchr(plan, '/'), '@'); /* it is for certain starts */

	if (!end)
		end = plan + strlen(plan) - strlen(STATE_PLAN_SUFFIX);
	return snprintf(ret, PATH_MAX, "%.*s" STATE_PROFILE_SUFFIX, (int)(end - plan), plan) < PATH_MAX;
}

mode_t store_mode(void)
{
	return geteuid() == 0 ? 0644 : 0600;
}

/* The name of the mark beside a plan; the caller frees it. NULL if memory runs out. */
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

/* Removes a file that another process may remove at the same time. */
static int remove_file(const char *path)
{
	return unlink(path) < 0 && errno != ENOENT ? -errno : 0;
}

int store_remove_plan(const char *path)
{
	_cleanup_free_ char *mark = stale_mark(path);
	int r = mark ? remove_file(path) : -ENOMEM;

	return r < 0 ? r : remove_file(mark);
}

bool store_plan_is_own(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_uid == geteuid();
}

/* Builds the path below the root. Returns false if it is too long. */
static bool below_root(const struct store *store, const char *path, char full[PATH_MAX])
{
	return snprintf(full, PATH_MAX, "%s%s", store->root, path) < PATH_MAX;
}

bool store_is_stale(const struct store *store, const char *path)
{
	_cleanup_free_ char *mark = stale_mark(path);
	char full[PATH_MAX];

	return mark && below_root(store, mark, full) && access(full, F_OK) == 0;
}

bool store_plan_is_stale(const char *path)
{
	return store_is_stale(&(struct store){.root = ""}, path);
}

int store_check(const struct store *store, const char *path)
{
	char full[PATH_MAX];
	struct stat st;

	if (!below_root(store, path, full))
		return -ENAMETOOLONG;
	if (lstat(full, &st) < 0)
		return -errno;
	if (!state_file_trusted(st.st_uid, st.st_mode, store->user))
		return -EPERM;
	return faccessat(AT_FDCWD, full, R_OK, AT_EACCESS) < 0 ? -errno : 0;
}

/* As store_look_in(), but -EACCES if the file is there and this user may not read it. */
static int look_in(const struct store *store, unsigned n, const char *suffix, const char *program, char **ret)
{
	char path[PATH_MAX];
	int r;

	if (n >= STATE_FOLDERS_MAX ||
		!state_file(&store->environment, n, suffix, program, path, sizeof(path)))
		return -ENOENT;
	r = store_check(store, path);
	if (r < 0)
		return r == -EACCES ? r : -ENOENT;
	return copy_string(path, ret);
}

int store_look_in(const struct store *store, unsigned n, const char *suffix, const char *program, char **ret)
{
	int r = look_in(store, n, suffix, program, ret);

	return r == -EACCES ? -ENOENT : r;
}

int store_look_up(const struct store *store, enum store_what what, const char *program, char **ret)
{
	int failed = -ENOENT;

	for (unsigned n = 0; n < STATE_FOLDERS_MAX; n++) {
		int r = look_in(store, n, suffix_of(what), program, ret);

		if (r != -ENOENT && r != -EACCES)
			return r;
		if (r == -EACCES)
			failed = r;
	}
	return failed;
}

int store_find(enum store_what what, const char *program, char **ret)
{
	struct store store;
	int r = store_of_process(&store);

	return r < 0 ? r : store_look_up(&store, what, program, ret);
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
	r = search_folders(folders ? folders : SEARCH_DEFAULT, command, wrapper_check_program, NULL, path);
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
