/* SPDX-License-Identifier: MIT */
/* Plans made in memory by hand, without plan_build() and a profile. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/plan.h"

#define PLAN_MAKER_PAGE 4096u

struct plan_maker {
	enum plan_order order;
	uint32_t window_pages;
	uint32_t wait_ms;
	const char *program;
	struct plan_file *files; /* owned; path is filled in by make_plan() */
	char **paths;            /* owned */
	uint32_t file_count;
	struct plan_extent *extents; /* owned */
	uint32_t extent_count;
	struct {
		const char *path;
		uint32_t page;
	} probes[PLAN_PROBES_MAX];
	uint32_t probe_count;
};

/* Adds the file, directory or link at path as it is now. Returns its index. Aborts if there is none. */
uint32_t plan_maker_add(struct plan_maker *maker, const char *path);

void plan_maker_extent(struct plan_maker *maker, uint32_t file, uint32_t page, uint32_t pages);

/* An extent over all of a file. */
void plan_maker_whole(struct plan_maker *maker, uint32_t file);

/* Makes the plan, without metadata; the caller frees it. */
void *plan_maker_finish(const struct plan_maker *maker, size_t *ret_size);

void plan_maker_release(struct plan_maker *maker);
