/* SPDX-License-Identifier: MIT */
/* The bytes of a compacted file. */
#include "relayout/compact/write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checksum.h"
#include "base/cleanup.h"
#include "format/note.h"
#include "relayout/compact/room.h"
#include "relayout/passes/write.h"

struct writer {
	const struct compaction *c;
	const struct compact_tables *tables;
	const struct compact_cuts *cuts;
	const struct compact_places *places;
	const struct compact_sections *result;
	uint8_t *data; /* owned */
	uint64_t size;
	Elf64_Phdr *phdrs; /* owned */
	size_t n_phdrs, phdrs_capacity;
};

static void writer_release(struct writer *w)
{
	free(w->data);
	free(w->phdrs);
}

/* A page as the segment has it: what other segments have on the same page of the file is left out. */
static void write_page(struct writer *w, size_t segment_index, size_t page)
{
	const struct relayout_image *image = w->c->image;
	const struct relayout_segment *segment = &image->segments[segment_index];
	const struct relayout_page *from = &segment->pages[page];
	uint64_t begin = segment->offset + page * image->granule, skip = 0;
	uint64_t content_end = segment->load.p_offset + segment->load.p_filesz, size = image->granule;

	if (begin < segment->load.p_offset)
		skip = segment->load.p_offset - begin;
	if (content_end - begin < size)
		size = content_end - begin;
	memcpy(w->data + w->places->offsets[segment_index][page] + skip,
		(from->bytes ? from->bytes : image->view->data + begin) + skip, size - skip);
}

static void write_pages(struct writer *w)
{
	const struct compaction *c = w->c;

	for (size_t i = 0; i < w->places->n_blocks; i++)
		for (size_t page = 0; page < w->places->blocks[i].n; page++)
			write_page(w, w->places->blocks[i].segment, w->places->blocks[i].first + page);
	if (c->image->tables_size > 0)
		memcpy(w->data + w->places->tables_offset, c->image->tables, c->image->tables_size);
}

static bool page_is_dead(const struct writer *w, uint64_t address)
{
	const struct compaction *c = w->c;
	size_t segment = elf_view_load_at(c->view, address, 1) - c->view->loads;

	return w->cuts->pages[segment][(address - c->image->segments[segment].address) / c->image->granule]
		.dead;
}

/* What lay where program headers lie now, and other bytes that nobody reads any more. */
static void clear_dead(struct writer *w)
{
	const struct compaction *c = w->c;

	for (size_t i = 0; i < w->tables->n_dead; i++) {
		uint64_t at = w->tables->dead[i].address, end = at + w->tables->dead[i].size;

		while (at < end) {
			uint64_t page_end = (at | (c->image->granule - 1)) + 1;
			uint64_t next = page_end < end ? page_end : end;

			if (!page_is_dead(w, at))
				memset(w->data + compact_offset(w->places, at), 0, next - at);
			at = next;
		}
	}
}

static void write_others(struct writer *w)
{
	const struct compaction *c = w->c;

	for (size_t i = 1; i < w->result->n; i++) {
		const Elf64_Shdr *header = &w->result->all[i].header;
		const Elf64_Shdr *old = &c->sections.all[w->result->all[i].old];

		if ((header->sh_flags & SHF_ALLOC) || header->sh_type == SHT_NULL ||
			header->sh_type == SHT_NOBITS)
			continue;
		if (w->result->all[i].old == c->sections.names)
			memcpy(w->data + header->sh_offset, w->result->names.data, w->result->names.size);
		else
			memcpy(w->data + header->sh_offset, c->view->data + old->sh_offset, old->sh_size);
	}
}

/* Of the pieces of a section the one that a symbol is in; the last one, if it is at the end. */
static size_t piece_of(const struct compact_sections *result, size_t first, const Elf64_Sym *symbol)
{
	size_t piece = first;

	if (ELF64_ST_TYPE(symbol->st_info) == STT_SECTION || ELF64_ST_TYPE(symbol->st_info) == STT_TLS)
		return first;
	while (piece + 1 < result->n && result->all[piece + 1].old == result->all[first].old &&
		result->all[piece + 1].header.sh_addr <= symbol->st_value)
		piece++;
	return piece;
}

