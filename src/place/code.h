/* SPDX-License-Identifier: MIT */
/* Which pages of a file are code, and what a fault in them reads where base/files/code-faults.h says so. */
#pragma once

#include "place/runs.h"

/* Adds the pages of an open file that are mapped as code; none if it is no ELF file. Returns as place_runs_add(). */
int place_code_find(int fd, uint32_t page_size, struct place_runs *ret);

/* The run of code that a page lies in, or NULL. */
const struct place_run *place_code_at(const struct place_runs *code, uint64_t page);

/* The pages [*ret_from, *ret_end) that a fault on one reads if the kernel reads `window` pages, in units of so many. */
void place_code_window(const struct place_run *code, uint64_t page, uint64_t window, uint64_t unit,
	uint64_t *ret_from, uint64_t *ret_end);
