/* SPDX-License-Identifier: MIT */
/*
 * verify, of compacted files: sections. That each lies where the segments say has been seen when they were
 * read. Here: the original's sections are there in their order, whole or in parts that follow each other;
 * symbols are those of the original and refer to the parts that they are in; what is not in memory has the
 * same content.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "layout/verify-compact.h"

static bool same_kind(const Elf64_Shdr *old, const Elf64_Shdr *new)
{
	const uint64_t of_whole = SHF_MERGE | SHF_STRINGS;

	return old->sh_type == new->sh_type && (old->sh_flags & ~of_whole) == (new->sh_flags & ~of_whole);
}

/* Sections of the result that no section of the original became. */
static bool is_own(const struct verify_compact *compact, size_t index)
{
	const char *name = elf_section_name(&compact->new, index);
	uint64_t relr;

	if (streq(name, ".note.headstart"))
		return compact->new.all[index].sh_offset == note_offset(&compact->verify->new->header);
	return streq(name, ".relr.dyn") && !elf_view_dynamic(compact->verify->old, DT_RELR, &relr) &&
	       elf_view_dynamic(compact->verify->new, DT_RELR, &relr) &&
	       relr == compact->new.all[index].sh_addr;
}

static bool in_tables(const struct verify_compact *compact, const Elf64_Shdr *section)
{
	return compact->tables && section->sh_addr >= compact->tables->p_vaddr;
}

/* The sections of the result that one of the original became: the first, and how many. */
struct parts {
	size_t first, n;
};

static struct parts take_parts(const struct verify_compact *compact, size_t old_index, size_t *at)
{
	const Elf64_Shdr *old = &compact->old.all[old_index];
	const char *name = elf_section_name(&compact->old, old_index);
	struct parts parts;

	while (*at < compact->new.n && is_own(compact, *at))
		(*at)++;
	parts = (struct parts){.first = *at};
	for (; *at < compact->new.n; (*at)++, parts.n++) {
		const char *part = after_prefix(elf_section_name(&compact->new, *at), name);
		const Elf64_Shdr *new = &compact->new.all[*at];

		if (!part || !same_kind(old, new) ||
			(parts.n > 0 && (new[-1].sh_addr + new[-1].sh_size != new->sh_addr ||
						(!streq(part, ".hot") && !streq(part, ".cold")))) ||
			(parts.n == 0 && !streq(part, "")))
			break;
		if (new->sh_addr - old->sh_addr >= old->sh_size && parts.n > 0)
			break;
	}
	return parts;
}

static int check_parts(struct verify_compact *compact, size_t old_index, const struct parts *parts)
{
	struct verify *verify = compact->verify;
	const char *name = elf_section_name(&compact->old, old_index);
	const Elf64_Shdr *old = &compact->old.all[old_index], *first = &compact->new.all[parts->first];
	const Elf64_Shdr *last = first + parts->n - 1;

	if (parts->n == 0) {
		if (elf_section_is_loaded(old) && verify_is_gone(compact, old->sh_addr, old->sh_size))
			return 0;
		return verify_wrong(verify, "has no section '%.40s' where the original has it", name);
	}
	if (!(old->sh_flags & SHF_ALLOC) || in_tables(compact, first))
		return 0;
	/* A table may begin later, where the part before was packed. */
	if (last->sh_addr + last->sh_size != old->sh_addr + old->sh_size || first->sh_addr < old->sh_addr ||
		!verify_is_gone(compact, old->sh_addr, first->sh_addr - old->sh_addr))
		return verify_wrong(
			verify, "has a section '%.40s' that is not all that the original's is", name);
	return 0;
}

/* Which of the parts an address is in; the last one, if it is at its end. */
static bool has_address(
	const struct verify_compact *compact, const struct parts *parts, size_t index, uint64_t address)
{
	const Elf64_Shdr *section = &compact->new.all[index];
	bool is_last = index + 1 == parts->first + parts->n;

	if (index < parts->first || index >= parts->first + parts->n)
		return false;
	return address >= section->sh_addr && (is_last || address - section->sh_addr < section->sh_size);
}

