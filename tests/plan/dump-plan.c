/* SPDX-License-Identifier: MIT */
/*
 * Prints a plan in words that scripts can compare:
 *
 *     order touch|physical
 *     file KIND INODE PATH
 *     extent PATH PAGE PAGES GAP
 *     metadata POINT PAGE PAGES GAP
 *     probe PATH PAGE
 */
#include <stdio.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "format/plan-view.h"

static void dump_metadata(const struct plan_view *view)
{
	const struct plan_metadata *metadata = view->metadata;

	for (uint32_t i = 0; i < view->file_system_count; i++)
		for (uint32_t j = 0; j < LE32(view->file_systems[i].metadata_count); j++, metadata++)
			printf("metadata %s %u %u %u\n", view->strings + LE32(view->file_systems[i].point),
				LE32(metadata->page), LE32(metadata->pages), LE32(metadata->gap));
}

static void dump(const struct plan_view *view)
{
	static const char *const kinds[] = {"regular", "directory", "symlink"};
	const char *head = (const char *)view->header;

	printf("order %s\n", LE32(view->header->order) == PLAN_ORDER_PHYSICAL ? "physical" : "touch");
	for (uint32_t i = 0; i < view->file_count; i++)
		printf("file %s %llu %s\n", kinds[LE32(view->files[i].kind)],
			(unsigned long long)LE64(view->files[i].inode), plan_file_path(view, i));
	for (uint32_t i = 0; i < view->extent_count; i++) {
		const struct plan_extent *extent = &view->extents[i];

		printf("extent %s %u %u %u\n", plan_file_path(view, LE32(extent->file)), LE32(extent->page),
			LE32(extent->pages), LE32(extent->gap));
	}
	dump_metadata(view);
	for (uint32_t i = 0; i < LE32(view->header->probe_count); i++) {
		const struct plan_probe *probe = &plan_head_probes(head)[i];

		printf("probe %s %u\n", head + LE16(probe->path), LE32(probe->page));
	}
}

int main(int argc, char **argv)
{
	_cleanup_free_ char *data = NULL;
	struct plan_view view;
	size_t size;

	if (argc != 2 || read_file(argv[1], PLAN_FILE_MAX, &data, &size) < 0)
		return 1;
	if (plan_view_init(&view, data, size, checksum64) != PLAN_GOOD)
		return 2;
	dump(&view);
	return 0;
}
