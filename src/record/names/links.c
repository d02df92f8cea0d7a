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

/* Reports the links on the way of dirname(path)/SONAME, if that leads to the file itself. */
static int soname_links(
	const char *path, const char *soname, int (*found)(void *, const char *), void *context)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *real = NULL;
	char named[PATH_MAX];

	if (strchr(soname, '/') ||
		snprintf(named, sizeof(named), "%.*s/%s", (int)(slash - path), path, soname) >=
			(int)sizeof(named))
		return 0;
	real = realpath(named, NULL);
	return real && streq(real, path) ? links_on_path(named, found, context) : 0;
}

/*
 * The cache of ld.so says whether a library is opened in /lib or in /usr/lib. Where /lib is a link, opening may go
 * through it.
 */
static int library_folder_link(const char *path, int (*found)(void *, const char *), void *context)
{
	_cleanup_free_ char *real = NULL;
	const char *rest = after_prefix(path, "/usr/lib");

	if (!rest || *rest != '/')
		return 0;
	real = realpath(path + strlen("/usr"), NULL);
	return real && streq(real, path) ? links_on_path(path + strlen("/usr"), found, context) : 0;
}

static int elf_links(const char *path, int fd, int (*found)(void *, const char *), void *context)
{
	_cleanup_free_ char *soname = NULL;
	char interpreter[PATH_MAX];
	int r = elf_soname(fd, &soname);

	if (r == -ENOMEM)
		return r;
	r = soname ? library_folder_link(path, found, context) : 0;
	if (r == 0 && soname)
		r = soname_links(path, soname, found, context);
	if (r == 0 && elf_interpreter(fd, interpreter, sizeof(interpreter)) == 0)
		r = links_on_path(interpreter, found, context);
	return r;
}

int links_of_file(const char *path, int (*found)(void *context, const char *link), void *context)
{
	_cleanup_close_ int fd = open_regular(path, OPEN_NO_LINKS | OPEN_KEEP_ATIME);
	char magic[SELFMAG], interpreter[SCRIPT_HEAD];
	ssize_t n;

	n = fd < 0 ? fd : read_full(fd, magic, sizeof(magic));
	if (n < 0)
		return (int)n;
	if (n == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0)
		return elf_links(path, fd, found, context);
	if (script_interpreter(fd, interpreter) && interpreter[0] == '/')
		return links_on_path(interpreter, found, context);
	return 0;
}
