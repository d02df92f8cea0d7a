/* SPDX-License-Identifier: MIT */
#include "relocs-object.h"

#include <string.h>

#include "base/checked.h"
#include "elf/relr.h"

enum {
	AT_LIBM = 1,
	AT_LIBC = 16,
	AT_GLIBC_2_29 = 32,
	AT_GLIBC_2_4 = 48,
	AT_GLIBC_2_2_5 = 64,
	AT_OWN = 80,
	DYNAMIC_ENTRIES = 32,
};

static void init_versions(struct object *object)
{
	strcpy(object->strings + AT_LIBM, "libm.so.6");
	strcpy(object->strings + AT_LIBC, "libc.so.6");
	strcpy(object->strings + AT_GLIBC_2_29, "GLIBC_2.29");
	strcpy(object->strings + AT_GLIBC_2_4, "GLIBC_2.4");
	strcpy(object->strings + AT_GLIBC_2_2_5, "GLIBC_2.2.5");
	strcpy(object->strings + AT_OWN, "OWN_1");
	object->verdef[0] = (Elf64_Verdef){VER_DEF_CURRENT, VER_FLG_BASE, 1, 0, 0, 0, sizeof(Elf64_Verdef)};
	object->verdef[1] = (Elf64_Verdef){VER_DEF_CURRENT, 0, 2, 0, 0, 0, 0};
	object->math = (Elf64_Verneed){VER_NEED_CURRENT, 1, AT_LIBM, 16, 32};
	object->math_versions[0] = (Elf64_Vernaux){0x69691b9, 0, 5, AT_GLIBC_2_29, 0};
	object->libc = (Elf64_Verneed){VER_NEED_CURRENT, 2, AT_LIBC, 24, 0};
	object->libc_versions[0] = (Elf64_Vernaux){0xd696914, 0, 3, AT_GLIBC_2_4, 16};
	object->libc_versions[1] = (Elf64_Vernaux){0x9691a75, 0, 0x8004, AT_GLIBC_2_2_5, 0};
}

static void init_relocs(struct object *object)
{
	for (size_t i = 0; i < OBJECT_N_RELA; i++) {
		bool relative = i < OBJECT_N_RELATIVE, last = i >= OBJECT_N_RELA - 2;

		object->rela[i] = (Elf64_Rela){
			.r_offset = OBJECT_WORDS + i * 8,
			.r_info = ELF64_R_INFO(relative || last ? 0 : 20 - i % 7,
				relative       ? R_X86_64_RELATIVE
					: last ? R_X86_64_IRELATIVE
					       : R_X86_64_GLOB_DAT),
			.r_addend = relative ? (int64_t)(0x1000 + i * 3) : 0x2000,
		};
	}
	for (size_t i = 0; i < OBJECT_N_PLT; i++)
		object->plt[i] = (Elf64_Rela){
			.r_offset = OBJECT_WORDS + (OBJECT_N_RELA + i) * 8,
			.r_info = ELF64_R_INFO(i + 1, R_X86_64_JUMP_SLOT),
		};
	for (size_t i = 0; i < OBJECT_N_WORDS; i++)
		object->words[i] = 0x100 + i;
}

void object_init(struct object *object)
{
	const Elf64_Dyn dynamic[] = {
		{DT_NEEDED, {AT_LIBM}},
		{DT_NEEDED, {AT_LIBC}},
		{DT_STRTAB, {OBJECT_STRINGS}},
		{DT_STRSZ, {sizeof(object->strings)}},
		{DT_PLTRELSZ, {sizeof(object->plt)}},
		{DT_PLTREL, {DT_RELA}},
		{DT_JMPREL, {OBJECT_PLT}},
		{DT_RELA, {OBJECT_RELA}},
		{DT_RELASZ, {sizeof(object->rela)}},
		{DT_RELAENT, {sizeof(Elf64_Rela)}},
		{DT_VERDEF, {OBJECT_VERDEF}},
		{DT_VERDEFNUM, {2}},
		{DT_VERNEED, {OBJECT_VERNEED}},
		{DT_VERNEEDNUM, {2}},
		{DT_VERSYM, {OBJECT_VERSYM}},
		{DT_RELACOUNT, {OBJECT_N_RELATIVE}},
	};

	*object = (struct object){
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
		.text = {PT_LOAD, PF_R, 0, 0, 0, 0x6000, 0x6000, 0x1000},
		.data = {PT_LOAD, PF_R | PF_W, 0x6000, OBJECT_DATA, OBJECT_DATA,
			OBJECT_DATA_END - OBJECT_DATA, OBJECT_MEMORY - OBJECT_DATA, 0x1000},
		.dynamic_phdr = {PT_DYNAMIC, PF_R | PF_W, 0x6000, OBJECT_DATA, OBJECT_DATA,
			sizeof(object->dynamic), sizeof(object->dynamic), 8},
		.stack = {PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 16},
	};
	memcpy(object->dynamic, dynamic, sizeof(dynamic));
	object_spare(object, OBJECT_SPARE);
	init_versions(object);
	init_relocs(object);
}

Elf64_Dyn *object_dynamic(struct object *object, int64_t tag)
{
	Elf64_Dyn *entry = object->dynamic;

	while (entry->d_tag != tag && entry->d_tag != DT_NULL)
		entry++;
	entry->d_tag = tag;
	return entry;
}

