/* SPDX-License-Identifier: MIT */
/* headstart relayout: which files it is about, by all their names, and whose they are. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/strings.h"
#include "package/owner.h"
#include "relayout.h"
#include "verb.h"

#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Opens a path of the tree: its symbolic links, absolute ones too, do not lead out of it (Linux 5.6). */
static int open_in_tree(const char *tree, const char *path)
{
	struct open_how how = {.flags = OPEN_FLAGS, .resolve = RESOLVE_IN_ROOT};
	_cleanup_close_ int root = open(tree, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = root < 0 ? -1 : (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

/*
 * Opens a path as the tree has it. *ret_path, malloc()ed, is the caller's: what was opened, canonical, as
 * this process sees it. Returns the descriptor or negative errno.
 */
static int open_inside(const struct relayout_run *run, const char *path, char **ret_path)
{
	_cleanup_close_ int fd = run->root[0] ? open_in_tree(run->root, path) : open(path, OPEN_FLAGS);
	char link[64], target[PATH_MAX];
	ssize_t n;

	if (fd < 0)
		return run->root[0] ? fd : -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	*ret_path = strdup(target);
	return *ret_path ? TAKE_FD(fd) : -ENOMEM;
}

static int add_name(struct relayout_file *file, const char *path)
{
	char **names = realloc(file->names, (file->n_names + 1) * sizeof(*names));

	if (!names)
		return -ENOMEM;
	file->names = names;
	names[file->n_names] = strdup(path);
	if (!names[file->n_names])
		return -ENOMEM;
	file->n_names++;
	return 0;
}

/* The other names that a file has in its own folder. */
static int add_names_beside(struct relayout_file *file, const struct stat *st)
{
	_cleanup_free_ char *folder =
		strndup(file->path, (size_t)(strrchr(file->path, '/') + 1 - file->path));
	_cleanup_closedir_ DIR *dir = folder ? opendir(folder) : NULL;
	const struct dirent *entry;
	int r = 0;

	if (!dir)
		return -errno;
	while (r == 0 && (entry = readdir(dir))) {
		_cleanup_free_ char *path = NULL;
		struct stat other;

		if (entry->d_ino != st->st_ino)
			continue;
		if (asprintf(&path, "%s%s", folder, entry->d_name) < 0) {
			path = NULL;
			return -ENOMEM;
		}
		if (!streq(path, file->path) && lstat(path, &other) == 0 && other.st_dev == st->st_dev &&
			other.st_ino == st->st_ino)
			r = add_name(file, path);
	}
	return r;
}

/* A file that is in the list already by another name (a hard link). */
static struct relayout_file *find_listed(struct relayout_run *run, const struct stat *st)
{
	for (size_t i = 0; i < run->n_files; i++)
		if (run->files[i].device == st->st_dev && run->files[i].inode == st->st_ino)
			return &run->files[i];
	return NULL;
}

static int add_file(struct relayout_run *run, const char *named, const char *path, int fd)
{
	struct relayout_file *file;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	file = find_listed(run, &st);
	if (file)
		return streq(file->path, path) ? 0 : add_name(file, path);
	if (ARRAY_RESERVE(run->files, run->files_capacity, run->n_files + 1) < 0)
		return -ENOMEM;
	file = &run->files[run->n_files];
	*file = (struct relayout_file){.path = strdup(path), .device = st.st_dev, .inode = st.st_ino};
	if (!file->path)
		return -ENOMEM;
	run->n_files++;
	file->inside = file->path + strlen(run->root);
	file->name = strrchr(named, '/') ? strrchr(named, '/') + 1 : named;
	return st.st_nlink > 1 ? add_names_beside(file, &st) : 0;
}

static bool is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, sizeof(magic), 0) == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

static int list_profile(struct relayout_run *run)
{
	for (size_t i = 0; i < run->profile.n_files; i++) {
		const struct profile_file *known = &run->profile.files[i];
		_cleanup_free_ char *path = NULL;
		_cleanup_close_ int fd = -1;
		int r;

		if (known->kind != PROFILE_REGULAR)
			continue;
		fd = open_inside(run, known->path, &path);
		if (fd < 0 || !is_elf(fd))
			continue;
		r = add_file(run, known->path, path, fd);
		if (r < 0)
			return verb_fail_errno(r, "cannot relayout '%s'", path);
	}
	return 0;
}

int relayout_list(struct relayout_run *run, char **names, size_t n)
{
	run->listed = n > 0;
	run->options.only_gains = n == 0 && !run->all; /* who names a file has thought about it */
	if (n == 0)
		return list_profile(run);
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *path = NULL;
		_cleanup_close_ int fd = open_inside(run, names[i], &path);
		int r = fd < 0 ? fd : add_file(run, names[i], path, fd);

		if (r < 0)
			return verb_fail_errno(r, "cannot relayout '%s'", names[i]);
	}
	return 0;
}

static void owners_free(struct package_owner *owners, size_t n)
{
	for (size_t i = 0; owners && i < n; i++)
		package_owner_release(&owners[i]);
	free(owners);
}

static int take_owner(struct relayout_file *file, const struct package_owner *owner)
{
	if (owner->manager == PACKAGE_NONE)
		return 0;
	relayout_set(file, RELAYOUT_REFUSED, "belongs to the package %s", owner->package);
	return package_advice(owner, &file->advice);
}

int relayout_ask_packages(struct relayout_run *run)
{
	const char **paths = calloc(run->n_files + 1, sizeof(*paths));
	struct package_owner *owners = calloc(run->n_files + 1, sizeof(*owners));
	int r = paths && owners ? 0 : -ENOMEM;

	for (size_t i = 0; i < run->n_files && r == 0; i++)
		paths[i] = run->files[i].inside;
	if (r == 0)
		r = package_owners(run->root[0] ? run->root : "/", paths, run->n_files, owners);
	for (size_t i = 0; i < run->n_files && r == 0; i++)
		r = take_owner(&run->files[i], &owners[i]);
	owners_free(owners, run->n_files);
	free(paths);
	return r < 0 ? verb_fail_errno(
			       r, "cannot find out which packages the files belong to; --force does not ask")
		     : 0;
}
