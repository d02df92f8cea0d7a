/* SPDX-License-Identifier: MIT */
/* A small shared object made by hand, whose fields tests change. */
#pragma once

#include <elf.h>
#include <stdint.h>

/*
 *   file        address
 *   0           0       text: R E, headers and dynamic strings (at 0x400) included
 *   0x2e00      0x3e00  data: RW, the dynamic section first, 0x300 bytes in the file and 0x2000 in memory
 *   0x3100              end
 */
#define HANDMADE_SIZE    0x3100u
#define HANDMADE_STRINGS 0x400u
#define HANDMADE_DYNAMIC 0x3e00u

struct handmade {
	Elf64_Ehdr header;
	Elf64_Phdr text, data, dynamic, stack;
	uint8_t gap[HANDMADE_STRINGS - sizeof(Elf64_Ehdr) - 4 * sizeof(Elf64_Phdr)];
	char strings[0x100];
	uint8_t code[0x2e00 - 0x500];
	Elf64_Dyn entries[6]; /* the last three are DT_NULL */
	uint8_t rest[HANDMADE_SIZE - 0x2e00 - 6 * sizeof(Elf64_Dyn)];
};

_Static_assert(sizeof(struct handmade) == HANDMADE_SIZE, "as drawn above");

void handmade_init(struct handmade *elf);
