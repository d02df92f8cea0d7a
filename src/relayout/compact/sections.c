/* SPDX-License-Identifier: MIT */
/*
 * The section headers of the result, in the order of the original's. Where file offsets jump inside a
 * section, its first part keeps the name; the others are called .hot or .cold after it, by where they lie.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "format/note.h"
#include "relayout/compact/parts.h"

static int push(struct compaction *c, Elf64_Shdr header, size_t old)
{
	if (ARRAY_RESERVE(c->result, c->result_capacity, c->n_result + 1) < 0)
		return -ENOMEM;
	if (c->n_result == SHN_LORESERVE)
		return compact_refuse(c, "would have more sections than symbols can refer to");
	c->result[c->n_result++] = (struct compact_section){header, old};
	return 0;
}

/* The note lies behind the program headers. */
static int push_note(struct compaction *c)
{
	uint64_t at = compact_note_offset(c);
	Elf64_Shdr header = {
		.sh_type = SHT_NOTE,
		.sh_flags = SHF_ALLOC,
		.sh_addr = c->view->loads[0].p_vaddr + at,
		.sh_offset = at,
		.sh_size = sizeof(struct note_segment),
		.sh_addralign = 4,
	};
	int r = string_table_add(&c->names, ".note.headstart", &header.sh_name);

	return r < 0 ? r : push(c, header, 0);
}

static uint64_t in_tables(const struct compaction *c, uint64_t address)
{
	return c->tables_offset + (address - c->image->tables_address);
}

static int push_relr(struct compaction *c)
{
	uint64_t address = 0, size = 0;
	Elf64_Shdr header = {.sh_type = SHT_RELR,
		.sh_flags = SHF_ALLOC,
		.sh_addralign = 8,
		.sh_entsize = sizeof(uint64_t)};
	int r = string_table_add(&c->names, ".relr.dyn", &header.sh_name);

	relayout_dynamic_get(c->image, DT_RELR, &address);
	relayout_dynamic_get(c->image, DT_RELRSZ, &size);
	header.sh_addr = address;
	header.sh_size = size;
	header.sh_offset = in_tables(c, address);
	return r < 0 ? r : push(c, header, 0);
}

static bool has_new_relr(const struct compaction *c)
{
	uint64_t value;

	return relayout_dynamic_get(c->image, DT_RELR, &value) && !elf_view_dynamic(c->view, DT_RELR, &value);
}

/* Where the part of a range ends that begins at an address and is one piece in the result. */
static uint64_t piece_end(const struct compaction *c, uint64_t address, uint64_t end)
{
	const struct relayout_segment *segment =
		&c->image->segments[elf_view_load_at(c->view, address, 1) - c->view->loads];
	const struct compact_page *pages = c->pages[segment - c->image->segments];
	uint64_t granule = c->image->granule;
	size_t page = (address - segment->address) / granule;

	while (page + 1 < segment->n_pages && pages[page + 1].offset == pages[page].offset + granule)
		page++;
	address = segment->address + (page + 1) * granule;
	return address < end ? address : end;
}

static int name_piece(struct compaction *c, size_t section, bool hot, uint32_t *ret_name)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%s", elf_section_name(&c->sections, section), hot ? "hot" : "cold");
	for (size_t i = c->n_result; i-- > 0 && c->result[i].old == section;) /* they are used again */
		if (streq(c->names.data + c->result[i].header.sh_name, name)) {
			*ret_name = c->result[i].header.sh_name;
			return 0;
		}
	return string_table_add(&c->names, name, ret_name);
}

/* A section whose place in memory is what it was. */
static int push_pieces(struct compaction *c, size_t section)
{
	const struct compact_range *range = &c->tables[section];
	uint64_t end = range->address + range->size, at = range->address;
	int r = 0;

	while (r == 0 && at < end) {
		Elf64_Shdr header = c->sections.all[section];
		uint64_t next = piece_end(c, at, end);

		if (range->size != next - at) {
			header.sh_flags &= ~(uint64_t)(SHF_MERGE | SHF_STRINGS);
			header.sh_entsize = 0;
		}
		header.sh_addr = at;
		header.sh_size = next - at;
		header.sh_offset = compact_offset(c, at);
		if (at > range->address) {
			if (header.sh_addralign > c->image->granule)
				header.sh_addralign = c->image->granule;
			r = name_piece(c, section, header.sh_offset < c->hot_end, &header.sh_name);
		}
		if (r == 0)
			r = push(c, header, section);
		at = next;
	}
	return r;
}

