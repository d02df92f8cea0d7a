/* SPDX-License-Identifier: MIT */
/*
 * Proves that a relaid file is what its original was. It derives everything anew from the two files and shares no code
 * with the passes, so that their mistakes cannot hide here. After the headers it compares the memory that the loader
 * makes of each file, byte by byte, and the relocations that the loader processes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define VERIFY_PROBLEM_MAX 240

struct verify_report {
	char problem[VERIFY_PROBLEM_MAX]; /* what is wrong, as a text that follows the file's name; "" for
					     nothing */
	uint64_t profile;                 /* XXH3-64 of the profile that it was laid out by */
	uint32_t passes;                  /* enum note_pass bits */
	char tool[33];                    /* that made it, as its note says: any bytes */
	uint64_t granule;                 /* bytes of a page */
	uint64_t original_size, size;     /* bytes of the files */
	uint64_t pages, hot_pages; /* pages with file content in the original; those mapped from a copy */
	size_t segments_before, segments;         /* PT_LOADs */
	uint64_t packed;                          /* relocations that are new in DT_RELR */
	uint64_t relocations_before, relocations; /* bytes of DT_RELA and DT_RELR */
	size_t dynamic_changed; /* entries of the dynamic section: changed, added or removed */
	size_t versions_added;  /* required symbol versions */
};

/*
 * Verifies a relaid file in memory, which may be hostile. Returns 0; -ENODATA: not a relaid file; -EBADMSG: it is not
 * what its original was; -EOPNOTSUPP: it holds no original to compare with (--compact); each with the problem; or
 * -ENOMEM. The report also has what was found before the problem; everything else in it is 0.
 */
int verify_relaid(const uint8_t *data, uint64_t size, struct verify_report *ret);
