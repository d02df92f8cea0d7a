/* SPDX-License-Identifier: MIT */
#include "record/names/marks.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/fanotify.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/strings.h"

static int mark_file_system(struct opens *opens, int folder, const char *path, uint32_t device)
{
	fanotify_mark(opens->fd, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, FAN_OPEN | FAN_ONDIR, folder, path);
	return inode_map_add(&opens->marked, device, 0, 0);
}

static int mark_mount_by_path(struct opens *opens, const struct mount *mount)
{
	struct statx status;

	/* A mount that is covered by another one cannot be reached by its path. */
	if (statx(AT_FDCWD, mount->point, AT_STATX_DONT_SYNC, STATX_MNT_ID, &status) < 0 ||
		(status.stx_mask & STATX_MNT_ID && status.stx_mnt_id != mount->id))
		return 0;
	return mark_file_system(opens, AT_FDCWD, mount->point, mount->device);
}

/*
 * What somebody mounts there is unmounted again soon, as the disk of settings of a cloud's machine, and could not be while what was opened on it
 * waits for us. The next boot does not have it.
 */
static bool is_passing(const struct mount *mount)
{
	return after_prefix(mount->point, "/run/");
}

/* fanotify hands over open files, and so the kernel opens there whatever somebody opens. */
static bool is_left_alone(const struct opens *opens, const struct mount *mount, bool ours)
{
	bool needed = ours && (streq(mount->point, "/") || streq(mount->point, "/usr"));

	return (opens->local && is_passing(mount)) ||
		(mount_is_served(mount) && (opens->careful || (opens->local && !needed)));
}

/* No server is asked, and none sees that files are opened for us. Before Linux 5.12 a path may lead through what one serves. */
int marks_mount(struct opens *opens, const struct mount *mount)
{
	_cleanup_close_ int root = -1, fd = -1;

	if (is_left_alone(opens, mount, true))
		return 0;
	if (!opens->careful)
		return mark_mount_by_path(opens, mount);
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = view_open_mount(&(struct view){.root = root}, mount);
	if (fd == -EINVAL || fd == -ENOSYS)
		return mark_mount_by_path(opens, mount);
	return fd < 0 ? 0 : mark_file_system(opens, fd, ".", mount->device);
}

int marks_view(struct opens *opens, const struct view *view)
{
	int r = 0;

	for (size_t i = 0; r == 0 && view->trusted && i < view->mounts.count; i++) {
		const struct mount *mount = &view->mounts.items[i];
		_cleanup_close_ int fd = -1;

		if (inode_map_find(&opens->marked, mount->device, 0) != INODE_MAP_NONE ||
			is_left_alone(opens, mount, false))
			continue;
		fd = view_open_mount(view, mount);
		if (fd >= 0)
			r = mark_file_system(opens, fd, ".", mount->device);
	}
	return r;
}
