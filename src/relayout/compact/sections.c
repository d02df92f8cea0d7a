/* SPDX-License-Identifier: MIT */
/*
 * The section headers of the result, in the order of the original's. Where file offsets jump inside a
 * section, its first part keeps the name; the others are called .hot or .cold after it, by where they lie.
 */
#include "relayout/compact/sections.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "format/note.h"

/* The sections of the result while they are made. */
struct splitter {
	struct compaction *c;
	const struct compact_tables *tables;
	const struct compact_places *places;
	struct compact_sections to;
};

static int push(struct splitter *s, Elf64_Shdr header, size_t old)
{
	if (ARRAY_RESERVE(s->to.all, s->to.capacity, s->to.n + 1) < 0)
		return -ENOMEM;
	if (s->to.n == SHN_LORESERVE)
		return compact_refuse(s->c, "would have more sections than symbols can refer to");
	s->to.all[s->to.n++] = (struct compact_section){header, old};
	return 0;
}

/* The note lies behind the program headers. */
static int push_note(struct splitter *s)
{
	uint64_t at = compact_note_offset(s->c, s->places);
	Elf64_Shdr header = {
		.sh_type = SHT_NOTE,
		.sh_flags = SHF_ALLOC,
		.sh_addr = s->c->view->loads[0].p_vaddr + at,
		.sh_offset = at,
		.sh_size = sizeof(struct note_segment),
		.sh_addralign = 4,
	};
	int r = string_table_add(&s->to.names, ".note.headstart", &header.sh_name);

	return r < 0 ? r : push(s, header, 0);
}

static uint64_t in_tables(const struct splitter *s, uint64_t address)
{
	return s->places->tables_offset + (address - s->c->image->tables_address);
}

static int push_relr(struct splitter *s)
{
	uint64_t address = 0, size = 0;
	Elf64_Shdr header = {.sh_type = SHT_RELR,
		.sh_flags = SHF_ALLOC,
		.sh_addralign = 8,
		.sh_entsize = sizeof(uint64_t)};
	int r = string_table_add(&s->to.names, ".relr.dyn", &header.sh_name);

	relayout_dynamic_get(s->c->image, DT_RELR, &address);
	relayout_dynamic_get(s->c->image, DT_RELRSZ, &size);
	header.sh_addr = address;
	header.sh_size = size;
	header.sh_offset = in_tables(s, address);
	return r < 0 ? r : push(s, header, 0);
}

static bool has_new_relr(const struct splitter *s)
{
	uint64_t value;

	return relayout_dynamic_get(s->c->image, DT_RELR, &value) &&
		!elf_view_dynamic(s->c->view, DT_RELR, &value);
}

/* Where the part of a range ends that begins at an address and is one piece in the result. */
static uint64_t piece_end(const struct splitter *s, uint64_t address, uint64_t end)
{
	const struct relayout_segment *segment =
		&s->c->image->segments[elf_view_load_at(s->c->view, address, 1) - s->c->view->loads];
	const uint64_t *offsets = s->places->offsets[segment - s->c->image->segments];
	uint64_t granule = s->c->image->granule;
	size_t page = (address - segment->address) / granule;

	while (page + 1 < segment->n_pages && offsets[page + 1] == offsets[page] + granule)
		page++;
	address = segment->address + (page + 1) * granule;
	return address < end ? address : end;
}

static int name_piece(struct splitter *s, size_t section, bool hot, uint32_t *ret_name)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%s", elf_section_name(&s->c->sections, section),
		hot ? "hot" : "cold");
	for (size_t i = s->to.n; i-- > 0 && s->to.all[i].old == section;) /* they are used again */
		if (streq(s->to.names.data + s->to.all[i].header.sh_name, name)) {
			*ret_name = s->to.all[i].header.sh_name;
			return 0;
		}
	return string_table_add(&s->to.names, name, ret_name);
}

/* A section whose place in memory is what it was. */
static int push_pieces(struct splitter *s, size_t section)
{
	const struct compact_range *range = &s->tables->now[section];
	uint64_t end = range->address + range->size, at = range->address;
	int r = 0;

	while (r == 0 && at < end) {
		Elf64_Shdr header = s->c->sections.all[section];
		uint64_t next = piece_end(s, at, end);

		if (range->size != next - at) {
			header.sh_flags &= ~(uint64_t)(SHF_MERGE | SHF_STRINGS);
			header.sh_entsize = 0;
		}
		header.sh_addr = at;
		header.sh_size = next - at;
		header.sh_offset = compact_offset(s->places, at);
		if (at > range->address) {
			if (header.sh_addralign > s->c->image->granule)
				header.sh_addralign = s->c->image->granule;
			r = name_piece(s, section, header.sh_offset < s->places->hot_end, &header.sh_name);
		}
		if (r == 0)
			r = push(s, header, section);
		at = next;
	}
	return r;
}

