/* SPDX-License-Identifier: MIT */
/* The time of the way to the modelled device and back: system call, FUSE, two changes of process. */
#pragma once

#include <stdint.h>

/*
 * Reads 4 KiB of the file at `path` many times over, past the page cache, and returns the median time in ns: 0 if it
 * cannot measure that. The result has an upper limit, since a busy machine exaggerates it. The file must answer at
 * once.
 */
uint64_t transport_measure_ns(const char *path);
