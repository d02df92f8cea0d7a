/* SPDX-License-Identifier: MIT */
/*
 * What is known of pages of many files. It takes memory for the pages that are marked, however large the files are: anybody can make
 * a file of 16 TiB that takes no space.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/inode-map.h"

#define PAGE_MARKS_MAX (1u << 21) /* pieces of 64 pages, some 150 MB: of 512 GiB, if these lie side by side */

/* The kinds of marks that a page can have. */
enum page_mark {
	PAGE_TOUCHED,
	PAGE_ASKED, /* for itself */
	PAGE_ADDED, /* to the page cache */
	PAGE_MARKS,
};

struct page_marks {
	struct inode_map by_place;      /* (file, piece) to the index in pieces */
	uint64_t (*pieces)[PAGE_MARKS]; /* owned: a bit for each page */
	size_t count, capacity;
};

/* Marks a page of the file of this number. Returns 0, -ENOMEM, or -EFBIG if that would be more than PAGE_MARKS_MAX pieces. */
int page_marks_set(struct page_marks *marks, size_t file, uint32_t page, enum page_mark mark);
bool page_marks_get(const struct page_marks *marks, size_t file, uint32_t page, enum page_mark mark);

/* How many pages have the first mark, but not the second one. */
uint64_t page_marks_count(const struct page_marks *marks, enum page_mark mark, enum page_mark without);
void page_marks_release(struct page_marks *marks);
