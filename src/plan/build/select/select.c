/* SPDX-License-Identifier: MIT */
/* Selects the files and pages of a profile that a plan can have: still there, unchanged, touched often enough. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/open.h"
#include "base/strings.h"
#include "base/times.h"
#include "elf/identity.h"
#include "plan/build/draft.h"
#include "plan/store/disks.h"
#include "profile/updates/staleness.h"

/* A profile does not name its machine. One recorded with another kernel is taken for one of another machine. */
static bool is_same_machine(const struct profile *profile)
{
	struct utsname here;

	return profile->kernel && uname(&here) == 0 && streq(profile->kernel, here.release);
}

/* A regular file must be readable to be planned; folders and links need only be there. */
static int open_file(const struct profile_file *file, const char *path)
{
	switch (file->kind) {
	case PROFILE_DIRECTORY:
		return open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	case PROFILE_SYMLINK:
		return open_typed(path, S_IFLNK, OPEN_NO_LINKS);
	default:
		return open_regular(path, OPEN_NO_LINKS);
	}
}

/*
 * The index in devices of the device under fd, whose file system has this number. A number with major 0 does not
 * identify a device: the files of one overlayfs can lie on several devices, and one btrfs has several numbers. In that
 * case this asks for the device itself.
 */
static int find_device(
	struct plan_draft *draft, int fd, uint64_t number, const struct plan_options *options, uint32_t *ret)
{
	bool anonymous = major(number) == 0 || options->n_rules > 0; /* rules can also name folders */
	struct device device;
	int r;

	for (size_t i = 0; !anonymous && i < draft->n_devices; i++) {
		if (draft->devices[i].number == number) {
			*ret = (uint32_t)i;
			return 0;
		}
	}
	r = device_of_by_rules(fd, options->rules, options->n_rules, &device);
	if (r < 0)
		return r;
	if (options->device != DEVICE_UNKNOWN) {
		device.class = options->device;
		device.by_rule = true;
	}
	disks_apply(&device);
	for (size_t i = 0; anonymous && i < draft->n_devices; i++) {
		const struct draft_device *known = &draft->devices[i];

		if ((major(known->number) == 0 || known->number == number) &&
			known->device.class == device.class && streq(known->device.name, device.name)) {
			*ret = (uint32_t)i;
			return 0;
		}
	}
	r = ARRAY_RESERVE(draft->devices, draft->devices_capacity, draft->n_devices + 1);
	if (r < 0)
		return r;
	draft->devices[draft->n_devices] = (struct draft_device){number, device};
	*ret = (uint32_t)draft->n_devices++;
	return 0;
}

/* Adds the part of [page, page + pages) below `end`, as an extent of the last file. */
static int add_range(struct plan_draft *draft, const struct profile_range *range, uint64_t end)
{
	struct draft_file *file = &draft->files[draft->n_files - 1];
	uint32_t pages = range->pages;
	int r;

	if (range->page >= end)
		return 0;
	if (pages > end - range->page)
		pages = (uint32_t)(end - range->page);
	r = ARRAY_RESERVE(draft->extents, draft->extents_capacity, draft->n_extents + 1);
	if (r < 0)
		return r;
	draft->extents[draft->n_extents++] = (struct draft_extent){
		.file = (uint32_t)draft->n_files - 1,
		.page = range->page,
		.pages = pages,
		.order = range->order,
		.runs = range->runs,
		.physical = DRAFT_NOWHERE,
	};
	file->pages += pages;
	return 0;
}

