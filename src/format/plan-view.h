/* SPDX-License-Identifier: MIT */
/*
 * A checked view of a whole plan in memory. The bytes must not change under the view: read them into private memory (if
 * somebody truncated a mapped file, we would get SIGBUS).
 */
#pragma once

#include <sys/stat.h>

#include "format/plan.h"

struct plan_view {
	const struct plan_header *header;
	const struct plan_file *files;
	const struct plan_extent *extents;
	const struct plan_file_system *file_systems;
	const struct plan_metadata *metadata;
	const char *strings;
	uint32_t file_count;
	uint32_t extent_count;
	uint32_t file_system_count;
	uint32_t metadata_count;
	uint32_t strings_size;
};

enum plan_fault {
	PLAN_GOOD = 0,
	PLAN_FOREIGN,   /* not a plan at all */
	PLAN_NEWER,     /* a plan of a version this program does not know */
	PLAN_OLDER,     /* a plan of a version this program no longer knows */
	PLAN_TRUNCATED, /* shorter than it says */
	PLAN_DAMAGED,   /* a checksum or an index is wrong */
};

/* "is not a headstart plan" and so on: a text that follows the file's name. */
static inline const char *plan_fault_text(enum plan_fault fault)
{
	switch (fault) {
	case PLAN_GOOD:
		return "is good";
	case PLAN_FOREIGN:
		return "is not a headstart plan";
	case PLAN_NEWER:
		return "was made by a newer headstart";
	case PLAN_OLDER:
		return "was made by an older headstart";
	case PLAN_TRUNCATED:
		return "is truncated: the end of the plan is missing";
	case PLAN_DAMAGED:
		break;
	}
	return "is damaged: it is not what headstart wrote";
}

static inline const char *plan_file_path(const struct plan_view *view, uint32_t file)
{
	return view->strings + LE32(view->files[file].path);
}

/*
 * In which level of folders a path lies: 0 for the root. A snapshot's folders are planned level by level, and what carries
 * the plan out sees by this where a level ends.
 */
static inline uint32_t plan_path_level(const char *path)
{
	uint32_t level = 0;

	for (; *path; path++)
		level += path[0] == '/' && path[1] != '\0';
	return level;
}

/* The type of a file of the plan, as in st_mode. */
static inline mode_t plan_file_type(const struct plan_file *file)
{
	switch (LE32(file->kind)) {
	case PLAN_DIRECTORY:
		return S_IFDIR;
	case PLAN_SYMLINK:
		return S_IFLNK;
	default:
		return S_IFREG;
	}
}

/*
 * Whether a file of that type with this size (bytes) and mtime (nanoseconds since the epoch) is still what was planned.
 * For directories and links, size and mtime do not count.
 */
static inline bool plan_file_is_fresh(const struct plan_file *file, uint64_t size, int64_t mtime)
{
	return LE32(file->kind) != PLAN_REGULAR ||
		(LE64(file->size) == size && (int64_t)LE64(file->mtime) == mtime);
}

static inline const char *plan_program(const struct plan_view *view)
{
	return view->strings + LE32(view->header->program);
}

/*
 * Whether it is a snapshot of memory, of no program: what it names as its program then is the folder that has all of its
 * files, with a '/' at the end, which no path of a program has.
 */
static inline bool plan_is_snapshot(const struct plan_view *view)
{
	const char *program = plan_program(view);

	return program[__builtin_strlen(program) - 1] == '/';
}

static inline bool plan_table_fits(uint64_t offset, uint64_t count, uint64_t item_size, uint64_t limit)
{
	return offset % 8 == 0 && offset <= limit && count <= (limit - offset) / item_size;
}

/* Whether an absolute path begins at the offset. The strings are known to end with a NUL. */
static inline bool plan_path_good(const struct plan_view *view, uint32_t offset)
{
	return offset < view->strings_size && view->strings[offset] == '/';
}

static inline bool plan_files_good(const struct plan_view *view)
{
	if (view->strings_size == 0 || view->strings[view->strings_size - 1] != '\0')
		return false;
	if (!plan_path_good(view, LE32(view->header->program)))
		return false;
	for (uint32_t i = 0; i < view->file_count; i++)
		if (!plan_path_good(view, LE32(view->files[i].path)) ||
			LE32(view->files[i].kind) > PLAN_SYMLINK)
			return false;
	return true;
}

/*
 * Checks that no extent reaches beyond its file, and that all extents have fewer than 2^32 pages together. So no sum of
 * bytes and no offset, signed or not, overflows 64 bits.
 */
static inline bool plan_extents_good(const struct plan_view *view)
{
	uint64_t page_size = LE32(view->header->page_size), sum = 0;

	for (uint32_t i = 0; i < view->extent_count; i++) {
		const struct plan_extent *extent = &view->extents[i];
		uint64_t file = LE32(extent->file), page = LE32(extent->page), pages = LE32(extent->pages);

		if (file >= view->file_count || LE32(view->files[file].kind) != PLAN_REGULAR)
			return false;
		if (pages == 0 || LE32(extent->gap) >= pages || LE32(extent->guessed) > 1)
			return false;
		if ((page + pages - 1) * page_size >= LE64(view->files[file].size))
			return false;
		sum += pages;
	}
	return sum <= UINT32_MAX;
}

