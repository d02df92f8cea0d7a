/* SPDX-License-Identifier: MIT */
/*
 * DT_RELR (generic ABI, "Relative Relocation Table"): the places of relative relocations as 64-bit words. An
 * even word is the address of one place. An odd word is a bitmap: bit k, counted from 1, says that the word
 * at base + 8 * (k - 1) is one too; base begins 8 bytes after the address and moves on by 63 * 8 with each
 * bitmap.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Packs places that ascend strictly and are multiples of 8. The caller frees *ret_words, which are in the byte order of
 * the file (little-endian). Returns 0; -EINVAL for other places, or none; -ENOMEM.
 */
int relr_encode(const uint64_t *places, size_t n_places, uint64_t **ret_words, size_t *ret_n_words);

/* The state of reading a table. {.table = …, .size = …} begins. */
struct relr_reader {
	const uint8_t *table; /* borrowed: what is left to read */
	uint64_t size;        /* bytes of it */
	uint64_t base;        /* of the next bitmap; 0: no address has been seen yet */
	uint64_t bits;        /* of the bitmap at hand that are left, bit 0 stands for `place` */
	uint64_t place;
};

/*
 * The next place, in the order in which the loader relocates them. Returns 1; 0 at the end; -EINVAL for a malformed
 * table (a size that is no multiple of 8, a bitmap without an address before it).
 */
int relr_next(struct relr_reader *reader, uint64_t *ret_place);
