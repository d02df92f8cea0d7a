/* SPDX-License-Identifier: MIT */
#include "handmade.h"

#include <string.h>

void handmade_init(struct handmade *elf)
{
	*elf = (struct handmade){
		.header =
			{
				.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
					EV_CURRENT},
				.e_type = ET_DYN,
				.e_machine = EM_X86_64,
				.e_version = EV_CURRENT,
				.e_phoff = sizeof(Elf64_Ehdr),
				.e_ehsize = sizeof(Elf64_Ehdr),
				.e_phentsize = sizeof(Elf64_Phdr),
				.e_phnum = 4,
			},
		.text = {PT_LOAD, PF_R | PF_X, 0, 0, 0, 0x2000, 0x2000, 0x1000},
		.data = {PT_LOAD, PF_R | PF_W, 0x2e00, 0x3e00, 0x3e00, 0x300, 0x2000, 0x1000},
		.dynamic = {PT_DYNAMIC, PF_R | PF_W, 0x2e00, 0x3e00, 0x3e00, 6 * sizeof(Elf64_Dyn),
			6 * sizeof(Elf64_Dyn), 8},
		.stack = {PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 16},
		.strings = "\0libhand.so.1",
		.entries = {{DT_SONAME, {1}}, {DT_STRTAB, {HANDMADE_STRINGS}}, {DT_STRSZ, {0x100}}},
	};
	for (size_t i = 0; i < sizeof(elf->code); i++)
		elf->code[i] = (uint8_t)(i * 7 + i / 256);
	memset(elf->rest, 0xaa, sizeof(elf->rest));
}
