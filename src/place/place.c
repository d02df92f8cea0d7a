/* SPDX-License-Identifier: MIT */
/* Prepares a job: what can be moved, and what is; then moves it. */
#include "place/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/strings.h"
#include "elf/identity.h"
#include "place/check.h"
#include "place/choose.h"
#include "place/internal.h"
#include "place/move.h"
#include "place/share.h"

/* An area with which planned starts are predicted to take longer than in one piece, by one part in so many, is looked at again. */
#define WORSE 10

#define FREE_IN_PIECES                                                                                       \
	"has room only in small pieces or far away, where too little would be gained, or starts without "    \
	"headstart would take more than 1.05 times as long; files that are removed make room"

void place_job_release(struct place_job *job)
{
	for (size_t i = 0; i < job->n_programs; i++)
		free(job->programs[i]);
	for (size_t i = 0; i < job->n_disks; i++)
		place_disk_release(&job->disks[i]);
	free(job->programs);
	free(job->disks);
	free(job->loaders);
	*job = (struct place_job){.root = job->root};
}

static int open_file(const struct place_job *job, const struct place_file *file)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s%s", job->root, file->path) < 0)
		return -ENOMEM;
	return open_regular(path, OPEN_NO_LINKS | OPEN_KEEP_ATIME);
}

static int cannot_open(struct place_file *file, int error)
{
	if (error == -ENOMEM)
		return error;
	if (open_found_none(error))
		place_set(file, PLACE_REFUSED, "has changed meanwhile");
	else
		place_set(file, PLACE_REFUSED, "cannot be opened: %s", strerror(-error));
	return 0;
}

/* By the programs of the job, which may have none, or by its own name, which it may not have. */
static bool is_loader(
	const struct place_job *job, const struct place_disk *disk, const struct place_file *file, int fd)
{
	_cleanup_free_ char *soname = NULL;

	for (size_t i = 0; i < job->n_loaders; i++)
		if (job->loaders[i].device == disk->number && job->loaders[i].inode == file->inode)
			return true;
	return elf_soname(fd, &soname) == 0 && elf_soname_is_loader(soname);
}

/* LILO, and GRUB where it could not embed its core image, keep lists of blocks of these. */
static bool is_for_boot_loaders(const struct place_file *file)
{
	return after_prefix(file->path, "/boot/");
}

static int check_file(const struct place_job *job, const struct place_disk *disk, struct place_file *file)
{
	_cleanup_close_ int fd = -1;
	const char *reason = NULL;
	int r;

	if (is_for_boot_loaders(file)) {
		place_set(
			file, PLACE_REFUSED, "lies in /boot, where a boot loader may know it by its blocks");
		return 0;
	}
	if (strchr(file->path, '\n')) {
		place_set(file, PLACE_REFUSED, "has a line end in its name, which the record cannot hold");
		return 0;
	}
	fd = open_file(job, file);
	if (fd < 0)
		return cannot_open(file, fd);
	if (!place_is_same(file, fd)) {
		place_set(file, PLACE_REFUSED, "has changed meanwhile");
		return 0;
	}
	if (disk->way == PLACE_EXCHANGE && is_loader(job, disk, file, fd)) {
		place_set(file, PLACE_REFUSED,
			"is the loader of programs: none could be started while it is moved");
		return 0;
	}
	r = place_check_file(fd, disk->way, job->dry_run, &reason);
	if (r < 0)
		place_set(file, PLACE_REFUSED, "cannot be opened for writing: %s", strerror(-r));
	else if (reason)
		place_set(file, PLACE_REFUSED, "%s", reason);
	return 0;
}

static int refuse(struct place_disk *disk, const char *text)
{
	free(disk->refusal);
	disk->refusal = strdup(text);
	return disk->refusal ? 0 : -ENOMEM;
}

/* Whether placing gains anything on a disk like this. */
static int check_device(const struct place_job *job, struct place_disk *disk)
{
	_cleanup_free_ char *text = NULL;

	if (job->force)
		return 0;
	if (device_is_guessed(&disk->device))
		return asprintf(&text,
			       "lies on the virtual disk '%s', which was not measured: 'sudo headstart record' does "
			       "that while it records a start",
			       disk->device.name) < 0
			? -ENOMEM
			: refuse(disk, text);
	if (disk->device.class == DEVICE_ROTATIONAL)
		return 0;
	disk->settled = true;
	return asprintf(&text,
		       "lies on '%s', which is no hard disk: placing gains nothing there; --force does it all "
		       "the same",
		       disk->device.name) < 0
		? -ENOMEM
		: refuse(disk, text);
}

