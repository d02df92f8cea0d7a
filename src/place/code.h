/* SPDX-License-Identifier: MIT */
/*
 * What a fault in the code of a program or library reads.
 *
 * Since Linux 6.17 that is the missing page and what follows it, read_ahead_kb in all, as far as the mapping goes; no page
 * is marked, so the kernel does not read on (mm/filemap.c, do_sync_mmap_readahead(): VM_EXEC). Before, it is half of
 * read_ahead_kb on both sides, as it still is in data.
 */
#pragma once

#include <stdbool.h>

#include "place/runs.h"

/* Whether this kernel does so. */
bool place_code_reads_on(void);

/* Adds the pages of an open file that are mapped as code; none if it is no ELF file. Returns as place_runs_add(). */
int place_code_find(int fd, uint32_t page_size, struct place_runs *ret);

/* The run of code that a page lies in, or NULL. */
const struct place_run *place_code_at(const struct place_runs *code, uint64_t page);

/* The pages [*ret_from, *ret_end) that a fault on one reads if the kernel reads `window` pages. */
void place_code_window(const struct place_run *code, uint64_t page, uint64_t window, uint32_t page_size,
	uint64_t *ret_from, uint64_t *ret_end);
