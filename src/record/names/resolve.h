/* SPDX-License-Identifier: MIT */
/* Looks up, after the recording, the names and sizes of the files and programs that it met. */
#pragma once

#include "record/events/trace.h"
#include "record/names/mounts.h"

/*
 * Drops files that are gone or replaced, fills in sizes, and fills in residency where fault-around took part. Marks
 * files with the same device and inode as ambiguous. Does not look at a user's own. `unasked`, unless NULL, are places as of
 * mounts_to_be_asked(): what lies there is dropped, and not looked at. Returns 0 or negative errno.
 */
int resolve_files(struct record_files *files, const struct record_trace *trace, const char *unasked);

/* Adds the files that have events but were not seen being opened, by walking their file systems. */
int resolve_by_walking(
	struct record_files *files, const struct record_trace *trace, const struct mounts *mounts);

/*
 * Makes the paths of programs canonical and drops programs without a path. Adds the symbolic links on the way to
 * programs, interpreters and libraries as files. `careful`: no path is looked at that others than root can change. Call it after
 * resolve_files().
 */
int resolve_programs(struct record_trace *trace, struct record_files *files, bool careful);
