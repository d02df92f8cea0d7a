/* SPDX-License-Identifier: MIT */
#include "explain/planned.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/paths/stranger.h"
#include "base/strings.h"
#include "device/device.h"
#include "explain/touch.h"
#include "profile/updates/staleness.h"

/* The index of the file in the plan, or file_count. */
static uint32_t find_file(const struct plan_view *plan, const char *path)
{
	uint32_t file = 0;

	while (file < plan->file_count && !streq(plan_file_path(plan, file), path))
		file++;
	return file;
}

struct explain_planned explain_planned_of(const struct plan_view *plan, const char *path)
{
	uint32_t file = find_file(plan, path);
	struct explain_planned planned = {.file = file < plan->file_count};

	for (uint32_t i = 0; i < plan->extent_count; i++) {
		const struct plan_extent *extent = &plan->extents[i];

		if (LE32(extent->file) != file)
			continue;
		planned.pages += LE32(extent->pages);
		planned.gaps += LE32(extent->gap);
		planned.guessed = planned.guessed || LE32(extent->guessed) != 0;
	}
	return planned;
}

enum explain_why explain_page_of(
	const struct plan_view *plan, const char *path, const struct profile_file *file, uint64_t page)
{
	uint32_t wanted = find_file(plan, path);

	for (uint32_t i = 0; i < plan->extent_count; i++) {
		const struct plan_extent *extent = &plan->extents[i];
		uint64_t first = LE32(extent->page);

		if (LE32(extent->file) != wanted || page < first || page - first >= LE32(extent->pages))
			continue;
		if (LE32(extent->guessed) != 0)
			return EXPLAIN_GUESSED;
		return file && explain_find_range(file, page) ? EXPLAIN_TOUCHED : EXPLAIN_GAP;
	}
	return EXPLAIN_NOT_PLANNED;
}

enum explain_absence explain_absence_of(const struct profile_file *file, bool shared)
{
	_cleanup_close_ int fd = -1;
	struct stranger stranger;
	struct device device;

	if (shared && stranger_find(file->path, &stranger) == -EPERM)
		return EXPLAIN_OTHERS;
	switch (profile_file_staleness(file, 1)) {
	case PROFILE_GONE:
		return EXPLAIN_GONE;
	case PROFILE_CHANGED:
		return EXPLAIN_CHANGED;
	case PROFILE_FRESH:
		break;
	}
	if (file->kind != PROFILE_REGULAR)
		return EXPLAIN_CHOICE;
	fd = open_regular(file->path, OPEN_NO_LINKS);
	if (fd < 0)
		return EXPLAIN_GONE;
	if (device_of(fd, &device) == 0 && device.class == DEVICE_MEMORY)
		return EXPLAIN_IN_MEMORY;
	return device_uncached(fd) > 0 ? EXPLAIN_UNCACHED : EXPLAIN_CHOICE;
}
