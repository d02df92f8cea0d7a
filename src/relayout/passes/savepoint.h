/* SPDX-License-Identifier: MIT */
/* A state that a pass can go back to, so that it changes the image wholly or not at all. */
#pragma once

#include "relayout/passes/image.h"

struct saved_page {
	struct relayout_page *page; /* of the image */
	struct relayout_page was;   /* bytes owned: a copy */
};

struct savepoint {
	struct relayout_image *image; /* NULL once kept or restored */
	size_t tables_size;
	Elf64_Dyn *dynamic; /* owned */
	struct saved_page *pages;
	size_t n_pages, capacity;
};

/* Returns 0 or -ENOMEM. */
int savepoint_init(struct savepoint *ret, struct relayout_image *image);

/* Call it before changing the page of the address; repeated calls for one page cost nothing. Returns 0, -ENOMEM, or
 * -EFAULT (no such page). */
int savepoint_page(struct savepoint *save, uint64_t address);

/* Keeps what was changed since. */
void savepoint_keep(struct savepoint *save);

/* Restores the state, unless savepoint_keep() was called, and frees the savepoint. */
void savepoint_release(struct savepoint *save);
