/* SPDX-License-Identifier: MIT */
/* Writes a draft as a plan file (format/plan.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "plan/build/draft.h"

#define WINDOW_DEFAULT_KB 128u  /* if no device reports one: the kernel's default, VM_READAHEAD_PAGES */
#define WINDOW_MAX_KB     1024u /* larger requests gained nothing on any measured device */

/* Where the tables go, in bytes from the start of the file. */
struct layout {
	size_t rule, probes_end, files, extents, file_systems, metadata, strings, size;
};

static size_t align8(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

static struct layout lay_out(const struct plan_draft *draft, size_t strings_size)
{
	struct layout layout = {
		.rule = sizeof(struct plan_header) + draft->n_probes * sizeof(struct plan_probe),
	};

	for (size_t i = 0; i < draft->n_probes; i++)
		layout.rule += strlen(draft->files[draft->probes[i].file].source->path) + 1;
	layout.probes_end = layout.rule + (draft->rule ? strlen(draft->rule) + 1 : 0);
	layout.files = align8(layout.probes_end);
	layout.extents = layout.files + draft->n_files * sizeof(struct plan_file);
	layout.file_systems = layout.extents + draft->n_extents * sizeof(struct plan_extent);
	layout.metadata = layout.file_systems + draft->n_file_systems * sizeof(struct plan_file_system);
	layout.strings = layout.metadata + draft->n_metadata * sizeof(struct plan_metadata);
	layout.size = layout.strings + strings_size;
	return layout;
}

static uint32_t depth(const struct plan_draft *draft)
{
	if (draft->disk && draft->disk->class == DEVICE_LAZY)
		return PLAN_DEPTH_LAZY;
	return draft->disk && draft->disk->measured ? draft->disk->model.depth : 0;
}

/*
 * The kernel cuts a readahead request to max(read_ahead_kb, max_sectors_kb) (force_page_cache_ra(), mm/readahead.c).
 * This takes the smallest such limit of the planned devices.
 */
static uint32_t window_pages(const struct plan_draft *draft)
{
	uint64_t window_kb = WINDOW_MAX_KB, pages;

	for (size_t i = 0; i < draft->n_files; i++) {
		const struct device *device = draft_file_device(draft, (uint32_t)i);
		uint32_t limit = device->read_ahead_kb > device->max_sectors_kb ? device->read_ahead_kb
										: device->max_sectors_kb;

		if (draft->files[i].pages == 0)
			continue;
		if (limit == 0)
			limit = WINDOW_DEFAULT_KB;
		if (limit < window_kb)
			window_kb = limit;
	}
	pages = window_kb * 1024 / draft->profile->page_size;
	return pages > 0 ? (uint32_t)pages : 1;
}

static void write_probes(const struct plan_draft *draft, char *data)
{
	struct plan_probe *probes = (struct plan_probe *)(data + sizeof(struct plan_header));
	size_t at = sizeof(struct plan_header) + draft->n_probes * sizeof(*probes);

	for (size_t i = 0; i < draft->n_probes; i++) {
		const char *path = draft->files[draft->probes[i].file].source->path;

		probes[i].page = LE32(draft->probes[i].page);
		probes[i].path = LE16((uint16_t)at);
		strcpy(data + at, path);
		at += strlen(path) + 1;
	}
}

static void write_rule(const struct plan_draft *draft, const struct layout *layout, char *data)
{
	if (draft->rule)
		strcpy(data + layout->rule, draft->rule);
}

static uint32_t kind_of(enum profile_kind kind)
{
	switch (kind) {
	case PROFILE_DIRECTORY:
		return PLAN_DIRECTORY;
	case PROFILE_SYMLINK:
		return PLAN_SYMLINK;
	case PROFILE_REGULAR:
		break;
	}
	return PLAN_REGULAR;
}

static void write_tables(
	const struct plan_draft *draft, const struct layout *layout, const uint32_t *paths, char *data)
{
	struct plan_file *files = (struct plan_file *)(data + layout->files);
	struct plan_extent *extents = (struct plan_extent *)(data + layout->extents);

	for (size_t i = 0; i < draft->n_files; i++)
		files[i] = (struct plan_file){
			.size = LE64(draft->files[i].size),
			.mtime = (int64_t)LE64((uint64_t)draft->files[i].mtime),
			.inode = LE64(draft->files[i].inode),
			.path = LE32(paths[i]),
			.kind = LE32(kind_of(draft->files[i].source->kind)),
		};
	for (size_t i = 0; i < draft->n_extents; i++)
		extents[i] = (struct plan_extent){
			.file = LE32(draft->extents[i].file),
			.page = LE32(draft->extents[i].page),
			.pages = LE32(draft->extents[i].pages),
			.gap = LE32(draft->extents[i].gap),
			.order = LE32(draft->extents[i].order),
			.guessed = LE32(draft->files[draft->extents[i].file].guessed),
		};
}

static void write_metadata(
	const struct plan_draft *draft, const struct layout *layout, const uint32_t *points, char *data)
{
	struct plan_file_system *systems = (struct plan_file_system *)(data + layout->file_systems);
	struct plan_metadata *metadata = (struct plan_metadata *)(data + layout->metadata);

	for (size_t i = 0; i < draft->n_file_systems; i++)
		systems[i] = (struct plan_file_system){
			.id = LE64(draft->file_systems[i].id),
			.point = LE32(points[i]),
			.metadata_count = LE32((uint32_t)draft->file_systems[i].ranges),
		};
	for (size_t i = 0; i < draft->n_metadata; i++)
		metadata[i] = (struct plan_metadata){
			.page = LE32(draft->metadata[i].page),
			.pages = LE32(draft->metadata[i].pages),
			.gap = LE32(draft->metadata[i].gap),
		};
}

static void write_header(
	const struct plan_draft *draft, const struct layout *layout, uint32_t program, char *data)
{
	struct plan_header *header = (struct plan_header *)data;

	*header = (struct plan_header){
		.version = LE32(PLAN_VERSION),
		.page_size = LE32(draft->profile->page_size),
		.file_size = LE64(layout->size),
		.body_checksum = LE64(checksum64(data + layout->files, layout->size - layout->files)),
		.created = (int64_t)LE64((uint64_t)time(NULL)),
		.order = LE32(draft->device == DEVICE_ROTATIONAL ? PLAN_ORDER_PHYSICAL : PLAN_ORDER_TOUCH),
		.program = LE32(program),
		.probe_count = LE32((uint32_t)draft->n_probes),
		.probes_end = LE32((uint32_t)layout->probes_end),
		.file_count = LE32((uint32_t)draft->n_files),
		.files_offset = LE32((uint32_t)layout->files),
		.extent_count = LE32((uint32_t)draft->n_extents),
		.extents_offset = LE32((uint32_t)layout->extents),
		.file_system_count = LE32((uint32_t)draft->n_file_systems),
		.file_systems_offset = LE32((uint32_t)layout->file_systems),
		.metadata_count = LE32((uint32_t)draft->n_metadata),
		.metadata_offset = LE32((uint32_t)layout->metadata),
		.strings_offset = LE32((uint32_t)layout->strings),
		.window_pages = LE32(window_pages(draft)),
		.static_tls = LE32(draft->static_tls),
		.wait_ms = LE32(draft->wait_ms),
		.depth = LE32(depth(draft)),
		.asked = LE64(draft->asked),
		.rule = LE32(draft->rule ? (uint32_t)layout->rule : 0),
		.lost = LE32((uint32_t)draft->summary.lost), /* a profile has fewer than 2^32 pages */
	};
	memcpy(header->magic, PLAN_MAGIC, sizeof(header->magic));
	header->header_checksum = LE64(plan_head_checksum(data, (uint32_t)layout->probes_end));
}

/* Collects the paths of all files, then those of mount points, and that of the program. */
static int collect_strings(
	const struct plan_draft *draft, struct string_table *strings, uint32_t *paths, uint32_t *ret_program)
{
	int r = string_table_add(strings, draft->profile->program, ret_program);

	for (size_t i = 0; r >= 0 && i < draft->n_files; i++)
		r = string_table_add(strings, draft->files[i].source->path, &paths[i]);
	for (size_t i = 0; r >= 0 && i < draft->n_file_systems; i++)
		r = string_table_add(strings, draft->file_systems[i].point, &paths[draft->n_files + i]);
	return r;
}

int draft_write(const struct plan_draft *draft, void **ret_data, size_t *ret_size)
{
	_cleanup_(string_table_releasep) struct string_table strings = {0};
	_cleanup_free_ uint32_t *paths = calloc(draft->n_files + draft->n_file_systems + 1, sizeof(*paths));
	_cleanup_free_ char *data = NULL;
	struct layout layout;
	uint32_t program;
	int r;

	if (!paths)
		return -ENOMEM;
	r = collect_strings(draft, &strings, paths, &program);
	if (r < 0)
		return r;
	layout = lay_out(draft, strings.size);
	if (layout.size > PLAN_FILE_MAX || (draft->rule && strlen(draft->rule) >= ASKED_RULE_MAX))
		return -EFBIG;
	data = calloc(1, layout.size);
	if (!data)
		return -ENOMEM;
	write_probes(draft, data);
	write_rule(draft, &layout, data);
	write_tables(draft, &layout, paths, data);
	write_metadata(draft, &layout, paths + draft->n_files, data);
	memcpy(data + layout.strings, strings.data, strings.size);
	write_header(draft, &layout, program, data);
	*ret_data = TAKE_PTR(data);
	*ret_size = layout.size;
	return 0;
}
