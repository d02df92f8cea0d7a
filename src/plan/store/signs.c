/* SPDX-License-Identifier: MIT */
/* Finds the other names of a planned program, and makes and removes its signs. */
#include "plan/store/signs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/paths/stranger.h"
#include "base/run/search.h"
#include "base/strings.h"
#include "format/state-folder.h"
#include "plan/store/store.h"

struct signs {
	const char *program;       /* canonical */
	const char *base;          /* its last part */
	struct stat status;        /* of it */
	char plan[PLAN_NAME_SIZE]; /* the name of its plan */
	int state;                 /* the folder of plans, open */
};

static int signs_init(struct signs *signs, const char *program)
{
	_cleanup_free_ char *folder = NULL;
	int r = store_folder(&folder);

	if (r < 0)
		return r;
	*signs = (struct signs){.program = program, .base = strrchr(program, '/') + 1};
	plan_name(program, STATE_PLAN_SUFFIX, signs->plan);
	signs->state = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return signs->state < 0 ? -errno : 0;
}

static void signs_releasep(struct signs *signs)
{
	cleanup_closep(&signs->state);
}

static bool is_sign_of(const struct signs *signs, const char *entry)
{
	char target[PLAN_NAME_SIZE];
	ssize_t length = readlinkat(signs->state, entry, target, sizeof(target));

	return length == (ssize_t)strlen(signs->plan) && memcmp(target, signs->plan, (size_t)length) == 0;
}

static int remove_signs(const struct signs *signs)
{
	_cleanup_closedir_ DIR *folder = NULL;
	struct dirent *entry;
	int r = opendir_at(signs->state, ".", &folder);

	if (r < 0)
		return r;
	while ((entry = readdir(folder)))
		if (is_sign_of(signs, entry->d_name) && unlinkat(signs->state, entry->d_name, 0) < 0 &&
			errno != ENOENT)
			r = -errno; /* another process may withdraw the same ones */
	return r;
}

/*
 * A link there is a sign of another program that this name stood for before, so it is replaced. A file is a plan and
 * stays.
 */
static int put_up(const struct signs *signs, const char *name)
{
	char sign[PLAN_NAME_SIZE], was[PLAN_NAME_SIZE];

	plan_name(name, STATE_PLAN_SUFFIX, sign);
	if (readlinkat(signs->state, sign, was, sizeof(was)) >= 0)
		unlinkat(signs->state, sign, 0);
	if (symlinkat(signs->plan, signs->state, sign) < 0 && errno != EEXIST)
		return -errno;
	return 0;
}

/*
 * Whether an entry of a folder is another name of the program. The cheap checks come first, because there are
 * thousands.
 */
static bool is_name(const struct signs *signs, int folder, const struct dirent *entry, const char *path)
{
	char resolved[PATH_MAX];
	struct stat status;

	if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN && !streq(entry->d_name, signs->base))
		return false;
	return fstatat(folder, entry->d_name, &status, 0) == 0 && status.st_ino == signs->status.st_ino &&
		status.st_dev == signs->status.st_dev && !streq(path, signs->program) &&
		realpath(path, resolved) && streq(resolved, signs->program);
}

/* Whether others can leave links in the folder: somebody could leave a million. */
static bool open_to_others(DIR *folder, const char *path)
{
	struct stranger stranger;
	struct stat status;

	return fstat(dirfd(folder), &status) < 0 || (status.st_mode & S_IWOTH) ||
		stranger_to_us(path, &stranger) < 0;
}

static int look_in(const struct signs *signs, const char *path)
{
	_cleanup_closedir_ DIR *folder = opendir(path);
	char name[PATH_MAX];
	struct dirent *entry;
	int r;

	if (!folder || open_to_others(folder, path))
		return 0;
	while ((entry = readdir(folder))) {
		if (snprintf(name, sizeof(name), "%s/%s", path, entry->d_name) >= (int)sizeof(name) ||
			!is_name(signs, dirfd(folder), entry, name))
			continue;
		r = put_up(signs, name);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Skips relative folders, because programs that are started from one have a relative path. */
static int look_along(const struct signs *signs, const char *folders)
{
	char folder[PATH_MAX];
	int r = 0;

	while (r == 0 && search_next(&folders, folder)) {
		size_t length = strlen(folder);

		while (length > 1 && folder[length - 1] == '/')
			folder[--length] = '\0';
		if (folder[0] == '/')
			r = look_in(signs, folder);
	}
	return r;
}

int signs_publish(const char *program)
{
	_cleanup_(signs_releasep) struct signs signs = {.state = -1};
	const char *folders = getenv("PATH");
	int r = signs_init(&signs, program);

	if (r < 0)
		return r;
	/* Without a PATH we do not see where links were found before; one that leads elsewhere now does no harm. */
	r = folders ? remove_signs(&signs) : 0;
	if (r < 0)
		return r;
	if (stat(program, &signs.status) < 0)
		return errno == ENOENT ? 0 : -errno;
	r = folders ? look_along(&signs, folders) : 0;
	return r < 0 ? r : look_along(&signs, SEARCH_DEFAULT);
}

int signs_withdraw(const char *program)
{
	_cleanup_(signs_releasep) struct signs signs = {.state = -1};
	int r = signs_init(&signs, program);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	return remove_signs(&signs);
}
