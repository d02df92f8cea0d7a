/* SPDX-License-Identifier: MIT */
/* Plans assembled in memory. */
#include "make-plan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/checksum.h"

static void *grown(void *items, size_t count, size_t item_size)
{
	void *more = reallocarray(items, count, item_size);

	if (!more)
		abort();
	return more;
}

uint32_t plan_maker_add(struct plan_maker *maker, const char *path)
{
	uint32_t n = maker->file_count;
	struct stat st;
	enum plan_file_kind kind;

	if (lstat(path, &st) < 0)
		abort();
	kind = S_ISDIR(st.st_mode) ? PLAN_DIRECTORY : S_ISLNK(st.st_mode) ? PLAN_SYMLINK : PLAN_REGULAR;
	maker->files = grown(maker->files, n + 1, sizeof(*maker->files));
	maker->paths = grown(maker->paths, n + 1, sizeof(*maker->paths));
	maker->paths[n] = strdup(path);
	maker->files[n] = (struct plan_file){
		.size = LE64(st.st_size),
		.mtime = LE64((int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec),
		.inode = LE64(st.st_ino),
		.kind = LE32(kind),
	};
	return maker->file_count++;
}

void plan_maker_extent(struct plan_maker *maker, uint32_t file, uint32_t page, uint32_t pages)
{
	maker->extents = grown(maker->extents, maker->extent_count + 1, sizeof(*maker->extents));
	maker->extents[maker->extent_count++] = (struct plan_extent){
		.file = LE32(file),
		.page = LE32(page),
		.pages = LE32(pages),
	};
}

void plan_maker_whole(struct plan_maker *maker, uint32_t file)
{
	uint64_t pages = (LE64(maker->files[file].size) + PLAN_MAKER_PAGE - 1) / PLAN_MAKER_PAGE;

	if (LE32(maker->files[file].kind) == PLAN_REGULAR && pages > 0)
		plan_maker_extent(maker, file, 0, (uint32_t)pages);
}

/* Writes header and probes; returns where they end. */
static uint32_t put_head(const struct plan_maker *maker, char *data)
{
	struct plan_header *header = (struct plan_header *)data;
	struct plan_probe *probes = (struct plan_probe *)(data + sizeof(*header));
	uint32_t end = (uint32_t)(sizeof(*header) + maker->probe_count * sizeof(*probes));

	memcpy(header->magic, PLAN_MAGIC, 8);
	header->version = LE32(PLAN_VERSION);
	header->page_size = LE32(PLAN_MAKER_PAGE);
	header->order = LE32(maker->order);
	header->wait_ms = LE32(maker->wait_ms);
	header->window_pages = LE32(maker->window_pages);
	header->probe_count = LE32(maker->probe_count);
	for (uint32_t i = 0; i < maker->probe_count; i++) {
		size_t n = strlen(maker->probes[i].path) + 1;

		if (end + n > PLAN_HEAD_MAX)
			abort();
		probes[i] = (struct plan_probe){.page = LE32(maker->probes[i].page), .path = LE16(end)};
		memcpy(data + end, maker->probes[i].path, n);
		end += (uint32_t)n;
	}
	header->probes_end = LE32(end);
	return end;
}

void *plan_maker_finish(const struct plan_maker *maker, size_t *ret_size)
{
	uint32_t files, extents, strings, at;
	size_t size = PLAN_HEAD_MAX + strlen(maker->program) + 1;
	struct plan_header *header;
	char *data;

	size += maker->file_count * sizeof(struct plan_file) +
		maker->extent_count * sizeof(struct plan_extent);
	for (uint32_t i = 0; i < maker->file_count; i++)
		size += strlen(maker->paths[i]) + 1;
	data = calloc(1, size);
	if (!data)
		abort();
	header = (struct plan_header *)data;
	files = (put_head(maker, data) + 7) / 8 * 8;
	extents = files + maker->file_count * (uint32_t)sizeof(struct plan_file);
	strings = extents + maker->extent_count * (uint32_t)sizeof(struct plan_extent);
	at = strings + (uint32_t)strlen(maker->program) + 1;
	strcpy(data + strings, maker->program);
	if (maker->file_count)
		memcpy(data + files, maker->files, maker->file_count * sizeof(struct plan_file));
	if (maker->extent_count)
		memcpy(data + extents, maker->extents, maker->extent_count * sizeof(struct plan_extent));
	for (uint32_t i = 0; i < maker->file_count; i++) {
		((struct plan_file *)(data + files))[i].path = LE32(at - strings);
		at += (uint32_t)(stpcpy(data + at, maker->paths[i]) - (data + at)) + 1;
	}
	header->file_systems_offset = header->metadata_offset = LE32(strings);
	header->file_count = LE32(maker->file_count);
	header->files_offset = LE32(files);
	header->extent_count = LE32(maker->extent_count);
	header->extents_offset = LE32(extents);
	header->strings_offset = LE32(strings);
	header->file_size = LE64((uint64_t)at);
	header->body_checksum = LE64(checksum64(data + files, at - files));
	header->header_checksum = LE64(plan_head_checksum(data, LE32(header->probes_end)));
	*ret_size = at;
	return data;
}

void plan_maker_release(struct plan_maker *maker)
{
	for (uint32_t i = 0; i < maker->file_count; i++)
		free(maker->paths[i]);
	free(maker->paths);
	free(maker->files);
	free(maker->extents);
	*maker = (struct plan_maker){0};
}
