/* SPDX-License-Identifier: MIT */
/* Composes names from what the mount tables say, and compares what they lead to with the opened file. */
#include "record/names/name-here.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/files/same-file.h"
#include "base/paths/overlay.h"
#include "base/strings.h"

#define LAYERS_MAX 512 /* the kernel has 500 at most (OVL_MAX_STACK) */

/* The part of the path below the folder: "" or "/…"; NULL if it does not lie there. */
static const char *below(const char *path, const char *folder)
{
	const char *rest = streq(folder, "/") ? path : after_prefix(path, folder);

	return rest && (!*rest || *rest == '/') ? rest : NULL;
}

static char *join(const char *folder, const char *rest)
{
	char *path;

	if (asprintf(&path, "%s%s", streq(folder, "/") && *rest ? "" : folder, rest) < 0)
		return NULL;
	return path;
}

char *name_here_by_mount(const struct mounts *here, const struct mount *there, const char *path,
	const struct statx *status, bool cached)
{
	const char *rest = below(path, there->point);
	_cleanup_free_ char *on_file_system = rest ? join(there->root, rest) : NULL;

	for (size_t i = 0; on_file_system && i < here->count; i++) {
		const struct mount *mount = &here->items[i];
		const char *part = mount->root && mount->device == there->device
			? below(on_file_system, mount->root)
			: NULL;
		_cleanup_free_ char *name = part ? join(mount->point, part) : NULL;

		if (name && path_leads_to(name, status, cached))
			return TAKE_PTR(name);
	}
	return NULL;
}

char *name_here_below_mount(const struct mounts *here, const char *path, const struct statx *status,
	bool cached, const struct mount **ret_mount)
{
	for (size_t i = 0; path[0] == '/' && i < here->count; i++) {
		_cleanup_free_ char *name = join(here->items[i].point, path);

		if (!name || !path_leads_to(name, status, cached))
			continue;
		*ret_mount = &here->items[i];
		return TAKE_PTR(name);
	}
	return NULL;
}

static int open_at(int folder, const char *path, uint64_t resolve, bool cached)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, .resolve = resolve | (cached ? RESOLVE_CACHED : 0)};

	return (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
}

/*
 * Opens the file below the layer, whose own path root has chosen and which may have links. Those in it were made by who made the image, and would
 * be followed in our root.
 */
static int open_in_layer(const char *layer, const char *rest, bool cached)
{
	_cleanup_free_ char *path = join(layer, "/."); /* also if it is a link itself */
	_cleanup_close_ int folder = path ? open_at(AT_FDCWD, path, 0, cached) : -1;

	return folder < 0
		? -1
		: open_at(folder, rest + 1, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV, cached);
}

static bool is_same_time(const struct statx_timestamp *a, const struct statx_timestamp *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/*
 * An overlay shows the inode number of the layer (Documentation/filesystems/overlayfs.rst, "Inode properties"), also after it has copied the
 * file up; the copy has another ctime.
 */
static bool looks_like(const struct statx *named, const struct statx *status)
{
	return named->stx_ino == status->stx_ino && named->stx_size == status->stx_size &&
		(named->stx_mode & S_IFMT) == (status->stx_mode & S_IFMT) &&
		is_same_time(&named->stx_mtime, &status->stx_mtime) &&
		is_same_time(&named->stx_ctime, &status->stx_ctime);
}

bool name_here_still_leads_to(const char *name, const struct statx *status)
{
	_cleanup_close_ int fd = open_at(AT_FDCWD, name, RESOLVE_NO_SYMLINKS, true);
	struct statx named;

	return fd >= 0 && statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &named) == 0 &&
		looks_like(&named, status);
}

static char *name_in(
	const char *layer, const char *rest, const struct statx *status, bool cached, struct statx *ret_named)
{
	_cleanup_close_ int fd = open_in_layer(layer, rest, cached);
	char name[PATH_MAX];

	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, ret_named) < 0 ||
		!looks_like(ret_named, status) || path_of_fd(fd, name) < 0)
		return NULL;
	return strdup(name);
}

char *name_here_in_layer(const struct mount *there, const char *path, const struct statx *status, bool cached,
	struct statx *ret_named)
{
	const char *rest = there->options ? below(path, there->point) : NULL;
	_cleanup_free_ char *on_overlay = rest ? join(there->root, rest) : NULL;

	for (size_t n = 0; on_overlay && n < LAYERS_MAX; n++) {
		_cleanup_free_ char *layer = NULL;
		char *name;

		if (overlay_layer(there->options, false, n, &layer) < 0)
			break;
		name = layer[0] == '/' && on_overlay[0] == '/'
			? name_in(layer, on_overlay, status, cached, ret_named)
			: NULL;
		if (name)
			return name;
	}
	return NULL;
}
