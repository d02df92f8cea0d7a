/* SPDX-License-Identifier: MIT */
/*
 * Where the tables of dynamic linking lie after all passes. Passes and room.c change dynamic entries;
 * section headers follow from these.
 */
#include "relayout/compact/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/strings.h"

static const struct {
	uint32_t type;
	int64_t tag, size_tag; /* DT_NULL: only the section knows its size */
} table_tags[] = {
	{SHT_DYNSYM, DT_SYMTAB, DT_NULL},
	{SHT_STRTAB, DT_STRTAB, DT_STRSZ},
	{SHT_GNU_HASH, DT_GNU_HASH, DT_NULL},
	{SHT_HASH, DT_HASH, DT_NULL},
	{SHT_GNU_versym, DT_VERSYM, DT_NULL},
	{SHT_GNU_verneed, DT_VERNEED, DT_NULL},
	{SHT_GNU_verdef, DT_VERDEF, DT_NULL},
	{SHT_RELA, DT_RELA, DT_RELASZ},
	{SHT_RELA, DT_JMPREL, DT_PLTRELSZ},
	{SHT_RELR, DT_RELR, DT_RELRSZ},
};

int64_t compact_table_tag(const struct compaction *c, size_t section)
{
	const Elf64_Shdr *header = &c->sections.all[section];
	uint64_t address;

	if (!elf_section_is_loaded(header))
		return DT_NULL;
	for (size_t i = 0; i < sizeof(table_tags) / sizeof(*table_tags); i++)
		if (header->sh_type == table_tags[i].type &&
			elf_view_dynamic(c->view, table_tags[i].tag, &address) && address == header->sh_addr)
			return table_tags[i].tag;
	return DT_NULL;
}

/* How often the dynamic section has the tag. */
static size_t count_entries(const struct elf_view *view, int64_t tag)
{
	size_t n = 0;

	for (size_t i = 0; i < view->n_used; i++)
		n += view->dynamic[i].d_tag == tag;
	return n;
}

static uint64_t original_value(const struct elf_view *view, int64_t tag)
{
	uint64_t value = 0;

	elf_view_dynamic(view, tag, &value);
	return value;
}

/* Bytes of a table, as far as the dynamic section knows, without what DT_RELASZ counts of DT_JMPREL. */
static uint64_t original_size(const struct elf_view *view, size_t table)
{
	uint64_t size = 0, plt_size = original_value(view, DT_PLTRELSZ);

	if (table_tags[table].size_tag != DT_NULL)
		size = original_value(view, table_tags[table].size_tag);
	if (table_tags[table].tag == DT_RELA && plt_size <= size &&
		original_value(view, DT_RELA) + (size - plt_size) == original_value(view, DT_JMPREL))
		size -= plt_size;
	return size;
}

/* Whether a section is the table. */
static bool is_described(const struct compaction *c, size_t table)
{
	uint64_t address = original_value(c->view, table_tags[table].tag),
		 size = original_size(c->view, table);

	for (size_t i = 1; i < c->sections.n; i++) {
		const Elf64_Shdr *section = &c->sections.all[i];

		if (section->sh_type == table_tags[table].type && elf_section_is_loaded(section) &&
			section->sh_addr == address &&
			(table_tags[table].size_tag == DT_NULL || section->sh_size == size))
			return true;
	}
	return false;
}

static bool has_entries_of(const struct elf_view *view, int64_t tag, uint64_t size)
{
	return count_entries(view, tag) == 0 ||
		(count_entries(view, tag) == 1 && original_value(view, tag) == size);
}

bool compact_knows_tables(const struct compaction *c)
{
	if (!has_entries_of(c->view, DT_RELAENT, sizeof(Elf64_Rela)) ||
		!has_entries_of(c->view, DT_RELRENT, sizeof(uint64_t)) ||
		!has_entries_of(c->view, DT_SYMENT, sizeof(Elf64_Sym)))
		return false;
	for (size_t i = 0; i < sizeof(table_tags) / sizeof(*table_tags); i++) {
		size_t n = count_entries(c->view, table_tags[i].tag);

		if (n > 1 || count_entries(c->view, table_tags[i].size_tag) > 1 ||
			(n == 1 && !is_described(c, i)))
			return false;
	}
	return true;
}

