/* SPDX-License-Identifier: MIT */
/*
 * DT_RELA as the passes see it, with DT_JMPREL where the two are one: glibc relocates tables that touch as a single
 * range when it does not bind lazily (elf/dynamic-link.h, "Combine processing the sections"), IRELATIVE last. They stay
 * together, so that relocations are still processed in the same order.
 */
#pragma once

#include "relayout/passes/image.h"

struct reloc_table {
	uint64_t address;
	Elf64_Rela
		*entries; /* owned: those of DT_RELA, without those of DT_JMPREL that DT_RELASZ may count */
	size_t n_entries;
	size_t n_plt;    /* entries of DT_JMPREL if it follows directly, or 0; they follow in `entries` too */
	bool counts_plt; /* DT_RELASZ counts them */
};

/*
 * Reads the table as it is now. Returns 0, -ENOMEM, or -EOPNOTSUPP for relocations that cannot be changed, with the
 * reason (a static string) in *ret_refusal.
 */
int reloc_table_read(struct reloc_table *ret, const struct relayout_image *image, const char **ret_refusal);
void reloc_table_release(struct reloc_table *table);

static inline void reloc_table_releasep(struct reloc_table *table)
{
	reloc_table_release(table);
}

/* Whether a range overlaps the table, the part of DT_JMPREL in it included. */
bool reloc_table_overlaps(const struct reloc_table *table, uint64_t address, uint64_t size);

/*
 * Copies the entries from number `from` on, and DT_JMPREL with them if it follows, into the tables of the image, and
 * points the dynamic section there. Returns 0, -ENOMEM, -EFBIG or -ENOSPC; a failure leaves some of it done.
 */
int reloc_table_move(struct reloc_table *table, size_t from, struct relayout_image *image);
