/* SPDX-License-Identifier: MIT */
/* Profiles in memory for the unit tests. */
#pragma once

#include "profile/profile.h"

/* An empty profile of /opt/app/bin/app with everything that describes it set. */
struct profile fixture_empty(void);

/* Adds ranges {page, pages, order, runs}, up to one of no pages, to the file of that path. */
void fixture_ranges(struct profile *profile, const char *path, const struct profile_range *ranges);

/* Adds ranges {page, pages}, up to one of no pages, of the metadata of that file system. */
void fixture_metadata(
	struct profile *profile, uint64_t file_system, const struct profile_block_range *ranges);

/* Adds a file that was only looked at. */
void fixture_look(struct profile *profile, const char *path, enum profile_kind kind, uint32_t order);

/*
 * A finished profile of a small start: a folder, a link, the program with a build-id, a library whose pages come in
 * two parts, an exec of a helper in between, and metadata of two file systems.
 */
struct profile fixture_small(void);

/* Returns the file of that path; the test fails if there is none. */
struct profile_file *fixture_file(const struct profile *profile, const char *path);

/* The test fails unless the file has exactly these ranges, in this order. */
void fixture_assert_ranges(
	const struct profile *profile, const char *path, const struct profile_range *expected);
