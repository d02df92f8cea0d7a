/* SPDX-License-Identifier: MIT */
/* Collects which files on which file systems the recorded starts touch, in their order. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/code-faults.h"
#include "base/files/open.h"
#include "base/strings.h"
#include "base/times.h"
#include "elf/identity.h"
#include "elf/relaid-note.h"
#include "place/code.h"
#include "place/internal.h"
#include "plan/store/disks.h"
#include "profile/updates/staleness.h"

/* A run of touched pages, until the order of all of a program is known. */
struct touched {
	uint32_t order;
	size_t disk;
	struct place_touch touch;
};

struct touches {
	struct touched *items; /* owned */
	size_t n, capacity;
};

static void touches_release(struct touches *touches)
{
	free(touches->items);
}

static int add_starts(struct place_disk *disk, size_t n)
{
	struct place_start *starts = reallocarray(disk->starts, n, sizeof(*starts));

	if (!starts)
		return -ENOMEM;
	memset(starts + disk->n_starts, 0, (n - disk->n_starts) * sizeof(*starts));
	disk->starts = starts;
	disk->n_starts = n;
	return 0;
}

static int add_program(struct place_job *job, const char *program)
{
	char *copy;
	int r = ARRAY_RESERVE(job->programs, job->programs_capacity, job->n_programs + 1);

	for (size_t i = 0; i < job->n_disks && r == 0; i++)
		r = add_starts(&job->disks[i], job->n_programs + 1);
	if (r < 0)
		return r;
	copy = strdup(program);
	if (!copy)
		return -ENOMEM;
	job->programs[job->n_programs++] = copy;
	return 0;
}

/* The folder of a file, on the same file system. A file that is itself a mount point has none, and so none to offer. */
static char *folder_of(const char *path, uint64_t number)
{
	_cleanup_free_ char *copy = strdup(path);
	struct stat st;
	const char *folder = copy ? dirname(copy) : NULL;

	return folder && stat(folder, &st) == 0 && st.st_dev == number ? strdup(folder) : NULL;
}

static bool can_have_area(const char *folder)
{
	return folder && faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0;
}

/* The area is made in the first folder where this user may make files; an ordinary user's start begins with root's. */
static void choose_folder(struct place_disk *disk, const char *path)
{
	char *folder;

	if (can_have_area(disk->folder))
		return;
	folder = folder_of(path, disk->number);
	if (disk->folder && !can_have_area(folder)) {
		free(folder);
		return;
	}
	free(disk->folder);
	disk->folder = folder;
}

/* The index of the file system that an open file lies on. */
static int find_disk(struct place_job *job, int fd, const char *path, const struct stat *st, size_t *ret)
{
	struct place_disk disk = {.number = st->st_dev, .area = PLACE_NO_AREA};
	int r;

	for (size_t i = 0; i < job->n_disks; i++) {
		if (job->disks[i].number != disk.number)
			continue;
		choose_folder(&job->disks[i], path);
		*ret = i;
		return 0;
	}
	r = device_of_by_rules(fd, job->rules, job->n_rules, &disk.device);
	if (r < 0)
		return r;
	if (job->class != DEVICE_UNKNOWN) {
		disk.device.class = job->class;
		disk.device.by_rule = true;
	}
	disks_apply(&disk.device);
	disk.page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	disk.code_reads_on = code_faults_read_on();
	disk.code_unit = code_fault_unit();
	r = ARRAY_RESERVE(job->disks, job->disks_capacity, job->n_disks + 1);
	if (r == 0)
		r = add_starts(&disk, job->n_programs);
	if (r < 0)
		return r;
	choose_folder(&disk, path);
	*ret = job->n_disks;
	job->disks[job->n_disks++] = disk;
	return 0;
}

/* Of a relaid file, the offset of what was appended; 0 for all others, and for compact files, where all is laid anew. */
static uint64_t appended_to(int fd, uint64_t size)
{
	struct note_segment note;
	uint64_t at;

	if (!elf_relaid_note(fd, size, &note, &at))
		return 0;
	if (LE32(note.relaid.passes) & NOTE_PASS_COMPACT || LE64(note.relaid.original_size) >= size)
		return 0;
	return LE64(note.relaid.original_size);
}

/* Keeps which file the kernel opens when it executes this one (place/internal.h). */
static int note_loader(struct place_job *job, int fd)
{
	_cleanup_free_ char *whole = NULL;
	char path[PATH_MAX];
	struct stat st;
	int r;

	if (elf_interpreter(fd, path, sizeof(path)) < 0)
		return 0;
	if (asprintf(&whole, "%s%s", job->root, path) < 0)
		return -ENOMEM;
	if (stat(whole, &st) < 0)
		return 0;
	for (size_t i = 0; i < job->n_loaders; i++)
		if (job->loaders[i].device == st.st_dev && job->loaders[i].inode == st.st_ino)
			return 0;
	r = ARRAY_RESERVE(job->loaders, job->loaders_capacity, job->n_loaders + 1);
	if (r == 0)
		job->loaders[job->n_loaders++] = (struct place_loader){st.st_dev, st.st_ino};
	return r;
}

