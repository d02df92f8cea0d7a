/* SPDX-License-Identifier: MIT */
/*
 * Keeps functions whole. valgrind aborts if a symbol of .text does not lie wholly in one mapping
 * (coregrind/m_debuginfo/readelf.c, get_elf_symbol_info(): "in_rx"). So a page of code stays with the page before it if
 * a symbol reaches over the boundary.
 *
 * Only symbols count that valgrind finds: those of the file, and those of its debug file if there is one (valgrind does not read
 * .gnu_debugdata). Unwind tables name all functions, but hot parts that end where functions end would be twice as large in many libraries, and
 * gain nothing (docs/decisions/whole-functions.md).
 */
#include "relayout/passes/whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "debug/file.h"
#include "elf/file.h"
#include "elf/sections.h"

#define SYMBOLS_CHUNK 128u /* symbols that one read takes */

/* Addresses of code, and how far symbols reach: a hostile file may have millions of sections, symbols and pages. */
struct reach {
	struct range {
		uint64_t start, end;
	} * code; /* owned: ascending, apart from one another */
	size_t n_code;
	uint32_t **last; /* owned: [segment][page]: the last page of the symbols that begin on the page */
	size_t n_segments;
};

static void reach_releasep(struct reach *reach)
{
	for (size_t i = 0; reach->last && i < reach->n_segments; i++)
		free(reach->last[i]);
	free(reach->last);
	free(reach->code);
}

static int compare_ranges(const void *a, const void *b)
{
	uint64_t left = ((const struct range *)a)->start, right = ((const struct range *)b)->start;

	return (left > right) - (left < right);
}

/* Sorts the ranges, and makes one of those that touch. */
static void merge_ranges(struct reach *reach)
{
	size_t n = 0;

	if (reach->n_code > 0)
		qsort(reach->code, reach->n_code, sizeof(*reach->code), compare_ranges);
	for (size_t i = 0; i < reach->n_code; i++) {
		const struct range range = reach->code[i];

		if (n == 0 || range.start > reach->code[n - 1].end)
			reach->code[n++] = range;
		else if (range.end > reach->code[n - 1].end)
			reach->code[n - 1].end = range.end;
	}
	reach->n_code = n;
}

/* Sections of code; their segment may hold other sections, too. */
static int find_code(struct reach *reach, const struct elf_sections *sections)
{
	reach->code = calloc(sections->n, sizeof(*reach->code));
	if (!reach->code)
		return -ENOMEM;
	for (size_t i = 1; i < sections->n; i++) {
		const Elf64_Shdr *section = &sections->all[i];

		if (elf_section_is_loaded(section) && (section->sh_flags & SHF_EXECINSTR))
			reach->code[reach->n_code++] =
				(struct range){section->sh_addr, section->sh_addr + section->sh_size};
	}
	merge_ranges(reach);
	return 0;
}

static int reach_init(
	struct reach *reach, const struct relayout_image *image, const struct elf_sections *sections)
{
	reach->n_segments = image->n_segments;
	reach->last = calloc(image->n_segments, sizeof(*reach->last));
	if (!reach->last)
		return -ENOMEM;
	for (size_t i = 0; i < image->n_segments; i++) {
		reach->last[i] = calloc(image->segments[i].n_pages + 1, sizeof(**reach->last));
		if (!reach->last[i])
			return -ENOMEM;
	}
	return find_code(reach, sections);
}

static bool is_code(const struct reach *reach, uint64_t address)
{
	size_t low = ARRAY_BISECT(i, reach->n_code, reach->code[i].end <= address);

	return low < reach->n_code && address >= reach->code[low].start;
}

/* Notes the pages that the symbol lies on. */
static void add_symbol(struct reach *reach, const struct relayout_image *image, const Elf64_Sym *symbol)
{
	const Elf64_Phdr *load = elf_view_load_at(image->view, symbol->st_value, 1);
	const struct relayout_segment *segment = load ? &image->segments[load - image->view->loads] : NULL;
	uint64_t left, first, last;
	uint32_t *noted;

	if (!segment)
		return;
	left = load->p_vaddr + load->p_filesz - symbol->st_value;
	first = symbol->st_value - segment->address;
	last = (first + (symbol->st_size < left ? symbol->st_size : left) - 1) / image->granule;
	noted = &reach->last[segment - image->segments][first / image->granule];
	if (last > *noted)
		*noted = (uint32_t)last;
}

