/* SPDX-License-Identifier: MIT */
/*
 * Place for more program headers. They begin directly behind the ELF header, because BFD writes them there
 * whatever the file it read had, and because kernels before 5.18 tell an executable that they are there.
 *
 * Linkers leave no room. But what follows are notes and the tables of dynamic linking. Most are found by a program header or a dynamic entry
 * and not by their address: these can lie elsewhere.
 */
#include "relayout/compact/room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "elf/notes.h"
#include "format/note.h"
#include "relaid/cost.h"
#include "relayout/compact/tables.h"

#define GAP_LIMIT (64u << 20)

/* A part of the file that moves as a whole: a table, or notes that one program header covers. */
struct block {
	uint64_t address, size, align;
};

bool compact_is_note(const Elf64_Phdr *phdr)
{
	return phdr->p_type == PT_NOTE || phdr->p_type == PT_INTERP || phdr->p_type == PT_GNU_PROPERTY;
}

/* Whether a program header that leads to notes and the like covers all of the section. */
static bool is_covered(const struct compaction *c, const Elf64_Shdr *section)
{
	for (size_t i = 0; i < c->view->n_phdrs; i++) {
		const Elf64_Phdr *phdr = &c->view->phdrs[i];

		if (compact_is_note(phdr) && section->sh_addr >= phdr->p_vaddr &&
			range_fits(section->sh_addr - phdr->p_vaddr, section->sh_size, phdr->p_filesz))
			return true;
	}
	return false;
}

/* Bytes of one letter that are more than somebody's word. */
#define FILLER_LEAST 8u

/*
 * Whether the byte is what patchelf, and auditwheel with it, wrote over something that it moved elsewhere: many times X
 * (free space) or Z (a section). patchelf, src/patchelf.cc, rewriteSectionsExecutable() and writeReplacedSections().
 */
static bool is_filler(const struct compaction *c, uint64_t offset)
{
	const uint8_t *data = c->view->data, letter = data[offset];
	uint64_t first = offset, end = offset + 1;

	if (letter != 'X' && letter != 'Z')
		return false;
	while (first > 0 && end - first < FILLER_LEAST && data[first - 1] == letter)
		first--;
	while (end < c->view->size && end - first < FILLER_LEAST && data[end] == letter)
		end++;
	return end - first >= FILLER_LEAST;
}

/* Whether somebody's bytes lie there that no section describes. The program headers of the original are
 * nobody's. */
static bool is_unknown(const struct compaction *c, uint64_t offset)
{
	const Elf64_Ehdr *header = &c->view->header;

	if (c->view->data[offset] == 0 || is_filler(c, offset) ||
		(offset >= header->e_phoff &&
			offset - header->e_phoff < c->view->n_phdrs * sizeof(Elf64_Phdr)))
		return false;
	for (size_t i = 1; i < c->sections.n; i++) {
		const Elf64_Shdr *section = &c->sections.all[i];

		if (elf_section_is_loaded(section) && offset >= section->sh_offset &&
			offset - section->sh_offset < section->sh_size)
			return false;
	}
	return true;
}

/* The section with the program headers that lead to it, and those that overlap these. */
static struct block block_of(const struct compaction *c, const Elf64_Shdr *section)
{
	struct block block = {section->sh_addr, section->sh_size, section->sh_addralign};

	for (size_t i = 0; i < c->view->n_phdrs; i++) {
		const Elf64_Phdr *phdr = &c->view->phdrs[i];
		uint64_t end = phdr->p_vaddr + phdr->p_filesz;

		if (!compact_is_note(phdr) || phdr->p_vaddr >= block.address + block.size ||
			end <= block.address)
			continue;
		if (phdr->p_align > block.align)
			block.align = phdr->p_align;
		if (phdr->p_vaddr < block.address) {
			block.size += block.address - phdr->p_vaddr;
			block.address = phdr->p_vaddr;
		}
		if (end > block.address + block.size)
			block.size = end - block.address;
	}
	return block;
}

