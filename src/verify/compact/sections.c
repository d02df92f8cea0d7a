/* SPDX-License-Identifier: MIT */
/*
 * verify, of compacted files: sections. That each lies where the segments say has been seen when they were
 * read. Here: the original's sections are there in their order, whole or in parts that follow each other;
 * symbols are those of the original and refer to the parts that they are in; what is not in memory has the
 * same content.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "verify/compact/parts.h"

static bool same_kind(const Elf64_Shdr *old, const Elf64_Shdr *new)
{
	const uint64_t of_whole = SHF_MERGE | SHF_STRINGS;

	return old->sh_type == new->sh_type && (old->sh_flags & ~of_whole) == (new->sh_flags & ~of_whole);
}

/* Sections of the result that no section of the original became. */
static bool is_own(const struct verify_compact *compact, size_t index)
{
	const char *name = elf_section_name(&compact->new, index);
	const Elf64_Shdr *section = &compact->new.all[index];
	uint64_t relr;

	if (streq(name, ".note.headstart"))
		return section->sh_type == SHT_NOTE &&
			section->sh_offset == note_offset(&compact->verify->new->header);
	return streq(name, ".relr.dyn") && section->sh_type == SHT_RELR &&
		!elf_view_dynamic(compact->verify->old, DT_RELR, &relr) &&
		elf_view_dynamic(compact->verify->new, DT_RELR, &relr) && relr == section->sh_addr;
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
			(parts.n > 0 &&
				(new[-1].sh_addr + new[-1].sh_size != new->sh_addr ||
					(!streq(part, ".hot") && !streq(part, ".cold")))) ||
			(parts.n == 0 && !streq(part, "")))
			break;
		if (new->sh_addr - old->sh_addr >= old->sh_size && parts.n > 0)
			break;
	}
	return parts;
}

static uint64_t dynamic_value(const struct verify_compact *compact, int64_t tag)
{
	uint64_t value = 0;

	elf_view_dynamic(compact->verify->new, tag, &value);
	return value;
}

/* Bytes of DT_RELA, without those of DT_JMPREL that it may count. */
static uint64_t rela_size(const struct verify_compact *compact)
{
	uint64_t size = dynamic_value(compact, DT_RELASZ), plt_size = dynamic_value(compact, DT_PLTRELSZ);
	uint64_t end = dynamic_value(compact, DT_RELA) + size;
	bool counts_plt = plt_size <= size && end == dynamic_value(compact, DT_JMPREL) + plt_size;

	return counts_plt ? size - plt_size : size;
}

/* Bytes of the required versions, whose records follow each other; verify_versions() has seen to their
 * chains. */
static uint64_t needs_size(const struct verify_compact *compact)
{
	uint64_t first = dynamic_value(compact, DT_VERNEED), address = first;
	Elf64_Verneed library = {.vn_next = 1};

	while (library.vn_next != 0 &&
		elf_view_read(compact->verify->new, address, &library, sizeof(library)) && library.vn_cnt > 0)
		address += library.vn_next ? library.vn_next
					   : sizeof(library) + library.vn_cnt * sizeof(Elf64_Vernaux);
	return address - first;
}

/* Bytes of a section that has moved. */
static uint64_t moved_size(const struct verify_compact *compact, const Elf64_Shdr *old)
{
	uint64_t plt = 0;

	switch (old->sh_type) {
	case SHT_STRTAB:
		return dynamic_value(compact, DT_STRSZ);
	case SHT_GNU_verneed:
		return compact->verify->note->passes & NOTE_PASS_RELR ? needs_size(compact) : old->sh_size;
	case SHT_RELA:
		elf_view_dynamic(compact->verify->old, DT_JMPREL, &plt);
		return plt == old->sh_addr ? old->sh_size : rela_size(compact);
	default:
		return old->sh_size;
	}
}

/* Of a section in the tables: it lies where its content, all of it, has been found. */
static bool is_moved(const struct verify_compact *compact, const Elf64_Shdr *old, const Elf64_Shdr *new)
{
	if (!verify_is_gone(compact, old->sh_addr, old->sh_size))
		return false;
	for (size_t i = 0; i < compact->n_gone; i++) {
		const struct verify_gone *gone = &compact->gone[i];

		if (gone->to == 0 || old->sh_addr < gone->address ||
			old->sh_addr - gone->address >= gone->size)
			continue;
		return new->sh_addr == gone->to + (old->sh_addr - gone->address) &&
			new->sh_size == moved_size(compact, old);
	}
	return false;
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
	if (!(old->sh_flags & SHF_ALLOC))
		return 0;
	if (elf_section_is_loaded(old) && in_tables(compact, first)) {
		if (is_moved(compact, old, first))
			return 0;
		return verify_wrong(verify, "has a section '%.40s' where its content is not", name);
	}
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

/* A section's number in the result. */
static size_t number(const struct parts *parts, size_t old_index)
{
	return parts[old_index].n > 0 ? parts[old_index].first : 0;
}

/* The other fields of the headers of parts: what refers to sections refers to their first parts. */
static int check_fields(struct verify_compact *compact, const struct parts *parts, size_t old_index)
{
	const Elf64_Shdr *was = &compact->old.all[old_index];
	bool is_link = (was->sh_flags & SHF_INFO_LINK) || was->sh_type == SHT_RELA || was->sh_type == SHT_REL;
	size_t info = is_link ? number(parts, was->sh_info) : was->sh_info;

	for (size_t i = 0; i < parts[old_index].n; i++) {
		const Elf64_Shdr *is = &compact->new.all[parts[old_index].first + i];
		bool is_whole = parts[old_index].n == 1;

		if (is->sh_link != number(parts, was->sh_link) || is->sh_info != info ||
			is->sh_entsize != (is_whole ? was->sh_entsize : 0) ||
			(i == 0 ? is->sh_addralign != was->sh_addralign
				: is->sh_addralign > was->sh_addralign))
			return verify_wrong(compact->verify, "has a section '%.40s' with other properties",
				elf_section_name(&compact->old, old_index));
	}
	return 0;
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
		r = check_fields(compact, parts, i);
		if (r < 0)
			break;
		if (old->sh_type == SHT_SYMTAB || old->sh_type == SHT_DYNSYM)
			r = compare_symbols(compact, parts, i, parts[i].first);
		else
			r = compare_content(compact, i, parts[i].first);
	}
	return r;
}