/* `symbols` need not be aligned. */
static void add_symbols(
	struct reach *reach, const struct relayout_image *image, const void *symbols, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		Elf64_Sym symbol;
		unsigned char type;

		memcpy(&symbol, (const uint8_t *)symbols + i * sizeof(symbol), sizeof(symbol));
		type = ELF64_ST_TYPE(symbol.st_info);
		if (symbol.st_shndx != SHN_UNDEF && symbol.st_size > 0 &&
			(type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT) &&
			is_code(reach, symbol.st_value))
			add_symbol(reach, image, &symbol);
	}
}

static void add_symbols_of_table(struct reach *reach, const struct relayout_image *image,
	struct elf_file *file, const Elf64_Shdr *table)
{
	uint64_t n = table->sh_size / sizeof(Elf64_Sym);
	Elf64_Sym symbols[SYMBOLS_CHUNK];

	if (!range_fits(table->sh_offset, table->sh_size, file->size))
		return;
	for (uint64_t at = 0; at < n; at += SYMBOLS_CHUNK) {
		size_t count = n - at < SYMBOLS_CHUNK ? (size_t)(n - at) : SYMBOLS_CHUNK;

		if (elf_file_symbols(file, table->sh_offset, at, count, symbols) < 0)
			return;
		add_symbols(reach, image, symbols, count);
	}
}

/* The file whose debug file is looked for, by its bytes in memory and the descriptor that says where it lies. */
static int open_debug_file(const struct relayout_image *image, const struct whole_options *options)
{
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	const char *problem;
	int r = elf_file_in_memory(&file, image->view->data, image->view->size, &problem);

	file.fd = options->fd;
	if (r == 0)
		r = elf_file_take_phdrs(&file, &problem);
	return r < 0 ? r : debug_file_open(&file, options->root, NULL);
}

static int add_symbols_of_debug_file(
	struct reach *reach, const struct relayout_image *image, const struct whole_options *options)
{
	_cleanup_close_ int fd = open_debug_file(image, options);
	struct elf_file file;
	Elf64_Shdr section;
	const char *problem;
	uint64_t n, names;

	if (fd < 0)
		return fd == -ENOMEM ? fd : 0;
	if (elf_file_open(&file, fd, &problem) < 0 || elf_file_sections(&file, &n, &names) < 0)
		return 0;
	for (uint64_t i = 0; i < n && elf_file_section(&file, i, &section) == 0; i++)
		if (section.sh_type == SHT_SYMTAB) {
			add_symbols_of_table(reach, image, &file, &section);
			return 0;
		}
	return 0;
}

/* Joins each page to the page before it if a symbol that begins before it reaches it. */
static void join_pages(struct relayout_image *image, const struct reach *reach)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		uint32_t furthest = 0;

		for (size_t page = 0; page < image->segments[i].n_pages; page++) {
			if (page > 0 && page <= furthest)
				image->segments[i].pages[page].joined = true;
			if (reach->last[i][page] > furthest)
				furthest = reach->last[i][page];
		}
	}
}

int relayout_keep_functions_whole(struct relayout_image *image, const struct whole_options *options)
{
	_cleanup_(elf_sections_releasep) struct elf_sections sections = {0};
	_cleanup_(reach_releasep) struct reach reach = {0};
	const char *problem;
	int r = elf_sections_init(&sections, image->view, &problem);

	if (r == -EOPNOTSUPP)
		return 0; /* nobody finds code in it */
	if (r == 0)
		r = reach_init(&reach, image, &sections);
	for (size_t i = 1; r == 0 && i < sections.n; i++) {
		size_t n = 0;
		const uint8_t *symbols = elf_section_symbols(&sections, i, &n);

		add_symbols(&reach, image, symbols, n);
	}
	if (r == 0 && options->root)
		r = add_symbols_of_debug_file(&reach, image, options);
	if (r == 0)
		join_pages(image, &reach);
	return r;
}
