/* SPDX-License-Identifier: MIT */
/* By the profile, what a cold start reads of a file before and after it is relaid. */
#pragma once

#include "profile/profile.h"
#include "relayout/passes/image.h"

/* What a cold start reads of a file. */
struct relayout_reads {
	uint64_t pages; /* of the profile's size */
	uint64_t reads; /* reads of 128 KiB, the size of read-ahead, that fetch them */
	uint64_t bytes;
	size_t segments; /* PT_LOADs */
};

/* Where in a relaid file the pages lie that a start reads. */
struct gain_places {
	uint64_t together; /* bytes that lie together, all of which are read */
	uint64_t apart;    /* bytes that lie elsewhere, */
	uint64_t n_apart;  /* in so many reads */
	/* NULL, or the image whose touched pages that are not hot are read from where they always were. */
	const struct relayout_image *image;
	size_t segments; /* PT_LOADs */
};

/* For the file as it is. `page_size` is the profile's. */
struct relayout_reads gain_before(
	const struct elf_view *current, const struct profile_file *file, uint32_t page_size);

/*
 * For the relaid file. `file` is NULL if it had been relaid before: reads of what is not mapped are then not counted.
 * Returns 0 or -ENOMEM.
 */
int gain_after(const struct gain_places *places, const struct elf_view *original,
	const struct profile_file *file, uint32_t page_size, struct relayout_reads *ret);

/* Whether starts gain by it, cold and warm ones together (relaid/cost.h), or the note saves the shim from reading the
 * whole file. */
bool gain_is_worth(
	const struct relayout_reads *before, const struct relayout_reads *after, uint64_t original_size);

/* Whether a cold start would read more than before, reads and bytes together. */
bool gain_is_loss(const struct relayout_reads *before, const struct relayout_reads *after);