/* The file of the disk with this inode, which is added if it is missing. */
static int find_file(struct place_job *job, struct place_disk *disk, int fd, const char *path,
	const struct stat *st, size_t *ret)
{
	struct place_file file = {.inode = st->st_ino};
	int r;

	for (size_t i = 0; i < disk->n_files; i++) {
		if (disk->files[i].inode == st->st_ino) {
			*ret = i;
			return 0;
		}
	}
	file.size = (uint64_t)st->st_size;
	file.mtime = nanoseconds(st->st_mtim);
	file.ctime = nanoseconds(st->st_ctim);
	file.appended = appended_to(fd, file.size);
	(void)fsync(fd); /* what was just written has no place yet */
	r = ARRAY_RESERVE(disk->files, disk->files_capacity, disk->n_files + 1);
	if (r == 0)
		r = device_allocated(fd, &file.extents, &file.n_extents);
	if (r == -EOPNOTSUPP)
		r = 0; /* the file system will be refused */
	if (r == 0)
		r = place_code_find(fd, disk->page_size, &file.code);
	if (r == 0)
		r = note_loader(job, fd);
	file.path = r == 0 ? strdup(path) : NULL;
	if (r < 0 || !file.path) {
		place_file_release(&file);
		return r < 0 ? r : -ENOMEM;
	}
	*ret = disk->n_files;
	disk->files[disk->n_files++] = file;
	return 0;
}

/* Adds the ranges of a file of the profile, as far as they lie in the file. */
static int add_ranges(struct place_disk *disk, size_t disk_index, size_t file_index,
	const struct profile_file *source, struct touches *touches)
{
	struct place_file *file = &disk->files[file_index];
	uint64_t pages = place_file_pages(file, disk->page_size);

	for (size_t i = 0; i < source->n_ranges; i++) {
		const struct profile_range *range = &source->ranges[i];
		uint32_t n = range->pages;
		int r;

		if (range->page >= pages)
			continue;
		if (n > pages - range->page)
			n = (uint32_t)(pages - range->page);
		r = place_runs_add(&file->hot, range->page, n);
		if (r == 0)
			r = ARRAY_RESERVE(touches->items, touches->capacity, touches->n + 1);
		if (r < 0)
			return r;
		touches->items[touches->n++] =
			(struct touched){range->order, disk_index, {(uint32_t)file_index, range->page, n}};
	}
	place_runs_join(&file->hot, 0);
	return 0;
}

/* A file in a folder that may not be entered is there. */
static int why_gone(const char *path)
{
	struct stat st;

	return lstat(path, &st) < 0 ? -errno : -ENOENT;
}

/*
 * Opens a recorded file if it is still what it was. Returns -ESTALE if it has changed, or another negative errno. A program that
 * has changed may still be started, so its loader is kept all the same.
 */
static int open_recorded(struct place_job *job, const struct profile_file *source, char **ret_path)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int changed = -1;
	struct profile_file here = *source;
	int r;

	if (asprintf(&path, "%s%s", job->root, source->path) < 0)
		return -ENOMEM;
	here.path = path;
	switch (profile_file_staleness(&here, 0)) {
	case PROFILE_GONE:
		return why_gone(path);
	case PROFILE_CHANGED:
		changed = open_regular(path, OPEN_NO_LINKS | OPEN_KEEP_ATIME);
		if (changed < 0)
			return changed;
		r = note_loader(job, changed);
		return r < 0 ? r : -ESTALE;
	case PROFILE_FRESH:
		break;
	}
	*ret_path = TAKE_PTR(path);
	return open_regular(*ret_path, OPEN_NO_LINKS | OPEN_KEEP_ATIME);
}

/* Counts the program that was added last. Two names of one file are one file. */
static void note_sharer(struct place_file *file, size_t n_programs)
{
	if (file->last == n_programs)
		return;
	file->last = n_programs;
	file->programs++;
	file->sharers |= UINT64_C(1) << (n_programs < 64 ? 64 - n_programs : 0);
}

static int add_file(struct place_job *job, const struct profile_file *source, struct touches *touches)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = open_recorded(job, source, &path);
	size_t disk, index;
	struct stat st;
	int r;

	if (fd == -ENOMEM)
		return fd;
	if (fd < 0) {
		job->changed += fd == -ESTALE;
		job->gone += open_found_none(fd);
		job->unreadable += fd != -ESTALE && !open_found_none(fd);
		return 0;
	}
	if (fstat(fd, &st) < 0)
		return -errno;
	r = find_disk(job, fd, path, &st, &disk);
	if (r == 0)
		r = find_file(job, &job->disks[disk], fd, source->path, &st, &index);
	if (r < 0)
		return r;
	note_sharer(&job->disks[disk].files[index], job->n_programs);
	return add_ranges(&job->disks[disk], disk, index, source, touches);
}

static int by_order(const void *a, const void *b)
{
	const struct touched *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

static int take_touches(struct place_job *job, struct touches *touches)
{
	if (touches->n > 1)
		qsort(touches->items, touches->n, sizeof(*touches->items), by_order);
	for (size_t i = 0; i < touches->n; i++) {
		struct place_disk *disk = &job->disks[touches->items[i].disk];
		struct place_start *start = &disk->starts[job->n_programs - 1];
		int r = ARRAY_RESERVE(start->touches, start->capacity, start->n_touches + 1);

		if (r < 0)
			return r;
		start->touches[start->n_touches++] = touches->items[i].touch;
	}
	return 0;
}

int place_job_add(struct place_job *job, const struct profile *profile)
{
	_cleanup_(touches_release) struct touches touches = {0};
	int r;

	if (profile->page_size != (uint32_t)sysconf(_SC_PAGESIZE))
		return -EINVAL;
	r = add_program(job, profile->program);
	for (size_t i = 0; i < profile->n_files && r == 0; i++)
		if (profile->files[i].kind == PROFILE_REGULAR && profile->files[i].n_ranges > 0)
			r = add_file(job, &profile->files[i], &touches);
	return r < 0 ? r : take_touches(job, &touches);
}
