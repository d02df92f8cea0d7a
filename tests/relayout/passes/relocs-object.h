/* SPDX-License-Identifier: MIT */
/*
 * A handmade shared object with every table that the relocation passes read, and a handmade loader that relocates it.
 * A pass is right if the memory is the same afterwards.
 */
#pragma once

#include <elf.h>
#include <stdint.h>

#include "relayout/passes/pass.h"

/*
 *   file     address
 *   0        0        text: R, headers on the first page
 *   0x1000   0x1000   strings, versions
 *   0x1400   0x1400   relocations: 600, then 4 of the PLT
 *   0x6000   0x7000   data: RW, the dynamic section first; 0x1b00 bytes in the file, 0x3000 in memory
 */
#define OBJECT_STRINGS    0x1000u
#define OBJECT_VERSYM     0x1200u
#define OBJECT_VERDEF     0x1280u
#define OBJECT_VERNEED    0x1300u
#define OBJECT_RELA       0x1400u
#define OBJECT_N_RELA     600u
#define OBJECT_N_RELATIVE 580u /* then GLOB_DAT, IRELATIVE the last 2 */
#define OBJECT_N_PLT      4u
#define OBJECT_PLT        (OBJECT_RELA + OBJECT_N_RELA * 24)
#define OBJECT_DATA       0x7000u
#define OBJECT_WORDS      0x7200u
#define OBJECT_N_WORDS    800u
#define OBJECT_DATA_END   0x8b00u
#define OBJECT_MEMORY     0xa000u /* end of the BSS */
#define OBJECT_SPARE      5u

struct object {
	Elf64_Ehdr header;
	Elf64_Phdr text, data, dynamic_phdr, stack;
	uint8_t gap[0x1000 - sizeof(Elf64_Ehdr) - 4 * sizeof(Elf64_Phdr)];
	char strings[0x200];
	uint16_t versym[64];
	Elf64_Verdef verdef[2];
	uint8_t verdef_gap[0x80 - 2 * sizeof(Elf64_Verdef)];
	Elf64_Verneed math;
	Elf64_Vernaux math_versions[1];
	Elf64_Verneed libc;
	uint64_t libc_gap;
	Elf64_Vernaux libc_versions[2];
	uint8_t verneed_gap[0x100 - sizeof(uint64_t) - 2 * sizeof(Elf64_Verneed) - 3 * sizeof(Elf64_Vernaux)];
	Elf64_Rela rela[OBJECT_N_RELA];
	Elf64_Rela plt[OBJECT_N_PLT];
	uint8_t rela_gap[0x6000 - OBJECT_PLT - OBJECT_N_PLT * 24];
	Elf64_Dyn dynamic[32];
	uint64_t words[OBJECT_N_WORDS];
};

_Static_assert(sizeof(struct object) == 0x7b00, "as drawn above");

void object_init(struct object *object);

/* Finds the entry of a tag; if there is none, makes it from one of the DT_NULLs. */
Elf64_Dyn *object_dynamic(struct object *object, int64_t tag);

/* Removes an entry; the ones behind it move up. */
void object_drop(struct object *object, int64_t tag);

/* Leaves this many spare DT_NULLs: the rest become DT_DEBUG. */
void object_spare(struct object *object, size_t spare);

#define OBJECT_BASE 0x7f0000000000u /* where the loader made by hand loads it */

/*
 * The object's memory as glibc 2.36 relocates it at OBJECT_BASE: DT_RELR, then DT_RELA and DT_JMPREL as one
 * or two ranges. Values of symbols are made up of the relocation. The dynamic section is left out: passes
 * change it.
 */
void object_relocate(const struct relayout_image *image, bool lazy, uint8_t memory[static OBJECT_MEMORY]);

/* Returns the bytes at an address, also in the tables, or NULL. */
const void *object_at(const struct relayout_image *image, uint64_t address, uint64_t size);
