/* SPDX-License-Identifier: MIT */
/* What the parts of the verification of a compacted file share. */
#pragma once

#include "elf/sections.h"
#include "verify/parts.h"

/* Memory of the original that nothing refers to any more. */
struct verify_gone {
	uint64_t address, size;
	uint64_t to; /* where the same lies now, if anywhere; else 0 */
};

struct verify_compact {
	struct verify *verify;
	struct elf_sections old, new;
	const Elf64_Phdr
		*tables; /* the PT_LOAD of the result that the original has none for; NULL: there is none */
	struct verify_gone *gone; /* owned */
	size_t n_gone, gone_capacity;
};

/* Whether all of a range is gone. */
bool verify_is_gone(const struct verify_compact *compact, uint64_t address, uint64_t size);
int verify_add_gone(struct verify_compact *compact, uint64_t address, uint64_t size, uint64_t to);

/* The same memory with the same rights, no part of the file twice. */
int verify_compact_memory(struct verify_compact *compact);

/* Sections tell the truth about the memory, and symbols refer to the sections that they are in. */
int verify_compact_sections(struct verify_compact *compact);