/* Whether all of a recorded extent still lies where it was moved to. */
static bool is_there(const struct place_file *file, const struct device_extent *placed)
{
	uint64_t offset = placed->offset, end = placed->offset + placed->length;

	for (size_t i = device_extent_after(file->extents, file->n_extents, offset); i < file->n_extents;
		i++) {
		const struct device_extent *extent = &file->extents[i];

		if (extent->offset > offset ||
			extent->physical + (offset - extent->offset) !=
				placed->physical + (offset - placed->offset))
			return false;
		offset = extent->offset + extent->length;
		if (offset >= end)
			return true;
	}
	return false;
}

static int take_record(struct place_file *file, uint32_t page_size, const struct place_record *record)
{
	struct placed_file *placed;
	int found = place_record_find(record, file->path, &placed);

	if (found < 0)
		return found;
	if (!placed || placed->inode != file->inode || placed->size != file->size ||
		placed->mtime != file->mtime)
		return 0;
	for (size_t i = 0; i < placed->n_extents; i++) {
		const struct device_extent *extent = &placed->extents[i];
		int r;

		if (extent->offset % page_size || extent->length % page_size || !is_there(file, extent))
			continue;
		r = place_runs_add(&file->placed, extent->offset / page_size, extent->length / page_size);
		if (r < 0)
			return r;
	}
	place_runs_join(&file->placed, 0);
	return 0;
}

static int explain_choice(const struct place_job *job, struct place_disk *disk, int error)
{
	/* What was placed before lies as well as it can. */
	disk->settled = error == -ERANGE || (error == -EDOM && job->anew);
	switch (error) {
	case -ENODATA:
		return 0; /* each file has a reason, or stays */
	case -EDOM:
		return refuse(disk,
			"keeps its files where they are: whatever was moved, a start without headstart would "
			"take more than 1.05 times as long; --force does it all the same");
	case -ERANGE:
		return refuse(disk, "keeps its files where they are: no move would make a start faster");
	default:
		return error;
	}
}

static int prepare_disk(
	const struct place_job *job, struct place_disk *disk, const struct place_record *record)
{
	struct statvfs size;
	int r = check_device(job, disk);

	if (r < 0 || disk->refusal)
		return r;
	if (!disk->folder)
		return refuse(disk, "has no folder of its own for the area");
	disk->any_loss = job->force;
	r = place_check_file_system(disk->folder, disk->page_size, &disk->way, &disk->refusal);
	if (r < 0 || disk->refusal)
		return r;
	/* Elsewhere the numbers of inodes do not tell where they lie. */
	if (disk->way == PLACE_EXCHANGE && statvfs(disk->folder, &size) == 0 && size.f_files <= UINT32_MAX) {
		disk->inodes = size.f_files;
		disk->bytes = (uint64_t)size.f_blocks * size.f_frsize;
	}
	for (size_t i = 0; i < disk->n_files && r == 0; i++) {
		r = check_file(job, disk, &disk->files[i]);
		if (r == 0 && !job->anew)
			r = take_record(&disk->files[i], disk->page_size, record);
	}
	return r < 0 ? r : explain_choice(job, disk, place_choose(disk));
}

