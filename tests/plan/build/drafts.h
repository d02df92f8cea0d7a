/* SPDX-License-Identifier: MIT */
/* Drafts of plans that tests make by hand: of files that need not exist. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/build/draft.h"
#include "plan/build/time/cost.h"

#define PAGE 4096u

struct test_file {
	const char *path; /* NULL: the end of a list */
	enum profile_kind kind;
	uint64_t inode;
	uint32_t device; /* index of one of the draft's devices */
};

/* Two libraries; the second has the lower inode. */
extern const struct test_file two_files[];

/* Of all drafts: files of pages of PAGE bytes. */
extern const struct profile drafts_profile;

/* The files of the last draft that was made, as its profile has them: each with one range, if it is a regular one. */
extern struct profile_file drafts_sources[32];

/* A draft with one device and these files, each of which everybody may read. The caller releases it. */
struct plan_draft make_draft(enum device_class class, const struct test_file *files);

void add_device(struct plan_draft *draft, enum device_class class);
void add_extent(struct plan_draft *draft, struct draft_extent extent);

/* An extent whose place on the disk is unknown. */
void touch(struct plan_draft *draft, uint32_t file, uint32_t page, uint32_t pages, uint32_t order);

/* Fails the test unless extent `i` is this. */
void expect_extent(const struct plan_draft *draft, size_t i, uint32_t file, uint32_t page, uint32_t pages,
	uint32_t gap, uint32_t order);

/* What reads cost on a device of which nothing but the class is known. */
struct plan_cost cost_of_class(enum device_class class);
