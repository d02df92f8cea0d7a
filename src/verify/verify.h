/* SPDX-License-Identifier: MIT */
/*
 * Proves that a relaid file is what its original was: derives everything anew from the two, and shares no
 * code with the passes that made it, so that their mistakes cannot hide here. Equal are, after the headers,
 * the memory that the loader makes of the file, byte by byte and page by page, and the relocations that it
 * carries out.
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
	uint64_t pages, hot_pages;        /* with content in the original; those mapped from a copy */
	size_t segments_before, segments; /* PT_LOADs */
	uint64_t packed;                  /* relocations that DT_RELR has and had not */
	uint64_t relocations_before, relocations; /* bytes of DT_RELA and DT_RELR */
	size_t dynamic_changed; /* entries of the dynamic section: other values, new ones, lost ones */
	size_t versions_added;  /* required symbol versions */
};

/*
 * Verifies a relaid file in memory, which may be hostile. Returns 0; -ENODATA: not a relaid file; -EBADMSG:
 * it is not what its original was; -EOPNOTSUPP: it holds no original to compare with (--compact); each with
 * the problem; or -ENOMEM. What was found out before a problem is in the report as well; all else is 0.
 */
int verify_relaid(const uint8_t *data, uint64_t size, struct verify_report *ret);
