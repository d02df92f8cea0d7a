/* SPDX-License-Identifier: MIT */
/*
 * Finds the parts of an ELF file that relocation touches, as the loader does: from program headers and dynamic section
 * (gABI chapter 5).
 */
#include "prefetch/whole-mode/object-parts.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "elf/file.h"

#define HEADERS_MAX 128 /* program headers of an object that is looked into */

static void add_part(
	struct object_part parts[], size_t *count, uint64_t offset, uint64_t length, uint64_t file_size)
{
	if (length == 0 || !range_fits(offset, length, file_size) || *count == OBJECT_PARTS_MAX)
		return;
	parts[(*count)++] = (struct object_part){.offset = offset, .length = length};
}

/* Adds the table of `size` bytes at a virtual address, using the segment that holds all of it. */
static void add_table(const struct elf_file *file, uint64_t address, uint64_t size,
	struct object_part parts[], size_t *count)
{
	uint64_t offset, left;

	if (elf_file_at(file, address, &offset, &left) && size <= left)
		add_part(parts, count, offset, size, file->size);
}

static void add_tables(struct elf_file *file, struct object_part parts[], size_t *count)
{
	_cleanup_(elf_dynamic_releasep) struct elf_dynamic dynamic = {0};
	const Elf64_Phdr *phdr = elf_file_phdr(file, PT_DYNAMIC);
	uint64_t rela = 0, rela_size = 0, relr = 0, relr_size = 0;

	if (!phdr || elf_file_dynamic(file, phdr, &dynamic) < 0)
		return;
	for (size_t i = 0; i < dynamic.n; i++) {
		uint64_t value = dynamic.entries[i].d_un.d_val;

		switch (dynamic.entries[i].d_tag) {
		case DT_RELA:
			rela = value;
			break;
		case DT_RELASZ:
			rela_size = value;
			break;
		case DT_RELR:
			relr = value;
			break;
		case DT_RELRSZ:
			relr_size = value;
			break;
		}
	}
	add_table(file, rela, rela_size, parts, count);
	add_table(file, relr, relr_size, parts, count);
}

size_t object_parts(int fd, uint64_t file_size, struct object_part parts[OBJECT_PARTS_MAX])
{
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	const char *problem;
	size_t count = 0;

	if (elf_file_open(&file, fd, &problem) < 0 || !file.wide || file.header.e_phnum > HEADERS_MAX)
		return 0;
	if (file.size > file_size)
		file.size = file_size;
	if (elf_file_take_phdrs(&file, &problem) < 0)
		return 0;
	add_tables(&file, parts, &count);
	for (size_t i = 0; i < file.n_phdrs; i++)
		if (file.phdrs[i].p_type == PT_LOAD && file.phdrs[i].p_flags & PF_W)
			add_part(parts, &count, file.phdrs[i].p_offset, file.phdrs[i].p_filesz, file.size);
	return count;
}
