/* SPDX-License-Identifier: MIT */
/* How much of a file its touched pages are. The last page of a file is seldom full, so that pages alone would be more than the file. */
#pragma once

#include <stdint.h>

#include "profile/profile.h"

/* Bytes of these pages in a file of `size` bytes. Pages beyond its end count whole: the file was longer when they were touched. */
uint64_t touched_part(uint64_t page, uint64_t pages, uint32_t page_size, uint64_t size);

struct touched_sizes {
	uint64_t bytes;
	uint64_t every_run; /* of them, those that every run touched */
	uint64_t one_run;   /* those that one run of several touched */
};

/* Of all files of the profile. */
uint64_t touched_bytes(const struct profile *profile);

/* `file` may be NULL; `runs` and `page_size` are those of its profile. */
struct touched_sizes touched_of(const struct profile_file *file, uint32_t runs, uint32_t page_size);
