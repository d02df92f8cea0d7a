/* SPDX-License-Identifier: MIT */
#include "explain/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "elf/file.h"

void explain_functions_release(struct explain_functions *functions)
{
	free(functions->items);
	*functions = (struct explain_functions){0};
}

/* The part of the page that the segment has, as addresses. Returns whether there is one. */
static bool addresses_of(const struct order_segment *segment, uint64_t page, uint32_t page_size,
	uint64_t *ret_from, uint64_t *ret_to)
{
	uint64_t from = page * page_size, to = from + page_size;

	if (from < segment->offset)
		from = segment->offset;
	if (to > segment->offset + segment->size)
		to = segment->offset + segment->size;
	if (from >= to)
		return false;
	*ret_from = segment->address + (from - segment->offset);
	*ret_to = segment->address + (to - segment->offset);
	return true;
}

static bool lies_on(const struct order_image *image, const struct order_function *function, uint64_t page,
	uint32_t page_size)
{
	uint64_t from, to;

	for (size_t i = 0; i < image->n_segments; i++)
		if (addresses_of(&image->segments[i], page, page_size, &from, &to) &&
			function->address < to && from < function->address + function->size)
			return true;
	return false;
}

int explain_functions_on(
	const struct order_image *image, uint64_t page, uint32_t page_size, struct explain_functions *ret)
{
	_cleanup_(explain_functions_releasep) struct explain_functions functions = {0};
	int r;

	if (page > UINT64_MAX / page_size - 1)
		page = UINT64_MAX / page_size - 1;
	for (size_t i = 0; i < image->n_functions; i++) {
		if (!lies_on(image, &image->functions[i], page, page_size))
			continue;
		r = ARRAY_RESERVE(functions.items, functions.capacity, functions.n + 1);
		if (r < 0)
			return r;
		functions.items[functions.n++] = &image->functions[i];
	}
	*ret = functions;
	functions = (struct explain_functions){0};
	return 0;
}

static bool is_named(const struct order_function *function, const char *name)
{
	return strlen(name) == function->name_length &&
		memcmp(function->name, name, function->name_length) == 0;
}

static bool place_of(const struct order_image *image, const struct order_function *function,
	uint32_t page_size, struct explain_place *ret)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct order_segment *segment = &image->segments[i];
		uint64_t into = function->address - segment->address;
		uint64_t size = function->size;

		if (function->address < segment->address || into >= segment->size)
			continue;
		if (size > segment->size - into)
			size = segment->size - into;
		ret->first = (segment->offset + into) / page_size;
		ret->last = (segment->offset + into + size - 1) / page_size;
		return true;
	}
	return false;
}

size_t explain_find_function(const struct order_image *image, const char *name, size_t from,
	uint32_t page_size, struct explain_place *ret)
{
	size_t i = from;

	while (i < image->n_functions &&
		!(is_named(&image->functions[i], name) &&
			place_of(image, &image->functions[i], page_size, ret)))
		i++;
	return i;
}

/* ---- relocations ---- */

/* Bytes of [offset, offset + size) that lie on touched pages. */
static uint64_t touched_bytes(
	const struct profile_file *file, uint32_t page_size, uint64_t offset, uint64_t size)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < file->n_ranges; i++) {
		uint64_t from = (uint64_t)file->ranges[i].page * page_size;
		uint64_t to = from + (uint64_t)file->ranges[i].pages * page_size;

		if (from < offset)
			from = offset;
		if (to > offset + size)
			to = offset + size;
		if (to > from)
			bytes += to - from;
	}
	return bytes;
}

/* The value of the first entry with that tag, or 0. */
static uint64_t value_of(const struct elf_dynamic *dynamic, int64_t tag)
{
	for (size_t i = 0; i < dynamic->n; i++)
		if (dynamic->entries[i].d_tag == tag)
			return dynamic->entries[i].d_un.d_val;
	return 0;
}

/* The touched bytes of the table of which these are the tags; as much of it as lies in one segment. */
static uint64_t touched_table(const struct elf_file *elf, const struct elf_dynamic *dynamic,
	const struct profile_file *file, uint32_t page_size, int64_t table, int64_t size_tag)
{
	uint64_t size = value_of(dynamic, size_tag), offset, left;

	if (size == 0 || !elf_file_at(elf, value_of(dynamic, table), &offset, &left) || offset > elf->size)
		return 0;
	if (size > left)
		size = left;
	if (size > elf->size - offset)
		size = elf->size - offset;
	return touched_bytes(file, page_size, offset, size);
}

int explain_relocations(int fd, const struct profile_file *file, uint32_t page_size, uint64_t *ret_bytes)
{
	static const struct {
		int64_t table, size;
	} tables[] = {
		{DT_RELA, DT_RELASZ}, {DT_REL, DT_RELSZ}, {DT_JMPREL, DT_PLTRELSZ}, {DT_RELR, DT_RELRSZ}};
	_cleanup_(elf_file_releasep) struct elf_file elf = {0};
	_cleanup_(elf_dynamic_releasep) struct elf_dynamic dynamic = {0};
	const Elf64_Phdr *phdr;
	const char *problem;
	uint64_t bytes = 0;
	int r = elf_file_open(&elf, fd, &problem);

	if (r == 0)
		r = elf_file_take_phdrs(&elf, &problem);
	if (r < 0)
		return r;
	phdr = elf_file_phdr(&elf, PT_DYNAMIC);
	r = phdr ? elf_file_dynamic(&elf, phdr, &dynamic) : 0;
	if (r < 0)
		return r;
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		bytes += touched_table(&elf, &dynamic, file, page_size, tables[i].table, tables[i].size);
	if (bytes > profile_file_pages(file) * page_size)
		bytes = profile_file_pages(file) * page_size; /* tables of a hostile file may overlap */
	*ret_bytes = bytes;
	return 0;
}
