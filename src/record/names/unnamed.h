/* SPDX-License-Identifier: MIT */
/* Counts the touched files that have no name in our own mount namespace, and so are missing from the profile. */
#pragma once

#include "record/events/trace.h"
#include "record/names/opens.h"

/*
 * Files that were opened in another namespace (opens->unnamed), and those with touches on a file system that is mounted
 * only there. Deleted files do not count. Call it after resolve_files(). Returns 0 or -ENOMEM.
 */
int unnamed_count(const struct opens *opens, const struct record_trace *trace, size_t *ret);
