/* SPDX-License-Identifier: MIT */
/*
 * The section headers of a file, checked against its segments. The file may be hostile: no section points
 * outside it, none in memory lies outside the segments, and links between sections lead to sections.
 */
#pragma once

#include "elf/view.h"

struct elf_sections {
	const struct elf_view *view; /* borrowed */
	Elf64_Shdr *all;             /* owned copies; the first is the null section */
	size_t n;                    /* > 1 */
	size_t names;                /* the section that holds their names */
};

/*
 * Returns 0, -ENOMEM, or -EOPNOTSUPP if they are missing or malformed, with the reason (a static string that follows
 * the file's name) in *ret_problem.
 */
int elf_sections_init(struct elf_sections *ret, const struct elf_view *view, const char **ret_problem);
void elf_sections_release(struct elf_sections *sections);

static inline void elf_sections_releasep(struct elf_sections *sections)
{
	elf_sections_release(sections);
}

const char *elf_section_name(const struct elf_sections *sections, size_t index);

/* Whether the section occupies bytes of memory that come from the file. */
static inline bool elf_section_is_loaded(const Elf64_Shdr *section)
{
	return (section->sh_flags & SHF_ALLOC) && section->sh_type != SHT_NOBITS &&
		section->sh_type != SHT_NULL && section->sh_size > 0;
}

/* The symbols of a symbol table, which need not be aligned, and their number. NULL if the section is no symbol
 * table. */
const uint8_t *elf_section_symbols(const struct elf_sections *sections, size_t index, size_t *ret_n);
