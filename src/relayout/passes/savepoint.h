/* SPDX-License-Identifier: MIT */
/* Where a pass can go back to: it changes the image wholly or not at all. */
#pragma once

#include "relayout/passes/image.h"

struct saved_page {
	struct relayout_page *page; /* of the image */
	struct relayout_page was;   /* bytes owned: a copy */
};

struct savepoint {
	struct relayout_image *image; /* NULL once kept or gone back to */
	size_t tables_size;
	Elf64_Dyn *dynamic; /* owned */
	struct saved_page *pages;
	size_t n_pages, capacity;
};

/* Returns 0 or -ENOMEM. */
int savepoint_init(struct savepoint *ret, struct relayout_image *image);

/* Must be called before the page that the address lies on is changed; calls for one page in a row cost
 * nothing. Returns 0, -ENOMEM, or -EFAULT (no such page). */
int savepoint_page(struct savepoint *save, uint64_t address);

/* What was changed since stays. */
void savepoint_keep(struct savepoint *save);

/* Goes back, unless savepoint_keep() was called, and frees. */
void savepoint_release(struct savepoint *save);
