/* SPDX-License-Identifier: MIT */
/* After the recording: what the files and programs that it met are called and how large they are now. */
#pragma once

#include "record/mounts.h"
#include "record/trace.h"

/*
 * Drops files that are gone or replaced, fills in sizes, and residency where fault-around took part. Marks files of one
 * device and inode as ambiguous. Returns 0 or negative errno.
 */
int resolve_files(struct record_files *files, const struct record_trace *trace);

/* Adds the files that events are about and nobody saw being opened, by walking their file systems. */
int resolve_by_walking(
	struct record_files *files, const struct record_trace *trace, const struct mounts *mounts);

/*
 * Makes the paths of programs canonical, drops those without, and adds the symbolic links on the way to programs,
 * interpreters and libraries as files. After resolve_files().
 */
int resolve_programs(struct record_trace *trace, struct record_files *files);
