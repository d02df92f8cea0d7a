/* SPDX-License-Identifier: MIT */
/* Functions and pages of a file, and how much of what is touched are relocation tables. */
#pragma once

#include "order/image.h"
#include "profile/profile.h"

/* Functions that lie on a page of the file, in the order of their addresses; the names of one follow one another. */
struct explain_functions {
	const struct order_function **items; /* owned; the functions are the image's */
	size_t n, capacity;
};

void explain_functions_release(struct explain_functions *functions);

static inline void explain_functions_releasep(struct explain_functions *functions)
{
	explain_functions_release(functions);
}

/* *ret is the caller's to release. Returns 0 or -ENOMEM. */
int explain_functions_on(
	const struct order_image *image, uint64_t page, uint32_t page_size, struct explain_functions *ret);

/* Where a function lies in the file. */
struct explain_place {
	uint64_t first, last; /* pages */
};

/*
 * The first function of that name after `from` (an index in image->functions). Returns its index, with its place, or
 * image->n_functions.
 */
size_t explain_find_function(const struct order_image *image, const char *name, size_t from,
	uint32_t page_size, struct explain_place *ret);

/*
 * Touched bytes of the file, at most its touched pages, that the dynamic section says are relocations: DT_RELA, DT_JMPREL,
 * DT_RELR (gABI, "Dynamic Section"). The file may be hostile. Returns 0, -ENOEXEC or negative errno.
 */
int explain_relocations(int fd, const struct profile_file *file, uint32_t page_size, uint64_t *ret_bytes);
