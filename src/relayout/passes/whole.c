/* SPDX-License-Identifier: MIT */
/*
 * Keeps functions whole. valgrind aborts if a symbol of .text does not lie wholly in one mapping
 * (coregrind/m_debuginfo/readelf.c, get_elf_symbol_info(): "in_rx"). So a page of code stays with the page before it if
 * a symbol reaches over the boundary.
 *
 * Only symbols count that valgrind finds: those of the file, and those of its debug file if it is installed. Unwind
 * tables name all functions, but hot parts that end where functions end would be twice as large in many libraries, and
 * gain nothing (docs/decisions/whole-functions.md).
 */
#include "relayout/passes/whole.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/debug-symbols.h"
#include "elf/sections.h"

/* Whether the address lies in a section of code. Its segment may hold other sections, too. */
static bool is_code(const struct elf_sections *sections, uint64_t address)
{
	for (size_t i = 1; i < sections->n; i++) {
		const Elf64_Shdr *section = &sections->all[i];

		if (elf_section_is_loaded(section) && (section->sh_flags & SHF_EXECINSTR) &&
			address >= section->sh_addr && address - section->sh_addr < section->sh_size)
			return true;
	}
	return false;
}

/* Joins the pages that the symbol lies on. */
static void join(struct relayout_image *image, const Elf64_Sym *symbol)
{
	const Elf64_Phdr *load = elf_view_load_at(image->view, symbol->st_value, 1);
	struct relayout_segment *segment = load ? &image->segments[load - image->view->loads] : NULL;
	uint64_t left, first, last;

	if (!segment)
		return;
	left = load->p_vaddr + load->p_filesz - symbol->st_value;
	first = symbol->st_value - segment->address;
	last = first + (symbol->st_size < left ? symbol->st_size : left) - 1;
	for (uint64_t page = first / image->granule + 1; page <= last / image->granule; page++)
		segment->pages[page].joined = true;
}

/* `symbols` need not be aligned. */
static void join_all(
	struct relayout_image *image, const struct elf_sections *sections, const void *symbols, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		Elf64_Sym symbol;
		unsigned char type;

		memcpy(&symbol, (const uint8_t *)symbols + i * sizeof(symbol), sizeof(symbol));
		type = ELF64_ST_TYPE(symbol.st_info);
		if (symbol.st_shndx != SHN_UNDEF && symbol.st_size > 0 &&
			(type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT) &&
			is_code(sections, symbol.st_value))
			join(image, &symbol);
	}
}

static int join_symbols_of_debug_file(
	struct relayout_image *image, const struct elf_sections *sections, const char *root)
{
	_cleanup_free_ Elf64_Sym *symbols = NULL;
	size_t size = 0, n = 0;
	const uint8_t *id = elf_view_build_id(image->view, &size);
	int r = id ? elf_debug_symbols(root, id, size, &symbols, &n) : 0;

	join_all(image, sections, symbols, r == 0 ? n : 0);
	return r == -ENOMEM ? r : 0;
}

int relayout_keep_functions_whole(struct relayout_image *image, const char *root)
{
	_cleanup_(elf_sections_releasep) struct elf_sections sections = {0};
	const char *problem;
	int r = elf_sections_init(&sections, image->view, &problem);

	for (size_t i = 1; r == 0 && i < sections.n; i++) {
		size_t n = 0;
		const uint8_t *symbols = elf_section_symbols(&sections, i, &n);

		join_all(image, &sections, symbols, n);
	}
	if (r == 0 && root)
		r = join_symbols_of_debug_file(image, &sections, root);
	return r == -EOPNOTSUPP ? 0 : r; /* nobody finds code in it */
}