static bool same_symbol(const struct verify_compact *compact, const struct parts *parts,
	const Elf64_Sym *before, const Elf64_Sym *after)
{
	unsigned char type = ELF64_ST_TYPE(before->st_info);
	const Elf64_Shdr *was, *is;
	uint64_t moved = 0;

	if (before->st_name != after->st_name || before->st_info != after->st_info ||
		before->st_other != after->st_other || before->st_size != after->st_size)
		return false;
	if (before->st_shndx == SHN_UNDEF || before->st_shndx >= compact->old.n)
		return before->st_shndx == after->st_shndx && before->st_value == after->st_value;
	parts += before->st_shndx;
	if (parts->n == 0) /* of a table that is gone */
		return after->st_shndx == SHN_ABS;
	was = &compact->old.all[before->st_shndx];
	is = &compact->new.all[parts->first];
	if (type == STT_SECTION)
		return after->st_shndx == parts->first && after->st_value == is->sh_addr;
	/* __ehdr_start refers to a section that it is not in. */
	if (in_tables(compact, is) && before->st_value >= was->sh_addr &&
		before->st_value - was->sh_addr <= was->sh_size)
		moved = is->sh_addr - was->sh_addr;
	if (parts->n == 1)
		return after->st_shndx == parts->first && after->st_value - before->st_value == moved;
	return after->st_value == before->st_value &&
	       has_address(compact, parts, after->st_shndx, after->st_value);
}

static int compare_symbols(
	struct verify_compact *compact, const struct parts *parts, size_t old_index, size_t new_index)
{
	size_t n = 0, n_new = 0;
	const uint8_t *old = elf_section_symbols(&compact->old, old_index, &n);
	const uint8_t *new = elf_section_symbols(&compact->new, new_index, &n_new);

	if (!new || n != n_new)
		return verify_wrong(compact->verify, "has another number of symbols");
	for (size_t i = 0; i < n; i++) {
		Elf64_Sym a, b;

		memcpy(&a, old + i * sizeof(a), sizeof(a));
		memcpy(&b, new + i * sizeof(b), sizeof(b));
		if (!same_symbol(compact, parts, &a, &b))
			return verify_wrong(compact->verify, "has another symbol %zu than the original", i);
	}
	return 0;
}

/* What is not in memory. The names of sections have been seen to be right. */
static int compare_content(struct verify_compact *compact, size_t old_index, size_t new_index)
{
	const Elf64_Shdr *old = &compact->old.all[old_index], *new = &compact->new.all[new_index];

	if ((old->sh_flags & SHF_ALLOC) || old->sh_type == SHT_NOBITS || old->sh_type == SHT_NULL ||
		old_index == compact->old.names)
		return 0;
	if (old->sh_size == new->sh_size &&
		memcmp(compact->verify->old->data + old->sh_offset,
			compact->verify->new->data + new->sh_offset, old->sh_size) == 0)
		return 0;
	return verify_wrong(compact->verify, "has another section '%.40s' than the original",
		elf_section_name(&compact->old, old_index));
}

static int check_sections(struct verify_compact *compact, struct parts *parts)
{
	size_t at = 1;

	for (size_t i = 1; i < compact->old.n; i++) {
		int r;

		parts[i] = take_parts(compact, i, &at);
		r = check_parts(compact, i, &parts[i]);
		if (r < 0)
			return r;
	}
	while (at < compact->new.n && is_own(compact, at))
		at++;
	return at == compact->new.n
		       ? 0
		       : verify_wrong(compact->verify, "has a section that the original has not");
}

int verify_compact_sections(struct verify_compact *compact)
{
	_cleanup_free_ struct parts *parts = calloc(compact->old.n, sizeof(*parts));
	int r;

	if (!parts)
		return -ENOMEM;
	r = check_sections(compact, parts);
	for (size_t i = 1; r == 0 && i < compact->old.n; i++) {
		const Elf64_Shdr *old = &compact->old.all[i];

		if (parts[i].n == 0)
			continue;
		if (old->sh_type == SHT_SYMTAB || old->sh_type == SHT_DYNSYM)
			r = compare_symbols(compact, parts, i, parts[i].first);
		else
			r = compare_content(compact, i, parts[i].first);
	}
	return r;
}
