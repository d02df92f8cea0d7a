/* SPDX-License-Identifier: MIT */
/* Composes names from what the mount tables say, and compares what they lead to with the opened file. */
#include "record/names/name-here.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"

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

static int look(const char *path, struct statx *ret)
{
	return statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO, ret);
}

/* Looks at a canonical path by what the kernel has cached of it. Before Linux 5.12 it may wait. */
static int look_cached(const char *path, struct statx *ret)
{
	struct open_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, .resolve = RESOLVE_CACHED};
	_cleanup_close_ int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd < 0)
		return errno == EINVAL || errno == ENOSYS ? look(path, ret) : -1;
	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, ret);
}

static bool leads_to(const char *path, const struct statx *status, bool cached)
{
	struct statx named;
	int r = cached ? look_cached(path, &named) : look(path, &named);

	return r == 0 && named.stx_ino == status->stx_ino && named.stx_dev_major == status->stx_dev_major &&
		named.stx_dev_minor == status->stx_dev_minor;
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

		if (name && leads_to(name, status, cached))
			return TAKE_PTR(name);
	}
	return NULL;
}

char *name_here_below_mount(const struct mounts *here, const char *path, const struct statx *status,
	bool cached, const struct mount **ret_mount)
{
	for (size_t i = 0; path[0] == '/' && i < here->count; i++) {
		_cleanup_free_ char *name = join(here->items[i].point, path);

		if (!name || !leads_to(name, status, cached))
			continue;
		*ret_mount = &here->items[i];
		return TAKE_PTR(name);
	}
	return NULL;
}
