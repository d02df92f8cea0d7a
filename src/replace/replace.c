/* SPDX-License-Identifier: MIT */
/* Replacing the content of a file while it keeps its names, owner, mode and extended attributes. */
#include "replace/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/links.h"
#include "base/files/open.h"
#include "base/files/same-file.h"
#include "base/strings.h"
#include "replace/attributes.h"
#include "replace/hard-links.h"
#include "replace/sibling.h"

struct replacement_name {
	int folder; /* borrowed from an earlier name in the same folder, or owned */
	bool owns_folder;
	struct stat in;  /* of the folder */
	uint64_t mount;  /* the mount of the folder, which no rename can leave; 0 before Linux 5.8 */
	char *name;      /* owned; in the folder */
	char *temporary; /* owned; in the first name's folder; NULL if there is none */
};

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static int check_regular(const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return -EISDIR;
	return S_ISREG(st->st_mode) ? 0 : -EINVAL;
}

/* Whether the original is unchanged since the beginning; *ret is its present status. */
static bool unchanged(const struct replacement *replacement, struct stat *ret)
{
	const struct stat *then = &replacement->st;

	return fstat(replacement->original, ret) == 0 && ret->st_size == then->st_size &&
		same_time(ret->st_mtim, then->st_mtim) && same_time(ret->st_ctim, then->st_ctim);
}

static uint64_t mount_id(int fd)
{
	struct statx stx;

	return statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx) == 0 && (stx.stx_mask & STATX_MNT_ID)
		? stx.stx_mnt_id
		: 0;
}

/* Opens and sweeps the folder of `path`, and appends the name; -EEXIST if it is in the list already. */
static int append_name(struct replacement *replacement, const char *path)
{
	_cleanup_free_ char *name = NULL;
	_cleanup_close_ int folder = -1;
	struct replacement_name added;
	int r = folder_open(path, &folder, &name);

	if (r < 0)
		return r;
	added = (struct replacement_name){.folder = folder, .owns_folder = true, .mount = mount_id(folder)};
	if (fstat(folder, &added.in) < 0)
		return -errno;
	if (replacement->n_names > 0 && replacement->names[0].mount != added.mount)
		return -EXDEV;
	for (size_t i = 0; i < replacement->n_names; i++) {
		const struct replacement_name *known = &replacement->names[i];

		if (!same_file(&known->in, &added.in))
			continue;
		if (streq(known->name, name))
			return -EEXIST;
		added.folder = known->folder;
		added.owns_folder = false;
	}
	r = ARRAY_RESERVE(replacement->names, replacement->names_capacity, replacement->n_names + 1);
	if (r < 0)
		return r;
	if (added.owns_folder)
		siblings_sweep(TAKE_FD(folder));
	added.name = TAKE_PTR(name);
	replacement->names[replacement->n_names++] = added;
	return 0;
}

