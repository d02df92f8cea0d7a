/* SPDX-License-Identifier: MIT */
/* Compares the files of a plan with those that are there. */
#include "plan/coverage.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "base/times.h"

enum standing { SAME, CHANGED, GONE, HIDDEN };

static enum standing standing_of(const struct plan_view *plan, uint32_t index, const char *root)
{
	const struct plan_file *file = &plan->files[index];
	char full[PATH_MAX];
	struct stat st;

	if (snprintf(full, sizeof(full), "%s%s", root, plan_file_path(plan, index)) >= (int)sizeof(full))
		return GONE;
	if (lstat(full, &st) < 0)
		return errno == EACCES ? HIDDEN : GONE; /* it may well be there */
	if ((st.st_mode & S_IFMT) != plan_file_type(file))
		return GONE;
	return plan_file_is_fresh(file, (uint64_t)st.st_size, nanoseconds(st.st_mtim)) ? SAME : CHANGED;
}

static void count_files(
	const struct plan_view *plan, const enum standing *standings, struct plan_coverage *ret)
{
	bool has_program = false;

	for (uint32_t i = 0; i < plan->file_count; i++) {
		bool program = streq(plan_file_path(plan, i), plan_program(plan));

		ret->changed += standings[i] == CHANGED;
		ret->gone += standings[i] == GONE;
		ret->hidden += standings[i] == HIDDEN;
		ret->outdated_program |= program && (standings[i] == CHANGED || standings[i] == GONE);
		has_program |= program;
	}
	ret->lost_program = ret->lost > 0 && !has_program;
}

static void count_pages(
	const struct plan_view *plan, const enum standing *standings, struct plan_coverage *ret)
{
	for (uint32_t i = 0; i < plan->extent_count; i++) {
		const struct plan_extent *extent = &plan->extents[i];
		uint32_t pages = LE32(extent->pages) - LE32(extent->gap);
		enum standing standing = standings[LE32(extent->file)];

		ret->recorded += pages;
		if (standing == CHANGED || standing == GONE)
			ret->outdated += pages;
		else if (LE32(extent->guessed))
			ret->guessed += pages;
	}
}

int plan_coverage_of(const struct plan_view *plan, const char *root, struct plan_coverage *ret)
{
	_cleanup_free_ enum standing *standings = calloc((size_t)plan->file_count + 1, sizeof(*standings));
	struct plan_coverage coverage = {.lost = LE32(plan->header->lost)};

	if (!standings)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->file_count; i++)
		standings[i] = standing_of(plan, i, root);
	coverage.recorded = coverage.lost;
	count_files(plan, standings, &coverage);
	count_pages(plan, standings, &coverage);
	*ret = coverage;
	return 0;
}