/* first: the first piece of each section of the original, 0 for one that is gone. */
static void fix_symbol(const struct writer *w, const size_t *first, Elf64_Sym *symbol)
{
	const struct compaction *c = w->c;
	size_t old = symbol->st_shndx, piece;
	const Elf64_Shdr *was;
	const struct compact_range *now;

	if (old == SHN_UNDEF || old >= c->sections.n)
		return;
	if (first[old] == 0) {
		symbol->st_shndx = SHN_ABS;
		return;
	}
	was = &c->sections.all[old];
	now = &w->tables->now[old];
	if (ELF64_ST_TYPE(symbol->st_info) == STT_SECTION)
		symbol->st_value = now->address;
	else if (now->address >= c->image->tables_address && symbol->st_value - was->sh_addr <= was->sh_size)
		symbol->st_value += now->address - was->sh_addr;
	piece = piece_of(w->result, first[old], symbol);
	symbol->st_shndx = (Elf64_Half)piece;
}

static int fix_symbols(struct writer *w)
{
	_cleanup_free_ size_t *first = compact_first_pieces(w->c, w->result);

	if (!first)
		return -ENOMEM;
	for (size_t i = 1; i < w->result->n; i++) {
		const Elf64_Shdr *header = &w->result->all[i].header;

		if (header->sh_type != SHT_SYMTAB && header->sh_type != SHT_DYNSYM)
			continue;
		for (uint64_t at = 0; at < header->sh_size; at += sizeof(Elf64_Sym)) {
			Elf64_Sym symbol;

			memcpy(&symbol, w->data + header->sh_offset + at, sizeof(symbol));
			fix_symbol(w, first, &symbol);
			memcpy(w->data + header->sh_offset + at, &symbol, sizeof(symbol));
		}
	}
	return 0;
}

static int push_phdr(struct writer *w, Elf64_Phdr phdr)
{
	if (ARRAY_RESERVE(w->phdrs, w->phdrs_capacity, w->n_phdrs + 1) < 0)
		return -ENOMEM;
	w->phdrs[w->n_phdrs++] = phdr;
	return 0;
}

/* The note's header comes after the PT_LOADs, as do most that lie in one. */
static int push_loads(struct writer *w)
{
	const struct compaction *c = w->c;
	uint64_t at = compact_note_offset(w->c, w->places);
	int r = 0;

	for (size_t i = 0; r == 0 && i < w->places->n_loads; i++)
		r = push_phdr(w, w->places->loads[i]);
	if (r < 0)
		return r;
	return push_phdr(w,
		(Elf64_Phdr){
			.p_type = PT_NOTE,
			.p_flags = PF_R,
			.p_offset = at,
			.p_vaddr = c->view->loads[0].p_vaddr + at,
			.p_paddr = at,
			.p_filesz = sizeof(struct note_segment),
			.p_memsz = sizeof(struct note_segment),
			.p_align = 4,
		});
}

static int push_other(struct writer *w, Elf64_Phdr phdr)
{
	const struct compaction *c = w->c;
	uint64_t offset;

	if (phdr.p_type == PT_NULL)
		return push_phdr(w, phdr);
	phdr.p_offset = phdr.p_paddr = 0;
	if (phdr.p_vaddr == 0 && phdr.p_memsz == 0)
		return push_phdr(w, phdr);
	for (size_t i = 0; compact_is_note(&phdr) && i < c->room.n_moves; i++) {
		const struct compact_move *move = &c->room.moves[i];

		if (phdr.p_vaddr >= move->from && phdr.p_vaddr - move->from < move->size) {
			phdr.p_vaddr += move->to - move->from;
			break;
		}
	}
	offset = compact_offset(w->places, phdr.p_vaddr);
	if (offset != COMPACT_NOWHERE)
		phdr.p_offset = phdr.p_paddr = offset;
	return push_phdr(w, phdr);
}