/* Without /proc the file is opened a second time, as by open_regular(). */
static int open_original(struct replacement *replacement, int folder, const char *name, int flags)
{
	int fd = openat(folder, name, flags | O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	fd = open_finish(fd, S_IFREG, 0);
	if (fd < 0 && fd != -EOPNOTSUPP)
		return fd;
	if (fd < 0)
		fd = openat(folder, name, flags | O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	replacement->original = fd;
	if (fd < 0 || fstat(fd, &replacement->st) < 0)
		return -errno;
	return check_regular(&replacement->st);
}

static int make_temporary(struct replacement *replacement)
{
	struct replacement_name *first = &replacement->names[0];
	int r = sibling_create(
		first->folder, first->name, &replacement->fd, &replacement->lock, &first->temporary);

	return r < 0 ? r : attributes_drop_inherited_acl(replacement->fd);
}

int replacement_begin(struct replacement *ret, const char *path)
{
	_cleanup_(replacement_releasep) struct replacement begun = REPLACEMENT_NONE;
	_cleanup_free_ char *resolved = realpath(path, NULL);
	int r;

	if (!resolved)
		return -errno;
	r = append_name(&begun, resolved);
	if (r < 0)
		return r;
	r = open_original(&begun, begun.names[0].folder, begun.names[0].name, O_NOFOLLOW);
	if (r < 0)
		return r;
	r = make_temporary(&begun);
	if (r < 0)
		return r;
	*ret = begun;
	begun = REPLACEMENT_NONE;
	return 0;
}

/* By the kernel, which follows no link of somebody else's in a folder that everybody can write to (fs.protected_symlinks). */
static int follow(const char *path, char ret[PATH_MAX])
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	/* Without /proc, or if the name ends as those of deleted files do, the kernel has followed it all the same. */
	return path_of_fd(fd, ret) == 0 || realpath(path, ret) ? 0 : -EIO;
}

int replacement_begin_new(struct replacement *ret, const char *out_path, const char *like_path)
{
	_cleanup_(replacement_releasep) struct replacement begun = REPLACEMENT_NONE;
	char resolved[PATH_MAX];
	bool exists;
	struct stat there;
	int r = follow(out_path, resolved);

	if (r < 0 && r != -ENOENT)
		return r;
	begun.as_permitted = true;
	r = append_name(&begun, r == 0 ? resolved : out_path);
	if (r < 0)
		return r;
	exists = fstatat(begun.names[0].folder, begun.names[0].name, &there, 0) == 0;
	r = exists ? check_regular(&there) : 0;
	if (r == 0)
		r = open_original(&begun, AT_FDCWD, like_path, 0);
	if (r < 0)
		return r;
	if (exists && same_file(&there, &begun.st))
		return -ENOTUNIQ;
	r = make_temporary(&begun);
	if (r < 0)
		return r;
	*ret = begun;
	begun = REPLACEMENT_NONE;
	return 0;
}

static int check_name(const struct replacement *replacement, const struct replacement_name *name)
{
	struct stat st;

	if (fstatat(name->folder, name->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	return same_file(&st, &replacement->st) ? 0 : -EINVAL;
}

static void name_release(struct replacement_name *name)
{
	free(name->name);
	free(name->temporary);
	if (name->owns_folder)
		close(name->folder);
}

int replacement_add_name(struct replacement *replacement, const char *path)
{
	struct stat before, after;
	bool as_before = unchanged(replacement, &before);
	int r = append_name(replacement, path);

	if (r < 0)
		return r == -EEXIST ? 0 : r;
	r = check_name(replacement, &replacement->names[replacement->n_names - 1]);
	if (r < 0) {
		name_release(&replacement->names[--replacement->n_names]);
		return r;
	}
	/* The sweep may have removed links to this very file that a killed process left, which is no change. */
	if (as_before && fstat(replacement->original, &after) == 0)
		replacement->st = after;
	return 0;
}

static bool knows_name(const struct replacement *replacement, const struct stat *folder, const char *name)
{
	for (size_t i = 0; i < replacement->n_names; i++)
		if (same_file(&replacement->names[i].in, folder) && streq(replacement->names[i].name, name))
			return true;
	return false;
}

struct beside {
	struct replacement *replacement;
	size_t known; /* the name whose folder it is */
};

static int add_name_beside(void *context, const char *name)
{
	const struct beside *beside = context;
	struct replacement *replacement = beside->replacement;
	struct replacement_name added = replacement->names[beside->known];

	if (knows_name(replacement, &added.in, name))
		return 0;
	if (ARRAY_RESERVE(replacement->names, replacement->names_capacity, replacement->n_names + 1) < 0)
		return -ENOMEM;
	added.owns_folder = false;
	added.temporary = NULL;
	added.name = strdup(name);
	if (!added.name)
		return -ENOMEM;
	replacement->names[replacement->n_names++] = added;
	return 0;
}

int replacement_add_names_beside(struct replacement *replacement)
{
	size_t n = replacement->n_names;
	int r = 0;

	for (size_t i = 0; i < n && r == 0 && replacement->st.st_nlink > replacement->n_names; i++)
		r = hard_links_in(replacement->names[i].folder, ".", &replacement->st, add_name_beside,
			&(struct beside){replacement, i});
	return r;
}

static int copy_by_hand(struct replacement *replacement, uint64_t from, uint64_t size)
{
	size_t capacity = 256 * 1024;
	_cleanup_free_ char *buffer = malloc(capacity);

	if (!buffer)
		return -ENOMEM;
	while (from < size) {
		size_t wanted = size - from < capacity ? (size_t)(size - from) : capacity;
		ssize_t n = pread(replacement->original, buffer, wanted, (off_t)from);
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENODATA;
		r = write_full(replacement->fd, buffer, (size_t)n);
		if (r < 0)
			return r;
		from += (uint64_t)n;
	}
	return 0;
}

/* Whether copy_file_range(2) is impossible between these two files, so that only reading and writing works. */
static bool cannot_copy_range(int error)
{
	return error == ENOSYS || error == EXDEV || error == EOPNOTSUPP || error == EINVAL || error == EPERM;
}

/* copy_file_range() shares the blocks (as FICLONERANGE does) on file systems that can. */
int replacement_copy_original(struct replacement *replacement, uint64_t size)
{
	off_t at = 0;

	if (size > (uint64_t)replacement->st.st_size)
		return -ENODATA;
	if (lseek(replacement->fd, 0, SEEK_SET) < 0)
		return -errno;
	while ((uint64_t)at < size) {
		ssize_t n = copy_file_range(
			replacement->original, &at, replacement->fd, NULL, size - (uint64_t)at, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && !cannot_copy_range(errno))
			return -errno;
		if (n <= 0)
			return copy_by_hand(replacement, (uint64_t)at, size);
	}
	return 0;
}

/*
 * Makes a temporary name for each further name, all in the folder of the first name, which is renamed first. So if any
 * name is new, the first is. A later replacement of the new file by its first name sweeps that folder, and so finds no
 * superfluous link.
 */
static int link_further_names(struct replacement *replacement)
{
	const struct replacement_name *first = &replacement->names[0];

	for (size_t i = 1; i < replacement->n_names; i++) {
		struct replacement_name *name = &replacement->names[i];
		int r = sibling_link(first->folder, first->temporary, name->name, &name->temporary);

		if (r < 0)
			return r;
	}
	return 0;
}

static int rename_all(struct replacement *replacement)
{
	int first_folder = replacement->names[0].folder;

	for (size_t i = 0; i < replacement->n_names; i++) {
		struct replacement_name *name = &replacement->names[i];

		if (renameat(first_folder, name->temporary, name->folder, name->name) < 0)
			return -errno;
		free(TAKE_PTR(name->temporary));
	}
	return 0;
}

static int sync_folders(const struct replacement *replacement)
{
	for (size_t i = 0; i < replacement->n_names; i++) {
		int r = replacement->names[i].owns_folder ? folder_sync(replacement->names[i].folder) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

/* The last check before the names change, so that only a few system calls lie in between. */
static int check_original(const struct replacement *replacement)
{
	struct stat now;

	if (!unchanged(replacement, &now))
		return -ESTALE;
	for (size_t i = 0; i < replacement->n_names && !replacement->as_permitted; i++)
		if (check_name(replacement, &replacement->names[i]) < 0)
			return -ESTALE;
	return 0;
}

int replacement_commit(struct replacement *replacement)
{
	int r;

	if (!replacement->as_permitted && replacement->n_names < replacement->st.st_nlink)
		return -EMLINK;
	free(TAKE_PTR(replacement->lost));
	/* Before it gets rights (set-user-ID, capabilities): whoever is killed here leaves a file that everybody can execute. */
	if (fsync(replacement->fd) < 0)
		return -errno;
	r = attributes_copy(replacement->original, &replacement->st, replacement->fd,
		replacement->as_permitted, &replacement->lost);
	if (r < 0)
		return r;
	if (fsync(replacement->fd) < 0)
		return -errno;
	close(TAKE_FD(
		replacement
			->fd)); /* it may be a program, which must not be open for writing when it has its name */
	r = link_further_names(replacement);
	if (r < 0)
		return r;
	r = check_original(replacement);
	if (r < 0)
		return r;
	r = rename_all(replacement);
	return r < 0 ? r : sync_folders(replacement);
}

void replacement_release(struct replacement *replacement)
{
	int first_folder = replacement->n_names > 0 ? replacement->names[0].folder : -1;

	for (size_t i = 0; i < replacement->n_names; i++)
		if (replacement->names[i].temporary)
			unlinkat(first_folder, replacement->names[i].temporary, 0);
	for (size_t i = 0; i < replacement->n_names; i++)
		name_release(&replacement->names[i]);
	free(replacement->names);
	free(replacement->lost);
	cleanup_closep(&replacement->fd);
	cleanup_closep(&replacement->lock);
	cleanup_closep(&replacement->original);
	*replacement = REPLACEMENT_NONE;
}
