/* SPDX-License-Identifier: MIT */
/* What a prefetcher did, for people: lines in the file that $HEADSTART_LOG names. */
#pragma once

#include <stdint.h>

#include "format/plan-view.h"
#include "prefetch/prefetch.h"
#include "prefetch/whole-mode/whole-mode.h"

/*
 * Appends one line to the file that $HEADSTART_LOG names, if it is set: "prefetch program=… engine=… opened=… …".
 * Fields are named as in struct prefetch_result, sizes are in bytes, and "alongside" is as in struct prefetch_options.
 * "read" is bytes_read, or "unknown": the rest of "asked" was in memory already.
 * It is one write(2), so that lines of several prefetchers don't mix.
 */
void prefetch_log(const struct plan_view *plan, const struct prefetch_options *options,
	const struct prefetch_result *result);

/* A range that whole mode asked for: "object offset=… length=… path=…", the path to the end of the line. */
void object_range_log(int fd, uint64_t offset, uint64_t length);

/* The totals of whole mode: "objects seen=… read=… relaid=… asked=…". */
void whole_mode_log(const struct whole_mode_result *result);