/* Checks the `count` entries of one file system, and adds up their pages. */
static inline bool plan_ranges_good(const struct plan_metadata *metadata, uint32_t count, uint64_t *sum)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t page = LE32(metadata[i].page), pages = LE32(metadata[i].pages);

		if (pages == 0 || LE32(metadata[i].gap) >= pages || LE32(metadata[i].reserved) != 0 ||
			page < end || page + pages > UINT32_MAX)
			return false;
		end = page + pages;
		*sum += pages;
	}
	return count > 0;
}

/* Checks that each entry belongs to one file system, and that all of them have fewer than 2^32 pages together. */
static inline bool plan_metadata_good(const struct plan_view *view)
{
	uint64_t sum = 0;
	uint32_t taken = 0;

	for (uint32_t i = 0; i < view->file_system_count; i++) {
		uint32_t count = LE32(view->file_systems[i].metadata_count);

		if (!plan_path_good(view, LE32(view->file_systems[i].point)) ||
			count > view->metadata_count - taken ||
			!plan_ranges_good(view->metadata + taken, count, &sum))
			return false;
		taken += count;
	}
	return taken == view->metadata_count && sum <= UINT32_MAX;
}

/* What the fixed part at the beginning of a file tells of its version: PLAN_GOOD, or why it is none that this program knows. */
static inline enum plan_fault plan_header_check(const struct plan_header *header)
{
	if (__builtin_memcmp(header->magic, PLAN_MAGIC, 8) != 0)
		return PLAN_FOREIGN;
	if (LE32(header->version) > PLAN_VERSION)
		return PLAN_NEWER;
	return LE32(header->version) < PLAN_VERSION ? PLAN_OLDER : PLAN_GOOD;
}

/*
 * Checks all of a plan. checksum is XXH3-64 (passed in so that this header needs no library). On PLAN_GOOD
 * *ret_view points into data; otherwise it is untouched.
 */
static inline enum plan_fault plan_view_init(struct plan_view *ret_view, const void *data, size_t size,
	uint64_t (*checksum)(const void *data, size_t size))
{
	const struct plan_header *header = data;
	struct plan_view view = {.header = header};
	uint64_t files, extents, file_systems, metadata, strings;
	enum plan_fault fault;

	if (size < 8 || __builtin_memcmp(header->magic, PLAN_MAGIC, 8) != 0)
		return PLAN_FOREIGN;
	if (size < sizeof(*header))
		return PLAN_TRUNCATED;
	fault = plan_header_check(header);
	if (fault != PLAN_GOOD)
		return fault;
	if (LE64(header->file_size) > size)
		return PLAN_TRUNCATED;
	if (LE64(header->file_size) != size || size > PLAN_FILE_MAX || !plan_head_check(data, size))
		return PLAN_DAMAGED;
	files = LE32(header->files_offset);
	extents = LE32(header->extents_offset);
	file_systems = LE32(header->file_systems_offset);
	metadata = LE32(header->metadata_offset);
	strings = LE32(header->strings_offset);
	view.file_count = LE32(header->file_count);
	view.extent_count = LE32(header->extent_count);
	view.file_system_count = LE32(header->file_system_count);
	view.metadata_count = LE32(header->metadata_count);
	if (view.file_count > PLAN_FILES_MAX || view.file_system_count > PLAN_FILE_SYSTEMS_MAX ||
		LE32(header->order) > PLAN_ORDER_PHYSICAL || LE32(header->window_pages) == 0 ||
		files < LE32(header->probes_end) || strings > size ||
		!plan_table_fits(files, view.file_count, sizeof(struct plan_file), extents) ||
		!plan_table_fits(extents, view.extent_count, sizeof(struct plan_extent), file_systems) ||
		!plan_table_fits(
			file_systems, view.file_system_count, sizeof(struct plan_file_system), metadata) ||
		!plan_table_fits(metadata, view.metadata_count, sizeof(struct plan_metadata), strings))
		return PLAN_DAMAGED;
	if (checksum((const char *)data + files, size - files) != LE64(header->body_checksum))
		return PLAN_DAMAGED;
	view.files = (const struct plan_file *)((const char *)data + files);
	view.extents = (const struct plan_extent *)((const char *)data + extents);
	view.file_systems = (const struct plan_file_system *)((const char *)data + file_systems);
	view.metadata = (const struct plan_metadata *)((const char *)data + metadata);
	view.strings = (const char *)data + strings;
	view.strings_size = (uint32_t)(size - strings);
	if (!plan_files_good(&view) || !plan_extents_good(&view) || !plan_metadata_good(&view))
		return PLAN_DAMAGED;
	*ret_view = view;
	return PLAN_GOOD;
}
