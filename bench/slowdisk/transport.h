/* SPDX-License-Identifier: MIT */
/* What the way to the modelled device and back takes by itself: system call, FUSE, two changes of process. */
#pragma once

#include <stdint.h>

/*
 * Reads 4 KiB of the file at `path` many times over, past the page cache, and returns the median time in ns:
 * 0 if that cannot be measured, and never more than a busy machine could make it seem. The file must answer
 * at once.
 */
uint64_t transport_measure_ns(const char *path);