static int push_loaded(struct splitter *s, size_t section)
{
	const struct compact_range *range = &s->tables->now[section];
	Elf64_Shdr header = s->c->sections.all[section];

	if (range->size == 0) /* all its relocations were packed: their section stands for it */
		return 0;
	if (range->address < s->c->image->tables_address)
		return push_pieces(s, section);
	header.sh_addr = range->address;
	header.sh_size = range->size;
	header.sh_offset = in_tables(s, range->address);
	return push(s, header, section);
}

/* In memory, without bytes of the file. */
static int push_empty(struct splitter *s, size_t section)
{
	Elf64_Shdr header = s->c->sections.all[section];
	uint64_t offset = compact_offset(s->places, header.sh_addr);

	header.sh_offset = offset == COMPACT_NOWHERE ? s->to.end : offset;
	return push(s, header, section);
}

static int push_section(struct splitter *s, size_t section)
{
	const Elf64_Shdr *header = &s->c->sections.all[section];
	int r;

	if (elf_section_is_loaded(header))
		r = push_loaded(s, section);
	else if (section > 0 && (header->sh_flags & SHF_ALLOC))
		r = push_empty(s, section);
	else
		r = push(s, *header, section);
	if (r == 0 && section == 0)
		r = push_note(s);
	if (r == 0 && compact_table_tag(s->c, section) == DT_RELA && has_new_relr(s))
		r = push_relr(s);
	return r;
}

size_t *compact_first_pieces(const struct compaction *c, const struct compact_sections *result)
{
	size_t *first = calloc(c->sections.n, sizeof(*first));

	if (!first)
		return NULL;
	for (size_t i = result->n; i-- > 1;)
		first[result->all[i].old] = i;
	first[0] = 0;
	return first;
}

/* The index in the result of what was a section. One that is gone has none. */
static uint32_t new_index(const size_t *first, size_t section)
{
	return (uint32_t)first[section];
}

static int fix_links(struct splitter *s)
{
	_cleanup_free_ size_t *first = compact_first_pieces(s->c, &s->to);

	if (!first)
		return -ENOMEM;
	for (size_t i = 1; i < s->to.n; i++) {
		Elf64_Shdr *header = &s->to.all[i].header;

		if (s->to.all[i].old == 0)
			continue;
		header->sh_link = new_index(first, header->sh_link);
		if ((header->sh_flags & SHF_INFO_LINK) || header->sh_type == SHT_RELA ||
			header->sh_type == SHT_REL)
			header->sh_info = new_index(first, header->sh_info);
	}
	return 0;
}

/*
 * What is not in memory follows, in its order. Sections may say that they are the same bytes of the file, and ask for large alignments:
 * a small file could become as large as memory is.
 */
static int place_others(struct splitter *s)
{
	uint64_t begin = s->to.end, most = 2 * s->c->view->size + s->c->image->granule;

	for (size_t i = 1; i < s->to.n; i++) {
		Elf64_Shdr *header = &s->to.all[i].header;
		uint64_t align = header->sh_addralign ? header->sh_addralign : 1;

		if ((header->sh_flags & SHF_ALLOC) || header->sh_type == SHT_NULL)
			continue;
		if (s->to.all[i].old == s->c->sections.names)
			header->sh_size = s->to.names.size;
		if (align > s->c->image->granule)
			align = s->c->image->granule;
		s->to.end = (s->to.end + align - 1) & ~(align - 1);
		header->sh_offset = s->to.end;
		if (header->sh_type != SHT_NOBITS)
			s->to.end += header->sh_size;
		if (s->to.end - begin > most)
			return compact_refuse(s->c, "has sections that would more than double its size");
	}
	return 0;
}

static int split(struct splitter *s)
{
	const struct compaction *c = s->c;
	const Elf64_Shdr *names = &c->sections.all[c->sections.names];
	int r;

	if (ARRAY_RESERVE(s->to.names.data, s->to.names.capacity, names->sh_size) < 0)
		return -ENOMEM;
	memcpy(s->to.names.data, c->view->data + names->sh_offset, names->sh_size);
	s->to.names.size = names->sh_size;
	for (size_t i = 0; i < c->sections.n; i++) {
		r = push_section(s, i);
		if (r < 0)
			return r == -EOVERFLOW
				? compact_refuse(s->c, "has names of sections of more than 4 GiB")
				: r;
	}
	r = fix_links(s);
	return r < 0 ? r : place_others(s);
}

int compact_split_sections(struct compaction *c, const struct compact_tables *tables,
	const struct compact_places *places, struct compact_sections *ret)
{
	struct splitter s = {.c = c, .tables = tables, .places = places, .to.end = places->end};
	int r = split(&s);

	if (r == 0)
		*ret = s.to;
	else
		compact_sections_release(&s.to);
	return r;
}

void compact_sections_release(struct compact_sections *sections)
{
	free(sections->all);
	string_table_release(&sections->names);
	*sections = (struct compact_sections){0};
}