/* Whether nobody knows the section by its address, nor what would move with it: programs find notes by the program headers. */
static bool can_move(const struct compaction *c, const Elf64_Shdr *section)
{
	const struct block block = block_of(c, section);

	for (size_t i = 0; i < c->view->n_phdrs; i++) {
		const Elf64_Phdr *phdr = &c->view->phdrs[i];
		struct elf_notes notes = {.size = phdr->p_filesz, .align = phdr->p_align};

		if (!compact_is_note(phdr) || phdr->p_type == PT_INTERP ||
			phdr->p_vaddr >= block.address + block.size ||
			phdr->p_vaddr + phdr->p_filesz <= block.address)
			continue;
		notes.data = elf_view_at(c->view, phdr->p_vaddr, phdr->p_filesz);
		if (!notes.data || !elf_notes_can_move(&notes))
			return false;
	}
	return true;
}

/* Where the first section lies that has to stay, at most at the end of the first page. */
static uint64_t room_limit(const struct compaction *c)
{
	uint64_t limit = c->image->granule;

	for (size_t i = 1; i < c->sections.n; i++) {
		const Elf64_Shdr *section = &c->sections.all[i];

		if (elf_section_is_loaded(section) && section->sh_offset < limit &&
			compact_table_tag(c, i) == DT_NULL &&
			!(is_covered(c, section) && can_move(c, section)))
			limit = section->sh_offset;
	}
	if (limit > c->view->loads[0].p_filesz)
		limit = c->view->loads[0].p_filesz;
	for (uint64_t at = sizeof(Elf64_Ehdr); at < limit; at++)
		if (is_unknown(c, at))
			limit = at;
	return limit & ~7ull;
}

bool compact_was_moved(const struct compaction *c, uint64_t address)
{
	for (size_t i = 0; i < c->room.n_moves; i++)
		if (address >= c->room.moves[i].from &&
			address - c->room.moves[i].from < c->room.moves[i].size)
			return true;
	return false;
}

static int move(struct compaction *c, const struct block *block)
{
	_cleanup_free_ uint8_t *bytes = malloc(block->size);
	uint64_t to;
	int r;

	if (!bytes || ARRAY_RESERVE(c->room.moves, c->room.moves_capacity, c->room.n_moves + 1) < 0)
		return -ENOMEM;
	if (block->align > c->image->granule ||
		relayout_image_read(c->image, block->address, bytes, block->size) < 0)
		return compact_refuse(c, "has a section that its program headers do not fit");
	r = relayout_image_add_table(c->image, bytes, block->size, block->align ? block->align : 1, &to);
	if (r == -EFBIG)
		return compact_refuse(c, "has tables of more than 1 GiB");
	if (r < 0)
		return r;
	c->room.moves[c->room.n_moves++] = (struct compact_move){block->address, block->size, to};
	return compact_redirect(c, &c->room.moves[c->room.n_moves - 1]);
}

/* The loader takes DT_JMPREL for a part of DT_RELA where they touch (passes/reloc-table.h): they go together.
 */
static void add_plt(const struct compaction *c, struct block *rela)
{
	uint64_t plt, size;

	if (relayout_dynamic_get(c->image, DT_JMPREL, &plt) &&
		relayout_dynamic_get(c->image, DT_PLTRELSZ, &size) && plt == rela->address + rela->size &&
		elf_view_load_at(c->view, plt, size))
		rela->size += size;
}

/* Moves a table that a dynamic entry leads to; what a pass has moved already stays there. */
static int move_table(struct compaction *c, size_t section)
{
	const Elf64_Shdr *header = &c->sections.all[section];
	int64_t tag = compact_table_tag(c, section);
	struct block block = {header->sh_addr, header->sh_size, header->sh_addralign};
	uint64_t address;

	if (!relayout_dynamic_get(c->image, tag, &address) || address < block.address ||
		address - block.address >= block.size)
		return 0;
	block.size -= address - block.address;
	block.address = address;
	if (tag == DT_RELA)
		add_plt(c, &block);
	return move(c, &block);
}