int place_job_prepare(struct place_job *job, const struct place_record *record)
{
	for (size_t i = 0; i < job->n_disks; i++) {
		int r = prepare_disk(job, &job->disks[i], record);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Where one byte range of the area lies: one extent of the record for each run on the disk. */
static int record_run(const struct place_disk *disk, uint64_t at, uint64_t offset, uint64_t length,
	struct placed_file *placed)
{
	const struct place_area *area = &disk->area;

	for (size_t i = device_extent_after(area->items, area->n, at); i < area->n && length > 0; i++) {
		const struct device_extent *extent = &area->items[i];
		uint64_t left = extent->offset + extent->length - at, bytes = left < length ? left : length;
		int r = placed_file_add(placed, offset, bytes, extent->physical + (at - extent->offset));

		if (r < 0)
			return r;
		at += bytes;
		offset += bytes;
		length -= bytes;
	}
	return 0;
}

/* What an earlier run has moved elsewhere is no longer of interest. */
static void forget_moved(const struct place_file *file, uint32_t page_size, struct placed_file *placed)
{
	size_t kept = 0;

	for (size_t i = 0; i < placed->n_extents; i++) {
		const struct device_extent *extent = &placed->extents[i];
		bool moved = !is_there(file, extent);

		for (size_t j = 0; j < file->moved.n && !moved; j++) {
			uint64_t from = (uint64_t)file->moved.items[j].page * page_size;

			moved = extent->offset < from + (uint64_t)file->moved.items[j].pages * page_size &&
				from < extent->offset + extent->length;
		}
		if (!moved)
			placed->extents[kept++] = *extent;
	}
	placed->n_extents = kept;
}

static int record_file(
	const struct place_disk *disk, const struct place_file *file, struct place_record *record)
{
	struct placed_file *placed;
	uint64_t at = file->at;
	int r = place_record_add_file(record, file->path, file->inode, &placed);

	if (r < 0)
		return r;
	placed->size = file->size;
	placed->mtime = file->mtime;
	forget_moved(file, disk->page_size, placed);
	for (size_t i = 0; i < file->moved.n && r == 0; i++) {
		uint64_t length = (uint64_t)file->moved.items[i].pages * disk->page_size;

		r = record_run(
			disk, at, (uint64_t)file->moved.items[i].page * disk->page_size, length, placed);
		at += length;
	}
	return r;
}

int place_job_record(const struct place_job *job, struct place_record *record)
{
	int r = 0;

	for (size_t i = 0; i < job->n_programs && r == 0; i++)
		r = place_record_add_program(record, job->programs[i]);
	for (size_t i = 0; i < job->n_disks; i++) {
		const struct place_disk *disk = &job->disks[i];

		for (size_t j = 0; j < disk->n_files && r == 0 && disk->area.donor >= 0; j++)
			if (disk->files[j].status == PLACE_OPEN)
				r = record_file(disk, &disk->files[j], record);
	}
	return r;
}

/* What the chosen starts cost in an area as it is: 0, or as place_judge(). */
static int judge_area(struct place_disk *disk, const struct place_area *area)
{
	int r = place_estimate(disk, area->items, area->n);

	return r < 0 ? r : place_judge(disk);
}

/*
 * Makes the best of room in pieces: what moves is chosen anew, for the longest of them. If that is no better than the area is,
 * which is good enough if `good`, it is made of its own pieces. Returns 0, -EDOM, -ERANGE or another negative errno.
 */
static int make_of_pieces(struct place_disk *disk, struct place_area *area, uint64_t bytes, bool good)
{
	_cleanup_(place_room_releasep) struct place_room wide = {0};
	uint64_t us = place_planned_us(disk);
	int r = place_area_widen(area, disk->folder, bytes, &wide);

	if (r == 0)
		r = place_choose_within(disk, &wide);
	if (good && (r == -EDOM || r == -ERANGE || (r == 0 && place_planned_us(disk) > us))) {
		place_room_cut(&wide, bytes);
		r = place_choose_within(disk, &wide);
	}
	return r < 0 ? r : place_area_take(area, &wide, disk->area_pages * disk->page_size);
}

static int no_usable_room(struct place_disk *disk, int error)
{
	_cleanup_free_ char *text = NULL;

	if (error == -ENOMEM)
		return error;
	return asprintf(&text, PLACE_NOT_TAKEN, strerror(-error)) < 0 ? -ENOMEM : refuse(disk, text);
}

/* The area must be good enough for what the starts are expected to gain, and about as good as they expect. */
static int make_area(struct place_disk *disk)
{
	_cleanup_(place_area_releasep) struct place_area area = PLACE_NO_AREA;
	uint64_t bytes = disk->area_pages * disk->page_size, expected_us = place_planned_us(disk);
	int r = place_area_open(disk->folder, bytes, &area);

	if (r == -ENOSPC || r == -EDQUOT)
		return refuse(disk, "has no room for what is to be moved");
	if (r < 0)
		return r;
	r = judge_area(disk, &area);
	if (r == -EDOM && disk->any_loss)
		r = 0;
	/* What is shared must lie in the order of the area (place/share.h), and pieces are in that of the disk. */
	if (disk->way == PLACE_EXCHANGE &&
		(r == -EDOM || r == -ERANGE ||
			(r == 0 && place_planned_us(disk) > expected_us + expected_us / WORSE)))
		r = make_of_pieces(disk, &area, bytes, r == 0);
	if (r == -ERANGE || r == -EDOM) {
		disk->settled = r == -ERANGE;
		return refuse(disk, FREE_IN_PIECES);
	}
	if (r < 0)
		return r;
	r = disk->way == PLACE_EXCHANGE ? place_area_prove(&area) : 0;
	if (r < 0)
		return no_usable_room(disk, r);
	disk->area = area;
	area = PLACE_NO_AREA;
	return 0;
}

int place_job_allocate(struct place_job *job)
{
	int r = 0;

	for (size_t i = 0; i < job->n_disks && r == 0; i++)
		if (!job->disks[i].refusal && job->disks[i].area_pages > 0)
			r = make_area(&job->disks[i]);
	return r;
}

static int move_file(const struct place_job *job, const struct place_disk *disk, struct place_file *file)
{
	_cleanup_close_ int fd = open_file(job, file);

	if (fd < 0)
		return cannot_open(file, fd);
	return place_move(file, fd, disk->way, &disk->area, disk->page_size);
}

static int copy_file(const struct place_job *job, const struct place_disk *disk, struct place_file *file)
{
	_cleanup_close_ int fd = open_file(job, file);

	if (fd < 0)
		return cannot_open(file, fd);
	if (!place_is_same(file, fd)) {
		place_set(file, PLACE_REFUSED, "has changed meanwhile");
		return 0;
	}
	return place_copy(file, fd, &disk->area, disk->page_size);
}

/* All files, before the first one is moved (place/share.h). A disk without room for them gets a refusal. */
static int copy_files(const struct place_job *job, struct place_disk *disk)
{
	int r = 0;

	for (size_t i = 0; i < disk->n_files && r == 0; i++)
		if (disk->files[i].status == PLACE_OPEN)
			r = copy_file(job, disk, &disk->files[i]);
	if (r == 0)
		r = place_settle(&disk->area);
	if (r == -ENOSPC || r == -EDQUOT)
		return refuse(disk, "has no room for what is to be moved");
	return r < 0 ? no_usable_room(disk, r) : 0;
}

struct progress {
	place_progress *call; /* or NULL */
	void *context;
	size_t done, of;
};

static int move_files(const struct place_job *job, struct place_disk *disk, struct progress *progress)
{
	_cleanup_free_ size_t *order = place_order(disk);

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < disk->n_files; i++) {
		bool forwards = disk->way == PLACE_EXCHANGE;
		struct place_file *file = &disk->files[order[forwards ? i : disk->n_files - 1 - i]];
		int r;

		if (file->status != PLACE_OPEN)
			continue;
		if (progress->call)
			progress->call(progress->context, progress->done, progress->of);
		progress->done++;
		r = move_file(job, disk, file);
		if (r < 0)
			return r;
	}
	return 0;
}

static size_t open_files(const struct place_job *job)
{
	size_t n = 0;

	for (size_t i = 0; i < job->n_disks; i++)
		for (size_t j = 0; j < job->disks[i].n_files && job->disks[i].area.donor >= 0; j++)
			n += job->disks[i].files[j].status == PLACE_OPEN;
	return n;
}

int place_job_run(struct place_job *job, place_progress *progress, void *context)
{
	struct progress all = {progress, context, 0, open_files(job)};

	int r = 0;

	for (size_t i = 0; i < job->n_disks && r == 0; i++) {
		struct place_disk *disk = &job->disks[i];

		if (disk->area.donor >= 0 && disk->way != PLACE_EXCHANGE)
			r = copy_files(job, disk);
		if (r == 0 && disk->area.donor >= 0 && !disk->refusal)
			r = move_files(job, disk, &all);
	}
	return r;
}