static int add_ranges(struct plan_draft *draft, const struct profile_file *source, uint32_t min_runs)
{
	uint64_t size = draft->files[draft->n_files - 1].size;
	uint64_t page_size = draft->profile->page_size;
	uint64_t end = size / page_size + (size % page_size != 0);

	for (size_t i = 0; i < source->n_ranges; i++) {
		int r = 0;

		if (source->ranges[i].runs >= min_runs)
			r = add_range(draft, &source->ranges[i], end);
		else
			draft->summary.limited = true;
		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * How a squashfs begins (Documentation/filesystems/squashfs.rst; the magic number is fs/squashfs/squashfs_fs.h's), and a database
 * of SQLite (sqlite.org/fileformat.html).
 */
#define SQUASHFS_MAGIC "hsqs"
#define SQLITE_MAGIC   "SQLite format 3"

static bool begins_with(int fd, const char *magic)
{
	char begin[sizeof(SQLITE_MAGIC)];
	size_t length = strlen(magic);

	return pread_full(fd, begin, length, 0) == (ssize_t)length && memcmp(begin, magic, length) == 0;
}

/* Adds a fresh file, unless it lies in memory, is not cached, or none of its pages is selected. */
static int add_file(struct plan_draft *draft, const struct profile_file *source, bool guessed,
	const char *path, const struct plan_options *options)
{
	_cleanup_close_ int fd = open_file(source, path);
	struct draft_file file = {.source = source, .guessed = guessed};
	struct stat st;
	int r;

	if (fd >= 0 && fstat(fd, &st) < 0)
		return -errno;
	if (fd < 0) {
		draft->summary.gone++;
		draft->summary.lost += profile_file_pages(source);
		return 0;
	}
	r = find_device(draft, fd, st.st_dev, options, &file.device);
	if (r < 0)
		return r;
	if (draft->devices[file.device].device.class == DEVICE_MEMORY) {
		draft->summary.in_memory++;
		return 0;
	}
	if (source->kind == PROFILE_REGULAR && device_uncached(fd) > 0) {
		draft->summary.uncached++;
		return 0;
	}
	file.size = (uint64_t)st.st_size;
	file.mtime = nanoseconds(st.st_mtim);
	file.inode = st.st_ino;
	file.public = (st.st_mode & S_IROTH) != 0;
	if (!draft->snapshot) { /* that would read the first page, which need not be in memory */
		file.elf = elf_is(fd);
		file.image = begins_with(fd, SQUASHFS_MAGIC);
		file.database = begins_with(fd, SQLITE_MAGIC);
	}
	r = ARRAY_RESERVE(draft->files, draft->files_capacity, draft->n_files + 1);
	if (r < 0)
		return r;
	draft->files[draft->n_files++] = file;
	r = add_ranges(draft, source, options->min_runs);
	if (r < 0)
		return r;
	if (source->n_ranges > 0 && draft->files[draft->n_files - 1].pages == 0)
		draft->n_files--;
	else
		draft->summary.guessed += guessed;
	return 0;
}

/* Adds what is guessed of a file that is not the recorded one any more. If that is nothing, it is one more of *lost. */
static int add_guess(struct plan_draft *draft, const struct profile_file *source,
	const struct plan_options *options, size_t *lost)
{
	uint64_t recorded = profile_file_pages(source), pages;
	_cleanup_free_ char *path = NULL;
	const struct profile_file *guess;
	int r = draft_guess(draft, source, &guess);

	if (r == -ENODATA || r == -EPERM) {
		draft->summary.lost += recorded;
		draft->summary.others += r == -EPERM;
		*lost += r == -ENODATA;
		return 0;
	}
	if (r < 0)
		return r;
	pages = profile_file_pages(guess);
	draft->summary.lost += recorded > pages ? recorded - pages : 0;
	r = draft_path(draft, guess->path, &path);
	return r < 0 ? r : add_file(draft, guess, true, path, options);
}

static int select_file(struct plan_draft *draft, const struct profile_file *source, bool same_machine,
	const struct plan_options *options)
{
	_cleanup_free_ char *path = NULL;
	struct profile_file here = *source;
	int r = draft_path(draft, source->path, &path);

	if (r < 0)
		return r;
	here.path = path;
	if (draft_is_others(draft, source, path)) {
		draft->summary.others++;
		return 0;
	}
	switch (profile_file_staleness(&here, same_machine)) {
	case PROFILE_GONE:
		return add_guess(draft, source, options, &draft->summary.gone);
	case PROFILE_CHANGED:
		return add_guess(draft, source, options, &draft->summary.stale);
	case PROFILE_FRESH:
		break;
	}
	return add_file(draft, source, false, path, options);
}

/*
 * The program's device, whose class decides the order. If the program is not among the files, the first touched file
 * counts.
 */
static const struct device *device_of_program(const struct plan_draft *draft)
{
	for (size_t i = 0; i < draft->n_files; i++)
		if (streq(draft->files[i].source->path, draft->profile->program))
			return draft_file_device(draft, (uint32_t)i);
	return draft->n_files > 0 ? draft_file_device(draft, 0) : NULL;
}

/*
 * The class that decides the order: the program's. A snapshot may be of several disks, and is in the order for a head if
 * one of them has one; files of the others then come first.
 */
static enum device_class class_for_order(const struct plan_draft *draft)
{
	for (size_t i = 0; draft->snapshot && i < draft->n_devices; i++)
		if (draft->devices[i].device.class == DEVICE_ROTATIONAL)
			return DEVICE_ROTATIONAL;
	return draft->disk ? draft->disk->class : DEVICE_UNKNOWN;
}

int draft_select(struct plan_draft *draft, const struct plan_options *options)
{
	const struct profile *profile = draft->profile;
	bool same_machine = is_same_machine(profile);

	for (size_t i = 0; i < profile->n_files && draft->n_files < PLAN_FILES_MAX; i++) {
		int r = select_file(draft, &profile->files[i], same_machine, options);

		if (r < 0)
			return r;
	}
	draft->disk = device_of_program(draft);
	draft->device = options->device != DEVICE_UNKNOWN ? options->device : class_for_order(draft);
	return 0;
}

static int compare_touch(const void *a, const void *b)
{
	const struct draft_extent *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->page > y->page) - (x->page < y->page);
}

/* Drops the files whose pages are all cut. Extents still name files by index, so this renumbers those. */
static void drop_files_without_pages(struct plan_draft *draft, uint32_t *renumbered)
{
	size_t kept = 0;

	for (size_t i = 0; i < draft->n_files; i++) {
		const struct draft_file *file = &draft->files[i];

		if (file->source->n_ranges > 0 && file->pages == 0)
			continue;
		renumbered[i] = (uint32_t)kept;
		draft->files[kept++] = *file;
	}
	draft->n_files = kept;
	for (size_t i = 0; i < draft->n_extents; i++)
		draft->extents[i].file = renumbered[draft->extents[i].file];
}

int draft_cut(struct plan_draft *draft, uint64_t budget)
{
	_cleanup_free_ uint32_t *renumbered = NULL;
	uint64_t room = budget / draft->profile->page_size; /* pages */

	if (budget == 0 || draft->n_extents == 0)
		return 0;
	renumbered = calloc(draft->n_files, sizeof(*renumbered));
	if (!renumbered)
		return -ENOMEM;
	qsort(draft->extents, draft->n_extents, sizeof(*draft->extents), compare_touch);
	for (size_t i = 0; i < draft->n_extents; i++) {
		struct draft_extent *extent = &draft->extents[i];
		uint32_t kept = extent->pages < room ? extent->pages : (uint32_t)room;

		draft->files[extent->file].pages -= extent->pages - kept;
		draft->summary.limited |= kept < extent->pages;
		extent->pages = kept;
		room -= kept;
	}
	while (draft->n_extents > 0 && draft->extents[draft->n_extents - 1].pages == 0)
		draft->n_extents--;
	drop_files_without_pages(draft, renumbered);
	return 0;
}
