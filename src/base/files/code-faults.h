/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether a fault in a mapping of code reads the missing page and what follows it, read_ahead_kb in all, as far as the mapping
 * goes. Linux does so since 6.17, and marks no page, so it does not read on behind that (mm/filemap.c,
 * do_sync_mmap_readahead(): VM_EXEC). Before, half of it lay on each side, as it still does in data.
 */
bool code_faults_read_on(void);

/*
 * Bytes to whose multiples the pages are aligned that such a fault reads: AArch64 has a preferred size of code in memory
 * (exec_folio_order()); 1 where there is none.
 */
uint32_t code_fault_unit(void);