static int push_loaded(struct compaction *c, size_t section)
{
	const struct compact_range *range = &c->tables[section];
	Elf64_Shdr header = c->sections.all[section];

	if (range->size == 0) /* all its relocations were packed: their section stands for it */
		return 0;
	if (range->address < c->image->tables_address)
		return push_pieces(c, section);
	header.sh_addr = range->address;
	header.sh_size = range->size;
	header.sh_offset = in_tables(c, range->address);
	return push(c, header, section);
}

/* In memory, without bytes of the file. */
static int push_empty(struct compaction *c, size_t section)
{
	Elf64_Shdr header = c->sections.all[section];
	uint64_t offset = compact_offset(c, header.sh_addr);

	header.sh_offset = offset == COMPACT_NOWHERE ? c->end : offset;
	return push(c, header, section);
}

static int push_section(struct compaction *c, size_t section)
{
	const Elf64_Shdr *header = &c->sections.all[section];
	int r;

	if (elf_section_is_loaded(header))
		r = push_loaded(c, section);
	else if (section > 0 && (header->sh_flags & SHF_ALLOC))
		r = push_empty(c, section);
	else
		r = push(c, *header, section);
	if (r == 0 && section == 0)
		r = push_note(c);
	if (r == 0 && compact_table_tag(c, section) == DT_RELA && has_new_relr(c))
		r = push_relr(c);
	return r;
}

size_t *compact_first_pieces(const struct compaction *c)
{
	size_t *first = calloc(c->sections.n, sizeof(*first));

	if (!first)
		return NULL;
	for (size_t i = c->n_result; i-- > 1;)
		first[c->result[i].old] = i;
	first[0] = 0;
	return first;
}

/* The index in the result of what was a section. One that is gone has none. */
static uint32_t new_index(const size_t *first, size_t section)
{
	return (uint32_t)first[section];
}

static int fix_links(struct compaction *c)
{
	_cleanup_free_ size_t *first = compact_first_pieces(c);

	if (!first)
		return -ENOMEM;
	for (size_t i = 1; i < c->n_result; i++) {
		Elf64_Shdr *header = &c->result[i].header;

		if (c->result[i].old == 0)
			continue;
		header->sh_link = new_index(first, header->sh_link);
		if ((header->sh_flags & SHF_INFO_LINK) || header->sh_type == SHT_RELA ||
			header->sh_type == SHT_REL)
			header->sh_info = new_index(first, header->sh_info);
	}
	return 0;
}

/* What is not in memory follows, in its order. */
static void place_others(struct compaction *c)
{
	for (size_t i = 1; i < c->n_result; i++) {
		Elf64_Shdr *header = &c->result[i].header;
		uint64_t align = header->sh_addralign ? header->sh_addralign : 1;

		if ((header->sh_flags & SHF_ALLOC) || header->sh_type == SHT_NULL)
			continue;
		if (c->result[i].old == c->sections.names)
			header->sh_size = c->names.size;
		if (align > c->image->granule)
			align = c->image->granule;
		c->end = (c->end + align - 1) & ~(align - 1);
		header->sh_offset = c->end;
		if (header->sh_type != SHT_NOBITS)
			c->end += header->sh_size;
	}
}

int compact_split_sections(struct compaction *c)
{
	const Elf64_Shdr *names = &c->sections.all[c->sections.names];
	int r;

	if (ARRAY_RESERVE(c->names.data, c->names.capacity, names->sh_size) < 0)
		return -ENOMEM;
	memcpy(c->names.data, c->view->data + names->sh_offset, names->sh_size);
	c->names.size = names->sh_size;
	for (size_t i = 0; i < c->sections.n; i++) {
		r = push_section(c, i);
		if (r < 0)
			return r == -EOVERFLOW ? compact_refuse(c, "has names of sections of more than 4 GiB")
					       : r;
	}
	r = fix_links(c);
	if (r == 0)
		place_others(c);
	return r;
}