/* Whether the sections that overlap the block are wholly in it, and no tables, which move on their own. */
static bool is_whole(const struct compaction *c, const struct block *block)
{
	for (size_t i = 1; i < c->sections.n; i++) {
		const Elf64_Shdr *section = &c->sections.all[i];

		if (!elf_section_is_loaded(section) || section->sh_addr >= block->address + block->size ||
			section->sh_addr + section->sh_size <= block->address)
			continue;
		if (section->sh_addr < block->address || compact_table_tag(c, i) != DT_NULL ||
			section->sh_addr + section->sh_size > block->address + block->size)
			return false;
	}
	return true;
}

static int move_note(struct compaction *c, size_t section)
{
	struct block block = block_of(c, &c->sections.all[section]);

	if (compact_was_moved(c, block.address))
		return 0;
	if (!is_whole(c, &block))
		return compact_refuse(c, "has a program header that divides a section");
	return move(c, &block);
}

static bool is_in_the_way(const struct compaction *c, size_t section)
{
	const Elf64_Shdr *header = &c->sections.all[section];

	return elf_section_is_loaded(header) && header->sh_offset < c->room.end;
}

int compact_move_tables(struct compaction *c)
{
	for (size_t i = 1; i < c->sections.n; i++) {
		int r = is_in_the_way(c, i) && compact_table_tag(c, i) != DT_NULL ? move_table(c, i) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

/* PT_INTERP after the others: with two program headers of one offset, llvm-strip takes the first to be the
 * one that the second lies in, and this one comes before the PT_LOADs. */
static int move_notes(struct compaction *c)
{
	static const uint64_t nothing;
	uint64_t address;
	int r = 0;

	for (size_t i = 1; r == 0 && i < c->sections.n; i++)
		if (is_in_the_way(c, i) && c->sections.all[i].sh_type == SHT_NOTE)
			r = move_note(c, i);
	for (size_t i = 1; r == 0 && i < c->sections.n; i++) {
		if (!is_in_the_way(c, i) || compact_table_tag(c, i) != DT_NULL)
			continue;
		if (c->image->tables_size == 0)
			r = relayout_image_add_table(
				c->image, &nothing, sizeof(nothing), sizeof(nothing), &address);
		if (r == 0)
			r = move_note(c, i);
	}
	return r;
}

/*
 * eu-elflint (0.188) takes a relocation to reach as far from its place as its symbol is large, and the
 * tables, which are not writable, to be reached.
 */
static void leave_gap(struct compaction *c)
{
	uint64_t largest = 0;

	for (size_t i = 1; i < c->sections.n; i++) {
		size_t n = 0;
		const uint8_t *symbols = elf_section_symbols(&c->sections, i, &n);

		for (size_t at = 0; c->sections.all[i].sh_type == SHT_DYNSYM && at < n; at++) {
			Elf64_Sym symbol;

			memcpy(&symbol, symbols + at * sizeof(symbol), sizeof(symbol));
			if (symbol.st_size > largest && symbol.st_size < GAP_LIMIT)
				largest = symbol.st_size;
		}
	}
	c->image->tables_address += compact_round_up(c, largest);
}

int compact_make_room(struct compaction *c, size_t max_loads)
{
	size_t n_others = c->view->n_phdrs - c->view->n_loads + 1; /* and the note */
	uint64_t fixed = sizeof(Elf64_Ehdr) + n_others * sizeof(Elf64_Phdr) + sizeof(struct note_segment);
	uint64_t limit;

	if (c->view->loads[0].p_offset != 0 || !c->image->segments[0].n_pages)
		return compact_refuse(c, "does not begin with a segment that holds its ELF header");
	limit = room_limit(c);
	c->room.max_loads = limit > fixed ? (limit - fixed) / sizeof(Elf64_Phdr) : 0;
	if (c->image->executable && c->room.max_loads + n_others > COST_MAX_EXECUTABLE_PHDRS)
		c->room.max_loads =
			n_others < COST_MAX_EXECUTABLE_PHDRS ? COST_MAX_EXECUTABLE_PHDRS - n_others : 0;
	if (c->room.max_loads < c->view->n_loads + 1)
		return compact_refuse(c, "has no room for more program headers");
	if (c->room.max_loads > max_loads)
		c->room.max_loads = max_loads;
	c->room.end = fixed + c->room.max_loads * sizeof(Elf64_Phdr);
	leave_gap(c);
	return move_notes(c);
}
