/* SPDX-License-Identifier: MIT */
/* What a process has touched before it is traced, as far as its page tables tell. */
#pragma once

#include <stdint.h>

#include "record/events/trace.h"
#include "record/names/opens.h"

/*
 * Adds the files that the process has mapped, and events (RECORD_FOUND) of their pages at that time, in nanoseconds. `*budget` as in
 * page_tables_present(); beyond it trace->lost becomes true. What we may not look at is left out. Returns 0 or -ENOMEM.
 */
int mapped_add(int32_t pid, uint64_t time, uint64_t *budget, struct opens *opens, struct record_trace *trace);
