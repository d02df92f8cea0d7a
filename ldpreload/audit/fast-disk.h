/* SPDX-License-Identifier: MIT */
/* Whether a prefetcher has found lately that whole mode gains nothing on a disk. */
#pragma once

#include <stdbool.h>

/* Whether the disk of the object at this path, which is mapped, has such a mark (format/fast-disk.h). Call it only if
 * shim_may_act(). */
bool disk_is_fast(const char *path);