/* A part of the tables segment, or NULL. */
static uint8_t *in_tables(const struct compaction *c, uint64_t address, uint64_t size)
{
	const struct relayout_image *image = c->image;

	if (address < image->tables_address ||
		!range_fits(address - image->tables_address, size, image->tables_size))
		return NULL;
	return image->tables + (address - image->tables_address);
}

/* The same for a string with its NUL. */
static const char *string_in_tables(const struct compaction *c, uint64_t address)
{
	const uint8_t *string = in_tables(c, address, 1);

	return string && memchr(string, '\0', (size_t)(c->image->tables + c->image->tables_size - string))
		? (const char *)string
		: NULL;
}

/* The names of versions that a pass put behind DT_STRTAB go into `strings`, and what names them says so. */
static int take_version_names(
	struct compaction *c, struct string_table *strings, uint64_t table, uint64_t old_size)
{
	uint64_t at, count = 0, library_at;

	if (!relayout_dynamic_get(c->image, DT_VERNEED, &library_at) ||
		!relayout_dynamic_get(c->image, DT_VERNEEDNUM, &count))
		return 0;
	while (count-- > 0) {
		Elf64_Verneed *library = (Elf64_Verneed *)in_tables(c, library_at, sizeof(*library));

		if (!library)
			return compact_refuse(c, "has version requirements of an unknown kind");
		at = library_at + library->vn_aux;
		for (unsigned i = 0; i < library->vn_cnt; i++) {
			Elf64_Vernaux *version = (Elf64_Vernaux *)in_tables(c, at, sizeof(*version));
			bool added = version && version->vna_name >= old_size;
			const char *name = added ? string_in_tables(c, table + version->vna_name) : NULL;

			if (!version || (added && !name))
				return compact_refuse(c, "has version requirements of an unknown kind");
			if (name && string_table_add(strings, name, &version->vna_name) < 0)
				return -ENOMEM;
			at += version->vna_next;
		}
		library_at += library->vn_next;
	}
	return 0;
}

bool compact_strings_end(const struct compaction *c)
{
	uint64_t address, size, last;
	const uint8_t *end;

	if (!elf_view_dynamic(c->view, DT_STRTAB, &address) || !elf_view_dynamic(c->view, DT_STRSZ, &size) ||
		size == 0)
		return true;
	end = __builtin_add_overflow(address, size - 1, &last) ? NULL : elf_view_at(c->view, last, 1);
	return end && *end == '\0';
}

/* A pass may have made DT_STRTAB reach into the tables (passes/version-need.h). One section cannot. */
int compact_unite_strings(struct compaction *c)
{
	_cleanup_(string_table_releasep) struct string_table strings = {0};
	uint64_t address, size, old_size;
	int r;

	if (!elf_view_dynamic(c->view, DT_STRSZ, &old_size) ||
		!relayout_dynamic_get(c->image, DT_STRSZ, &size) ||
		!relayout_dynamic_get(c->image, DT_STRTAB, &address) || size == old_size)
		return 0;
	if (!elf_view_load_at(c->view, address, old_size))
		return compact_refuse(c, "has strings outside its segments");
	if (ARRAY_RESERVE(strings.data, strings.capacity, old_size + 1) < 0)
		return -ENOMEM;
	if (relayout_image_read(c->image, address, strings.data, old_size) < 0)
		return compact_refuse(c, "has strings outside its segments");
	strings.size = old_size;
	r = take_version_names(c, &strings, address, old_size);
	if (r == 0)
		r = relayout_image_add_table(c->image, strings.data, strings.size, 1, &address);
	if (r == 0)
		r = relayout_dynamic_set(c->image, DT_STRTAB, address);
	return r < 0 ? r : relayout_dynamic_set(c->image, DT_STRSZ, strings.size);
}

int compact_redirect(struct compaction *c, const struct compact_move *move)
{
	for (size_t i = 0; i < sizeof(table_tags) / sizeof(*table_tags); i++) {
		uint64_t address;
		int r;

		if (!relayout_dynamic_get(c->image, table_tags[i].tag, &address) || address < move->from ||
			address - move->from >= move->size)
			continue;
		r = relayout_dynamic_set(c->image, table_tags[i].tag, address - move->from + move->to);
		if (r < 0)
			return r;
	}
	return 0;
}

static uint64_t value_of(const struct compaction *c, int64_t tag)
{
	uint64_t value = 0;

	relayout_dynamic_get(c->image, tag, &value);
	return value;
}

