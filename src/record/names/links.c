/* SPDX-License-Identifier: MIT */
/* Resolves paths by hand (path_resolution(7)) and reports the links on the way. */
#include "record/names/links.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/open.h"
#include "base/paths/stranger.h"
#include "base/strings.h"
#include "elf/identity.h"
#include "elf/script.h"

#define LINKS_MAX 40 /* the kernel's limit */

/* Takes the first component of *rest, with its slash, into name. Returns whether there was one. */
static bool next_component(char *rest, char *name, size_t size)
{
	size_t skip = strspn(rest, "/"), length = strcspn(rest + skip, "/");

	if (!length || length >= size)
		return false;
	memcpy(name, rest + skip, length);
	name[length] = 0;
	memmove(rest, rest + skip + length, strlen(rest + skip + length) + 1);
	return true;
}

static void go_up(char *resolved)
{
	char *slash = strrchr(resolved, '/');

	if (slash)
		*slash = 0;
}

/* Puts the content of the link `path` in front of the part that is not resolved yet. */
static int follow(const char *path, char *resolved, char *rest)
{
	char target[PATH_MAX], joined[PATH_MAX];
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length < 0)
		return -errno;
	target[length] = 0;
	if (snprintf(joined, sizeof(joined), "%s%s", target, rest) >= (int)sizeof(joined))
		return -ENAMETOOLONG;
	strcpy(rest, joined);
	if (target[0] == '/')
		resolved[0] = 0;
	return 0;
}

int links_on_path(const char *path, int (*found)(void *context, const char *link), void *context)
{
	char resolved[PATH_MAX] = "", rest[PATH_MAX], name[NAME_MAX + 1], here[PATH_MAX];
	int links = 0;

	if (path[0] != '/' || strlen(path) >= sizeof(rest))
		return -EINVAL;
	strcpy(rest, path);
	while (next_component(rest, name, sizeof(name))) {
		struct stat status;
		int r;

		if (streq(name, "."))
			continue;
		if (streq(name, "..")) {
			go_up(resolved);
			continue;
		}
		if (snprintf(here, sizeof(here), "%s/%s", resolved, name) >= (int)sizeof(here))
			return -ENAMETOOLONG;
		if (lstat(here, &status) < 0)
			return -errno;
		if (!S_ISLNK(status.st_mode)) {
			strcpy(resolved, here);
			continue;
		}
		if (++links > LINKS_MAX)
			return -ELOOP;
		r = found(context, here);
		if (r == 0)
			r = follow(here, resolved, rest);
		if (r < 0)
			return r;
	}
	return 0;
}

/* A file that is looked at, and who wants its links. */
struct linked {
	const char *path;
	bool careful;
	int (*found)(void *context, const char *link);
	void *context;
};

static bool may_look(const struct linked *file, const char *path)
{
	struct stranger stranger;

	return !file->careful || stranger_find_unasked(path, &stranger) == 0;
}

static int links_of_name(const struct linked *file, const char *name)
{
	return may_look(file, name) ? links_on_path(name, file->found, file->context) : 0;
}

/* The same if the name leads to the file itself. */
static int links_of_own_name(const struct linked *file, const char *name)
{
	_cleanup_free_ char *real = may_look(file, name) ? realpath(name, NULL) : NULL;

	return real && streq(real, file->path) ? links_on_path(name, file->found, file->context) : 0;
}

/* Reports the links on the way of dirname(path)/SONAME, if that leads to the file itself. */
static int soname_links(const struct linked *file, const char *soname)
{
	const char *slash = strrchr(file->path, '/');
	char named[PATH_MAX];

	if (strchr(soname, '/') ||
		snprintf(named, sizeof(named), "%.*s/%s", (int)(slash - file->path), file->path, soname) >=
			(int)sizeof(named))
		return 0;
	return links_of_own_name(file, named);
}

/*
 * The cache of ld.so says whether a library is opened in /lib or in /usr/lib. Where /lib is a link, opening may go
 * through it.
 */
static int library_folder_link(const struct linked *file)
{
	const char *rest = after_prefix(file->path, "/usr/lib");

	return rest && *rest == '/' ? links_of_own_name(file, file->path + strlen("/usr")) : 0;
}

static int elf_links(const struct linked *file, int fd)
{
	_cleanup_free_ char *soname = NULL;
	char interpreter[PATH_MAX];
	int r = elf_soname(fd, &soname);

	if (r == -ENOMEM)
		return r;
	r = soname ? library_folder_link(file) : 0;
	if (r == 0 && soname)
		r = soname_links(file, soname);
	if (r == 0 && elf_interpreter(fd, interpreter, sizeof(interpreter)) == 0)
		r = links_of_name(file, interpreter);
	return r;
}

int links_of_file(
	const char *path, bool careful, int (*found)(void *context, const char *link), void *context)
{
	const struct linked file = {path, careful, found, context};
	_cleanup_close_ int fd =
		may_look(&file, path) ? open_regular(path, OPEN_NO_LINKS | OPEN_KEEP_ATIME) : -EACCES;
	char magic[SELFMAG], interpreter[SCRIPT_HEAD];
	ssize_t n;

	n = fd < 0 ? fd : read_full(fd, magic, sizeof(magic));
	if (n < 0)
		return (int)n;
	if (n == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0)
		return elf_links(&file, fd);
	if (script_interpreter(fd, interpreter) && interpreter[0] == '/')
		return links_of_name(&file, interpreter);
	return 0;
}
