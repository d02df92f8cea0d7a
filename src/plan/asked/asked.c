/* SPDX-License-Identifier: MIT */
/* Reads arguments from memory, and resolves paths with the kernel's help, as the shims do (ldpreload/plan/asked.c). */
#include "plan/asked/asked.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/files/same-file.h"
#include "base/paths/hidden.h"
#include "base/paths/stranger.h"
#include "base/paths/viewed.h"
#include "base/strings.h"
#include "format/asked/search.h"
#include "plan/asked/words.h"

struct arguments {
	struct words words;
	int folder; /* where relative paths begin */
	int own;    /* owned: `folder` once it has been changed; or -1 */
	int root;   /* all paths are names there; -1: here */
	uid_t viewer;
	bool of_root;
};

static bool may_look(const struct arguments *arguments, const char *path)
{
	struct stranger stranger;

	return !arguments->of_root || stranger_find_unasked_at(arguments->folder, path, &stranger) == 0;
}

/* The path of the folder below the root. */
static bool folder_in_root(const struct arguments *arguments, char ret[PATH_MAX])
{
	_cleanup_close_ int current = -1;
	char root[PATH_MAX];
	const char *rest;
	int folder = arguments->folder;

	if (folder == AT_FDCWD)
		folder = current = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0 || path_of_fd(folder, ret) < 0 || path_of_fd(arguments->root, root) < 0)
		return false;
	if (streq(root, "/"))
		return true;
	rest = after_prefix(ret, root);
	if (!rest || (*rest && *rest != '/'))
		return false;
	memmove(ret, rest, strlen(rest) + 1);
	return true;
}

/* No link and no ".." leads out of the root. */
static int open_in_root(const struct arguments *arguments, const char *path, int flags)
{
	struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	char full[PATH_MAX] = "";
	size_t length;

	if (path[0] != '/' && !folder_in_root(arguments, full))
		return -1;
	length = strlen(full);
	if ((size_t)snprintf(full + length, sizeof(full) - length, "/%s", path) >= sizeof(full) - length)
		return -1;
	return (int)syscall(SYS_openat2, arguments->root, full, &how, sizeof(how));
}

/* Whether that name leads to the file here, without a link on the way: what a path is in another namespace may be a link here. */
static bool is_named(int fd, const char *path)
{
	_cleanup_free_ char *canonical = realpath(path, NULL);
	struct stat opened, named;

	return canonical && streq(canonical, path) && fstat(fd, &opened) == 0 && lstat(path, &named) == 0 &&
		same_file(&opened, &named);
}

/*
 * Everybody can list the names of plans, which show keys, and can see in the page cache which plans were carried out. So a file gives a
 * user's start no key if only our rights, or a mount of the user's own, let us find it; nor if only our rights led us there, past what the
 * user cannot see: then the key would show that this is there.
 */
static int open_for_viewer(const struct arguments *arguments, const char *path, int flags)
{
	_cleanup_close_ int fd = -1;
	char name[PATH_MAX];

	if (arguments->root >= 0 && path[0] != '/' && !folder_in_root(arguments, name))
		return -1;
	fd = open_viewed(arguments->root, arguments->folder, path, flags, arguments->viewer);
	return fd >= 0 && path_of_fd(fd, name) == 0 && is_named(fd, name) &&
			!hidden_from(name, arguments->viewer)
		? TAKE_FD(fd)
		: -1;
}

static int open_path(const struct arguments *arguments, const char *path, int flags)
{
	if (arguments->viewer != 0)
		return open_for_viewer(arguments, path, flags);
	flags |= O_PATH | O_CLOEXEC;
	return arguments->root >= 0 ? open_in_root(arguments, path, flags)
				    : openat(arguments->folder, path, flags);
}

static bool resolve(void *context, char text[ASKED_TEXT_SIZE])
{
	const struct arguments *arguments = context;
	_cleanup_close_ int fd = may_look(arguments, text) ? open_path(arguments, text, 0) : -1;
	char path[PATH_MAX];

	if (fd < 0 || path_of_fd(fd, path) < 0 || strlen(path) >= ASKED_TEXT_SIZE)
		return false;
	strcpy(text, path);
	return true;
}

static bool enter(void *context, const char *path)
{
	struct arguments *arguments = context;
	int fd = may_look(arguments, path) ? open_path(arguments, path, O_DIRECTORY) : -1;

	if (fd < 0)
		return false;
	if (arguments->own >= 0)
		close(arguments->own);
	arguments->folder = arguments->own = fd;
	return true;
}

static bool exists(void *context, const char *path)
{
	_cleanup_close_ int fd = may_look(context, path) ? open_path(context, path, 0) : -1;

	return fd >= 0;
}

static bool find(const char *rule, const char *const *argv, const struct asked_place *place, bool of_root,
	struct asked *ret)
{
	struct arguments arguments = {.words = words_of(argv),
		.folder = place->folder,
		.own = -1,
		.root = place->root,
		.viewer = place->viewer,
		.of_root = of_root};
	const struct asked_source source = {
		.context = &arguments,
		.read = words_read,
		.resolve = resolve,
		.enter = enter,
		.exists = exists,
	};
	bool known;

	known = asked_for(rule, &source, ret);
	if (arguments.own >= 0)
		close(arguments.own);
	return known;
}

bool asked_by_arguments(const char *rule, const char *const *argv, int folder, struct asked *ret)
{
	return find(rule, argv, &(struct asked_place){.folder = folder, .root = -1}, false, ret);
}

bool asked_by_arguments_at(
	const char *rule, const char *const *argv, const struct asked_place *place, struct asked *ret)
{
	return find(rule, argv, place, false, ret);
}

bool asked_by_arguments_of_root(const char *rule, const char *const *argv, int folder, struct asked *ret)
{
	return find(rule, argv, &(struct asked_place){.folder = folder, .root = -1}, true, ret);
}