/* DT_RELASZ may count what DT_JMPREL leads to, which has a section of its own. */
static uint64_t rela_size(const struct compaction *c, uint64_t address)
{
	uint64_t size = value_of(c, DT_RELASZ), plt_size = value_of(c, DT_PLTRELSZ);
	uint64_t plt = value_of(c, DT_JMPREL);

	if (plt >= address && range_fits(plt - address, plt_size, size) && plt - address + plt_size == size)
		size -= plt_size;
	return size;
}

/* Of version requirements that a pass has written anew: one record behind the other. */
static uint64_t needs_size(const struct compaction *c, uint64_t address)
{
	uint64_t count = value_of(c, DT_VERNEEDNUM), size = 0;

	while (count-- > 0) {
		const Elf64_Verneed *library =
			(const Elf64_Verneed *)in_tables(c, address + size, sizeof(*library));

		if (!library)
			return 0;
		size += sizeof(*library) + library->vn_cnt * sizeof(Elf64_Vernaux);
	}
	return size;
}

static uint64_t table_size(const struct compaction *c, size_t section, int64_t tag, uint64_t address)
{
	const Elf64_Shdr *header = &c->sections.all[section];

	switch (tag) {
	case DT_RELA:
		return rela_size(c, address);
	case DT_STRTAB:
		return value_of(c, DT_STRSZ);
	case DT_VERNEED:
		for (size_t i = 0; i < c->room.n_moves; i++)
			if (c->room.moves[i].to == address)
				return header->sh_size;
		return needs_size(c, address);
	default:
		return header->sh_size;
	}
}

static int add_dead(struct compact_tables *tables, uint64_t address, uint64_t size)
{
	if (ARRAY_RESERVE(tables->dead, tables->dead_capacity, tables->n_dead + 1) < 0)
		return -ENOMEM;
	tables->dead[tables->n_dead++] = (struct compact_range){address, size};
	return 0;
}

/* A table that a dynamic entry led to. */
static int find_table(struct compaction *c, struct compact_tables *tables, size_t section, int64_t tag)
{
	const Elf64_Shdr *header = &c->sections.all[section];
	struct compact_range *table = &tables->now[section];
	uint64_t address;

	if (!relayout_dynamic_get(c->image, tag, &address)) {
		*table = (struct compact_range){0};
		return add_dead(tables, header->sh_addr, header->sh_size);
	}
	if (address == header->sh_addr)
		return 0;
	*table = (struct compact_range){address, table_size(c, section, tag, address)};
	if (address < header->sh_addr || address - header->sh_addr >= header->sh_size)
		return add_dead(tables, header->sh_addr, header->sh_size);
	if (!range_fits(address - header->sh_addr, table->size, header->sh_size))
		return compact_refuse(c, "has relocations that its sections do not describe");
	return add_dead(tables, header->sh_addr, address - header->sh_addr);
}

/* What is found by program headers. */
static int find_moved(const struct compaction *c, struct compact_tables *tables, size_t section)
{
	struct compact_range *table = &tables->now[section];

	for (size_t i = 0; i < c->room.n_moves; i++) {
		const struct compact_move *move = &c->room.moves[i];

		if (table->address < move->from || table->address - move->from >= move->size)
			continue;
		table->address = table->address - move->from + move->to;
		return add_dead(tables, c->sections.all[section].sh_addr, table->size);
	}
	return 0;
}

int compact_find_tables(struct compaction *c, struct compact_tables *ret)
{
	_cleanup_(compact_tables_releasep) struct compact_tables tables = {0};

	tables.now = calloc(c->sections.n, sizeof(*tables.now));
	if (!tables.now)
		return -ENOMEM;
	for (size_t i = 1; i < c->sections.n; i++) {
		const Elf64_Shdr *header = &c->sections.all[i];
		int64_t tag = compact_table_tag(c, i);
		int r;

		tables.now[i] = (struct compact_range){header->sh_addr, header->sh_size};
		if (!elf_section_is_loaded(header))
			continue;
		r = tag == DT_NULL ? find_moved(c, &tables, i) : find_table(c, &tables, i, tag);
		if (r < 0)
			return r;
	}
	*ret = tables;
	tables = (struct compact_tables){0};
	return 0;
}

void compact_tables_release(struct compact_tables *tables)
{
	free(tables->now);
	free(tables->dead);
	*tables = (struct compact_tables){0};
}
