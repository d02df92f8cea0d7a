/* SPDX-License-Identifier: MIT */
/* Gives a placed file a contiguous place of its own again. */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/times.h"
#include "place/check.h"
#include "place/move.h"
#include "place/place.h"
#include "place/share.h"

void place_returned_release(struct place_returned *returned)
{
	free(returned->path);
	free(returned->reason);
	*returned = (struct place_returned){0};
}

/* What the file is now; all its allocated pages are to be moved. */
static int look_at(const struct placed_file *placed, int fd, uint32_t page_size, struct place_file *ret)
{
	_cleanup_(place_runs_releasep) struct place_runs all = {0};
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_ino != placed->inode || (uint64_t)st.st_size != placed->size ||
		nanoseconds(st.st_mtim) != placed->mtime)
		return -ESTALE;
	ret->inode = st.st_ino;
	ret->size = (uint64_t)st.st_size;
	ret->mtime = nanoseconds(st.st_mtim);
	ret->ctime = nanoseconds(st.st_ctim);
	r = device_allocated(fd, &ret->extents, &ret->n_extents);
	if (r == 0)
		r = place_runs_add(&all, 0, place_file_pages(ret, page_size));
	return r < 0 ? r : place_runs_within(&all, ret->extents, ret->n_extents, page_size, &ret->moved);
}

/* In how many pieces the file lies on the disk. */
static size_t pieces_of(const struct device_extent *extents, size_t n)
{
	size_t pieces = n > 0;

	for (size_t i = 1; i < n; i++)
		pieces += extents[i - 1].physical + extents[i - 1].length != extents[i].physical;
	return pieces;
}

static int keep(struct place_returned *returned, const char *reason)
{
	returned->keep = true;
	returned->reason = strdup(reason);
	return returned->reason ? 0 : -ENOMEM;
}

static int keep_because(struct place_returned *returned, const char *reason, const char *why)
{
	returned->keep = true;
	if (asprintf(&returned->reason, "stays where it is%s%s", reason, why) >= 0)
		return 0;
	returned->reason = NULL;
	return -ENOMEM;
}

static int move_back(struct place_file *file, int fd, enum place_way way, const struct place_area *area,
	uint32_t page_size, struct place_returned *ret)
{
	int r = place_move(file, fd, way, area, page_size);

	if (r < 0 && r != -EIO)
		return r;
	ret->moved = file->status == PLACE_MOVED;
	return ret->moved ? 0 : keep(ret, file->reason ? file->reason : "was not moved");
}

/* Makes sure that the disk takes what goes there. *ret_danger says why nothing must; or NULL. Returns 0 or negative errno. */
static int prepare_room(struct place_file *file, int fd, enum place_way way, const struct place_area *area,
	uint32_t page_size, const char **ret_danger)
{
	int r;

	*ret_danger = NULL;
	if (way != PLACE_EXCHANGE) {
		r = place_copy(file, fd, area, page_size);
		return r < 0 ? r : place_settle(area);
	}
	r = place_find_danger(area->donor, ret_danger);
	return r < 0 || *ret_danger ? r : place_area_prove(area);
}

static int give_place(struct place_file *file, int fd, enum place_way way, const char *folder,
	uint32_t page_size, struct place_returned *ret)
{
	_cleanup_(place_area_releasep) struct place_area area = PLACE_NO_AREA;
	const char *danger;
	int r = place_area_open(folder, place_runs_pages(&file->moved) * page_size, &area);

	if (r == -ENOSPC || r == -EDQUOT)
		return keep(ret, "stays where it is: there is no room");
	if (r < 0)
		return r;
	r = prepare_room(file, fd, way, &area, page_size, &danger);
	if (r < 0 && r != -ENOMEM)
		return keep_because(ret, ": there is no usable room: ", strerror(-r));
	if (r < 0)
		return r;
	if (danger)
		return keep_because(ret, ": its file system ", danger);
	if (file->status != PLACE_OPEN)
		return keep(ret, file->reason ? file->reason : "was not moved");
	if (pieces_of(area.items, area.n) > pieces_of(file->extents, file->n_extents))
		return keep(ret, "stays where it is: there is no room in one piece");
	return move_back(file, fd, way, &area, page_size, ret);
}

static int take_back(const struct placed_file *placed, uint32_t page_size, struct place_returned *ret)
{
	_cleanup_(place_file_release) struct place_file file = {0};
	_cleanup_free_ char *copy = strdup(placed->path);
	_cleanup_close_ int fd = -1;
	const char *reason = NULL;
	enum place_way way;
	int r;

	if (!copy)
		return -ENOMEM;
	fd = open_regular(placed->path, OPEN_NO_LINKS | OPEN_KEEP_ATIME);
	if (open_found_none(fd))
		return 0; /* it is not that file any more */
	if (fd < 0)
		return fd;
	r = place_find_way(fd, &way);
	if (r == 0)
		r = look_at(placed, fd, page_size, &file);
	if (r == -ESTALE || (r == 0 && file.moved.n == 0))
		return 0;
	if (r == 0)
		r = place_check_file(fd, way, false, &reason);
	if (r < 0)
		return r;
	return reason ? keep(ret, reason) : give_place(&file, fd, way, dirname(copy), page_size, ret);
}

int place_take_back(const struct placed_file *file, uint32_t page_size, struct place_returned *ret)
{
	_cleanup_(place_returned_releasep) struct place_returned returned = {.path = strdup(file->path)};
	int r = returned.path ? take_back(file, page_size, &returned) : -ENOMEM;

	if (r < 0 && r != -EBADMSG && r != -ENOMEM)
		r = keep_because(&returned, ", because it cannot be moved: ", strerror(-r));
	if (r < 0)
		return r;
	*ret = returned;
	returned = (struct place_returned){0};
	return 0;
}
