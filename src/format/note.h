/* SPDX-License-Identifier: MIT */
/*
 * The ELF note of a relaid file: what was done to it, where its hot bytes lie, and how to undo it. Freestanding: the
 * shims read it, and so does the prefetcher.
 *
 * An overlay (docs/decisions/overlay-instead-of-permutation.md) is, in this order:
 *
 *  - the original bytes, of which only e_phoff and e_phnum differ;
 *  - zeros, to a multiple of the granule, and for an executable to where file offset and address agree;
 *  - the tables, one read-only PT_LOAD: packed relocations, strings, this note, and the program headers last;
 *  - the hot region: copies of pages, to the end of the file.
 *
 * The note is a PT_NOTE segment of its own (gABI, "Note Section"; name "headstart", 4-byte aligned), directly before
 * the program headers in the file: a reader of the ELF header, of NOTE_REACH bytes before e_phoff and of some pages
 * after it has everything. All fields are little-endian.
 *
 * A compact file (relayout --compact) has its program headers where linkers put them, directly behind the ELF header,
 * and the note directly behind those. Its tables are everything before its hot region; tables_offset is 0.
 */
#pragma once

#include <elf.h>
#include <stdint.h>

#include "format/endian.h"

#define NOTE_NAME    "headstart" /* n_namesz counts the NUL */
#define NOTE_TYPE    1u          /* n_type: struct note_relaid */
#define NOTE_VERSION 1u

/* Passes: what was done (note_relaid.passes). */
enum note_pass {
	NOTE_PASS_HOT = 1 << 0,     /* hot pages are mapped from copies */
	NOTE_PASS_RELR = 1 << 1,    /* R_*_RELATIVE became DT_RELR */
	NOTE_PASS_RELOCS = 1 << 2,  /* the remaining relocations of DT_RELA were moved */
	NOTE_PASS_COMPACT = 1 << 3, /* a true permutation: it cannot be undone; original_* describe the
				       file it was made from */
};

struct note_relaid {
	uint32_t version; /* NOTE_VERSION */
	uint32_t passes;  /* enum note_pass bits */
	uint64_t profile; /* XXH3-64 of the profile file it was laid out by */
	/* The original: */
	uint64_t original_size;     /* bytes */
	uint64_t original_checksum; /* XXH3-64 of all its bytes */
	uint64_t original_phoff;    /* its e_phoff */
	uint32_t original_phnum;    /* its e_phnum */
	uint32_t granule;           /* bytes of a page as the layout counts them */
	/* What was appended: */
	uint64_t tables_offset; /* file offset of the tables, a multiple of granule */
	uint64_t tables_size;   /* bytes, program headers included */
	uint64_t hot_offset;    /* file offset of the hot region, a multiple of granule */
	uint64_t hot_size;      /* bytes; 0 where there is none */
	/* XXH3-64 of the file from original_size (compact: from 0) to its end, with this field taken as 0. */
	uint64_t appended_checksum;
	char tool[32]; /* "headstart 0.1.0", NUL-padded, the last byte is NUL */
};

_Static_assert(sizeof(struct note_relaid) == 120, "on-disk layout");

/* The whole note: header, name and descriptor as they lie in the file. */
struct note_segment {
	uint32_t n_namesz; /* sizeof(NOTE_NAME) */
	uint32_t n_descsz; /* sizeof(struct note_relaid) */
	uint32_t n_type;   /* NOTE_TYPE */
	char name[12];     /* NOTE_NAME, NUL-padded to a multiple of 4 */
	struct note_relaid relaid;
} __attribute__((packed, aligned(4)));

_Static_assert(sizeof(struct note_segment) == 144, "on-disk layout");

#define NOTE_REACH sizeof(struct note_segment)

/* Where the note lies in a file with this header, if the file is relaid; 0: it cannot be. */
static inline uint64_t note_offset(const Elf64_Ehdr *header)
{
	if (header->e_phoff == sizeof(*header))
		return header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr);
	return header->e_phoff < sizeof(*header) + NOTE_REACH ? 0 : header->e_phoff - NOTE_REACH;
}
