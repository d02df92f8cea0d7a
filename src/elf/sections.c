/* SPDX-License-Identifier: MIT */
/* Section headers, checked. */
#include "elf/sections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/cleanup.h"

static const char *take_headers(struct elf_sections *sections)
{
	const struct elf_view *view = sections->view;
	const Elf64_Ehdr *header = &view->header;

	if (header->e_shoff == 0 || header->e_shnum < 2)
		return "has no section headers";
	if (header->e_shentsize != sizeof(Elf64_Shdr) ||
		!table_fits(header->e_shoff, header->e_shnum, sizeof(Elf64_Shdr), view->size))
		return "has section headers beyond its end";
	if (header->e_shstrndx == SHN_UNDEF || header->e_shstrndx >= header->e_shnum)
		return "has no names for its sections";
	sections->n = header->e_shnum;
	sections->names = header->e_shstrndx;
	sections->all = calloc(sections->n, sizeof(Elf64_Shdr));
	if (sections->all)
		memcpy(sections->all, view->data + header->e_shoff, sections->n * sizeof(Elf64_Shdr));
	return NULL;
}

/* Checks that a section in memory lies at the same file offset as its address does in its segment. */
static const char *place_problem(const struct elf_view *view, const Elf64_Shdr *section)
{
	const Elf64_Phdr *load;
	uint64_t end;

	if (__builtin_add_overflow(section->sh_addr, section->sh_size, &end))
		return "has a section beyond all addresses";
	if (!elf_section_is_loaded(section))
		return NULL;
	load = elf_view_load_at(view, section->sh_addr, section->sh_size);
	if (!load || section->sh_offset - load->p_offset != section->sh_addr - load->p_vaddr)
		return "has a section that is not where its segments are";
	return NULL;
}

static const char *section_problem(const struct elf_sections *sections, const Elf64_Shdr *section)
{
	bool has_bytes = section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL;
	bool is_symbols = section->sh_type == SHT_SYMTAB || section->sh_type == SHT_DYNSYM;
	bool info_is_link = (section->sh_flags & SHF_INFO_LINK) || section->sh_type == SHT_REL ||
		section->sh_type == SHT_RELA;

	if (has_bytes && !range_fits(section->sh_offset, section->sh_size, sections->view->size))
		return "has a section beyond its end";
	if (section->sh_addralign & (section->sh_addralign - 1))
		return "has a section with an alignment that is no power of two";
	if (section->sh_link >= sections->n || (info_is_link && section->sh_info >= sections->n))
		return "has a section that refers to one that does not exist";
	if (is_symbols &&
		(section->sh_entsize != sizeof(Elf64_Sym) || section->sh_size % sizeof(Elf64_Sym) != 0))
		return "has a symbol table of an unknown kind";
	if (section->sh_type == SHT_SYMTAB_SHNDX || section->sh_type == SHT_GROUP)
		return "has sections as only object files have";
	if (section->sh_flags & SHF_ALLOC)
		return place_problem(sections->view, section);
	return NULL;
}

static int compare_addresses(const void *a, const void *b)
{
	const Elf64_Shdr *x = *(Elf64_Shdr *const *)a, *y = *(Elf64_Shdr *const *)b;

	return (x->sh_addr > y->sh_addr) - (x->sh_addr < y->sh_addr);
}

/* Returns 0, -ENOMEM or -EOPNOTSUPP. */
static int check_overlaps(const struct elf_sections *sections, const char **ret_problem)
{
	_cleanup_free_ Elf64_Shdr **loaded = calloc(sections->n, sizeof(*loaded));
	size_t n = 0;

	if (!loaded)
		return -ENOMEM;
	for (size_t i = 0; i < sections->n; i++)
		if (elf_section_is_loaded(&sections->all[i]))
			loaded[n++] = &sections->all[i];
	qsort(loaded, n, sizeof(*loaded), compare_addresses);
	for (size_t i = 1; i < n; i++) {
		if (loaded[i]->sh_addr - loaded[i - 1]->sh_addr < loaded[i - 1]->sh_size) {
			*ret_problem = "has sections that overlap";
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

static const char *names_problem(const struct elf_sections *sections)
{
	const Elf64_Shdr *names = &sections->all[sections->names];

	if (names->sh_type != SHT_STRTAB || (names->sh_flags & SHF_ALLOC) || names->sh_size == 0 ||
		sections->view->data[names->sh_offset + names->sh_size - 1] != '\0')
		return "has no table of names for its sections";
	for (size_t i = 0; i < sections->n; i++)
		if (sections->all[i].sh_name >= names->sh_size)
			return "has a section with a name beyond the table of names";
	return NULL;
}

int elf_sections_init(struct elf_sections *ret, const struct elf_view *view, const char **ret_problem)
{
	_cleanup_(elf_sections_releasep) struct elf_sections sections = {.view = view};
	const char *problem = take_headers(&sections);
	int r;

	if (!problem && !sections.all)
		return -ENOMEM;
	for (size_t i = 0; !problem && i < sections.n; i++)
		problem = section_problem(&sections, &sections.all[i]);
	if (!problem)
		problem = names_problem(&sections);
	if (problem) {
		*ret_problem = problem;
		return -EOPNOTSUPP;
	}
	r = check_overlaps(&sections, ret_problem);
	if (r < 0)
		return r;
	*ret = sections;
	sections = (struct elf_sections){0};
	return 0;
}

void elf_sections_release(struct elf_sections *sections)
{
	free(sections->all);
	*sections = (struct elf_sections){0};
}

const char *elf_section_name(const struct elf_sections *sections, size_t index)
{
	const Elf64_Shdr *names = &sections->all[sections->names];

	return (const char *)sections->view->data + names->sh_offset + sections->all[index].sh_name;
}

const uint8_t *elf_section_symbols(const struct elf_sections *sections, size_t index, size_t *ret_n)
{
	const Elf64_Shdr *section = &sections->all[index];

	if (section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM)
		return NULL;
	*ret_n = section->sh_size / sizeof(Elf64_Sym);
	return sections->view->data + section->sh_offset;
}