void object_drop(struct object *object, int64_t tag)
{
	Elf64_Dyn *entry = object_dynamic(object, tag);
	size_t behind = DYNAMIC_ENTRIES - 1 - (size_t)(entry - object->dynamic);

	memmove(entry, entry + 1, behind * sizeof(*entry));
	object->dynamic[DYNAMIC_ENTRIES - 1] = (Elf64_Dyn){0};
}

void object_spare(struct object *object, size_t spare)
{
	size_t end = DYNAMIC_ENTRIES - spare - 1;

	while (object->dynamic[end - 1].d_tag == DT_NULL)
		object->dynamic[--end].d_tag = DT_DEBUG;
}

const void *object_at(const struct relayout_image *image, uint64_t address, uint64_t size)
{
	if (address >= image->tables_address)
		return range_fits(address - image->tables_address, size, image->tables_size)
			? image->tables + (address - image->tables_address)
			: NULL;
	return elf_view_at(image->view, address, size);
}

static uint64_t get(const struct relayout_image *image, int64_t tag)
{
	uint64_t value = 0;

	relayout_dynamic_get(image, tag, &value);
	return value;
}

struct loader {
	uint8_t *memory;
	uint32_t relative, irelative, jump_slot;
	bool lazy;
};

static uint64_t load(const struct loader *loader, uint64_t place)
{
	uint64_t value = 0;

	if (range_fits(place, sizeof(value), OBJECT_MEMORY))
		memcpy(&value, loader->memory + place, sizeof(value));
	return value;
}

static void store(const struct loader *loader, uint64_t place, uint64_t value)
{
	if (range_fits(place, sizeof(value), OBJECT_MEMORY))
		memcpy(loader->memory + place, &value, sizeof(value));
}

static void relocate_one(const struct loader *loader, const Elf64_Rela *entry, bool lazy)
{
	uint32_t type = ELF64_R_TYPE(entry->r_info);

	if (type == loader->relative)
		store(loader, entry->r_offset, OBJECT_BASE + (uint64_t)entry->r_addend);
	else if (lazy && type == loader->jump_slot)
		store(loader, entry->r_offset, load(loader, entry->r_offset) + OBJECT_BASE);
	else
		store(loader, entry->r_offset,
			entry->r_info * 0x9e3779b97f4a7c15u + (uint64_t)entry->r_addend);
}

/* IRELATIVE last (elf/do-rel.h). */
static void relocate_range(const struct loader *loader, const uint8_t *table, size_t n, bool lazy)
{
	for (unsigned irelative = 0; irelative < 2; irelative++)
		for (size_t i = 0; i < n; i++) {
			Elf64_Rela entry;

			memcpy(&entry, table + i * sizeof(entry), sizeof(entry));
			if ((ELF64_R_TYPE(entry.r_info) == loader->irelative) == irelative)
				relocate_one(loader, &entry, lazy);
		}
}

/* _ELF_DYNAMIC_DO_RELOC of elf/dynamic-link.h. */
static void relocate_rela(const struct loader *loader, const struct relayout_image *image)
{
	uint64_t rela = get(image, DT_RELA), size = get(image, DT_RELASZ);
	uint64_t plt = get(image, DT_JMPREL), plt_size = get(image, DT_PLTRELSZ);
	const void *table;

	if (rela + size == plt + plt_size)
		size -= plt_size;
	if (!loader->lazy && rela + size == plt) {
		size += plt_size;
		plt_size = 0;
	}
	table = object_at(image, rela, size);
	if (table)
		relocate_range(loader, table, size / sizeof(Elf64_Rela), false);
	table = object_at(image, plt, plt_size);
	if (table)
		relocate_range(loader, table, plt_size / sizeof(Elf64_Rela), loader->lazy);
}

void object_relocate(const struct relayout_image *image, bool lazy, uint8_t memory[static OBJECT_MEMORY])
{
	bool arm = image->view->header.e_machine == EM_AARCH64;
	const struct loader loader = {
		.memory = memory,
		.lazy = lazy,
		.relative = elf_view_relative_type(image->view),
		.irelative = arm ? R_AARCH64_IRELATIVE : R_X86_64_IRELATIVE,
		.jump_slot = arm ? R_AARCH64_JUMP_SLOT : R_X86_64_JUMP_SLOT,
	};
	struct relr_reader reader = {.size = get(image, DT_RELRSZ)};
	uint64_t dynamic = image->view->dynamic_address, bytes = image->n_dynamic * sizeof(Elf64_Dyn), place;

	memset(memory, 0, OBJECT_MEMORY);
	for (size_t i = 0; i < image->n_segments; i++) {
		const Elf64_Phdr *phdr = &image->segments[i].load;

		if (range_fits(phdr->p_vaddr, phdr->p_filesz, OBJECT_MEMORY))
			relayout_image_read(image, phdr->p_vaddr, memory + phdr->p_vaddr, phdr->p_filesz);
	}
	reader.table = object_at(image, get(image, DT_RELR), reader.size);
	while (reader.table && relr_next(&reader, &place) == 1)
		store(&loader, place, load(&loader, place) + OBJECT_BASE);
	relocate_rela(&loader, image);
	if (range_fits(dynamic, bytes, OBJECT_MEMORY))
		memset(memory + dynamic, 0, bytes);
}