static int make_phdrs(struct writer *w)
{
	const struct elf_view *view = w->c->view;
	bool loads_done = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < view->n_phdrs; i++) {
		const Elf64_Phdr *phdr = &view->phdrs[i];

		if (phdr->p_type == PT_LOAD && !loads_done) {
			loads_done = true;
			r = push_loads(w);
		} else if (phdr->p_type == PT_PHDR) {
			r = push_phdr(w, *phdr); /* write_headers() completes it */
		} else if (phdr->p_type != PT_LOAD) {
			r = push_other(w, *phdr);
		}
	}
	return r;
}

static void write_headers(struct writer *w)
{
	const struct compaction *c = w->c;
	Elf64_Ehdr header = c->view->header;

	for (size_t i = 0; i < w->n_phdrs; i++) {
		Elf64_Phdr *phdr = &w->phdrs[i];

		if (phdr->p_type != PT_PHDR)
			continue;
		phdr->p_offset = phdr->p_paddr = sizeof(Elf64_Ehdr);
		phdr->p_vaddr = c->view->loads[0].p_vaddr + sizeof(Elf64_Ehdr);
		phdr->p_filesz = phdr->p_memsz = w->n_phdrs * sizeof(Elf64_Phdr);
	}
	header.e_phoff = sizeof(Elf64_Ehdr);
	header.e_phnum = (Elf64_Half)w->n_phdrs;
	header.e_shoff = w->size - w->result->n * sizeof(Elf64_Shdr);
	header.e_shnum = (Elf64_Half)w->result->n;
	for (size_t i = 1; i < w->result->n; i++) {
		if (w->result->all[i].old == c->sections.names)
			header.e_shstrndx = (Elf64_Half)i;
	}
	for (size_t i = 0; i < w->result->n; i++)
		memcpy(w->data + header.e_shoff + i * sizeof(Elf64_Shdr), &w->result->all[i].header,
			sizeof(Elf64_Shdr));
	memcpy(w->data, &header, sizeof(header));
	memcpy(w->data + header.e_phoff, w->phdrs, w->n_phdrs * sizeof(Elf64_Phdr));
}

static void write_note(struct writer *w, uint64_t profile)
{
	const struct compaction *c = w->c;
	uint64_t hot_offset = w->places->tables_offset + compact_round_up(c, c->image->tables_size);
	struct note_segment *note = (struct note_segment *)(w->data + compact_note_offset(w->c, w->places));

	*note = relayout_begin_note(c->image, profile);
	note->relaid.tables_size = LE64(hot_offset);
	note->relaid.hot_offset = LE64(hot_offset);
	note->relaid.hot_size = LE64(w->places->hot_end - hot_offset);
	note->relaid.appended_checksum = LE64(checksum64(w->data, w->size));
}

static void count_touched(const struct compact_places *places, struct compacted *to)
{
	for (size_t i = 0; i < places->n_blocks; i++) {
		const struct compact_block *block = &places->blocks[i];

		to->n_touched_runs += block->n_reads;
		if (block->hot)
			continue;
		to->cold_touched += block->n_touched;
		to->cold_reads += block->n_reads;
	}
}

int compact_write(const struct compaction *c, const struct compact_tables *tables,
	const struct compact_cuts *cuts, const struct compact_places *places,
	const struct compact_sections *sections, uint64_t profile, struct compacted *ret)
{
	_cleanup_(writer_release) struct writer w = {
		.c = c, .tables = tables, .cuts = cuts, .places = places, .result = sections};
	uint64_t headers_at = (sections->end + 7) & ~7ull;
	int r;

	w.size = headers_at + sections->n * sizeof(Elf64_Shdr);
	w.data = calloc(1, w.size);
	if (!w.data)
		return -ENOMEM;
	r = make_phdrs(&w);
	if (r < 0)
		return r;
	write_pages(&w);
	clear_dead(&w);
	write_others(&w);
	r = fix_symbols(&w);
	if (r < 0)
		return r;
	write_headers(&w);
	write_note(&w, profile);
	*ret = (struct compacted){
		.data = TAKE_PTR(w.data),
		.size = w.size,
		.hot_size = places->hot_end,
		.n_segments = places->n_loads,
		.n_hot_runs = places->n_hot_runs,
	};
	count_touched(places, ret);
	return 0;
}

void compacted_release(struct compacted *compact)
{
	free(compact->data);
	*compact = (struct compacted){0};
}
