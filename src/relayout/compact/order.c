/* SPDX-License-Identifier: MIT */
/*
 * Which blocks of pages are hot, and where each lies. A block that was touched is hot unless reading what is
 * untouched of it costs more than reading what is touched from elsewhere. Stretches of hot and of cold blocks
 * are turned over, the cheapest first, until their PT_LOADs fit (passes/turns.h).
 */
#include "relayout/compact/order.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "format/note.h"
#include "relaid/cost.h"
#include "relayout/passes/turns.h"

static bool is_hot(const struct relayout_page *page)
{
	return page->order != RELAYOUT_COLD || page->bytes;
}

static struct compact_block *add_block(struct compact_places *places, size_t segment, size_t page)
{
	if (ARRAY_RESERVE(places->blocks, places->blocks_capacity, places->n_blocks + 1) < 0)
		return NULL;
	places->blocks[places->n_blocks] = (struct compact_block){
		.segment = segment,
		.first = page,
		.order = RELAYOUT_COLD,
		.head = segment == 0 && page == 0,
	};
	return &places->blocks[places->n_blocks++];
}

static int make_blocks_of(const struct compaction *c, const struct compact_cuts *cuts,
	struct compact_places *places, size_t segment)
{
	const struct relayout_segment *in = &c->image->segments[segment];
	struct compact_block *block = NULL;

	for (size_t i = 0; i < in->n_pages; i++) {
		const struct relayout_page *page = &in->pages[i];

		if (cuts->pages[segment][i].dead) {
			block = NULL;
			continue;
		}
		if (!block || !cuts->pages[segment][i].joined)
			block = add_block(places, segment, i);
		if (!block)
			return -ENOMEM;
		if (is_hot(page)) {
			block->n_touched++;
			block->n_reads += i == block->first || !is_hot(page - 1);
			if (page->order < block->order)
				block->order = page->order;
		}
		block->n++;
	}
	return 0;
}

static int make_blocks(
	const struct compaction *c, const struct compact_cuts *cuts, struct compact_places *places)
{
	for (size_t i = 0; i < c->image->n_segments; i++) {
		int r = make_blocks_of(c, cuts, places, i);

		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < places->n_blocks; i++) {
		struct compact_block *block = &places->blocks[i];

		block->hot = block->head ||
			(block->n_touched > 0 &&
				(block->n - block->n_touched) * COST_PAGE_NS <=
					block->n_reads * COST_READ_NS);
	}
	return 0;
}

/* Whether the block follows the one before it in memory, and both could lie in one PT_LOAD. */
static bool is_adjacent(const struct compact_places *places, size_t block)
{
	const struct compact_block *b = &places->blocks[block];

	return block > 0 && b->segment == b[-1].segment && b->first == b[-1].first + b[-1].n && !b[-1].head;
}

/* Cold, a hot run takes reads of its own; hot, a cold one is read for nothing. */
static uint64_t turn_cost(const struct turns *turns, const struct turns_interval *run, size_t saves)
{
	(void)saves;
	return run->hot ? run->reads * turns->read_ns : run->pages * COST_PAGE_NS;
}

/* Cold gaps too small to be worth a PT_LOAD are filled, and those that are too many. */
static int choose_runs(struct compaction *c, struct compact_places *places, struct turns *runs)
{
	int r = 0;

	for (size_t i = 0; i < places->n_blocks && r == 0; i++) {
		const struct compact_block *block = &places->blocks[i];

		r = turns_add(runs,
			(struct turns_interval){
				.segment = block->segment,
				.first = i,
				.n = 1,
				.pages = block->n,
				.reads = block->n_reads,
				.order = block->order,
				.hot = block->hot,
			},
			is_adjacent(places, i));
	}
	if (r == 0)
		r = turns_choose(runs, c->room.max_loads);
	if (r == 0 && runs->n_loads + turns_other_loads(c->image) > c->room.max_loads)
		return compact_refuse(c, "has no room for as many program headers as it would need");
	for (size_t run = 0; run < runs->n; run++)
		for (size_t i = 0; i < runs->all[run].n; i++)
			places->blocks[runs->all[run].first + i].hot = runs->all[run].hot;
	return r;
}

static void place_run(const struct compaction *c, struct compact_places *places,
	const struct turns_interval *run, uint64_t *at)
{
	for (size_t i = run->first; i < run->first + run->n; i++) {
		const struct compact_block *block = &places->blocks[i];

		for (size_t page = block->first; page < block->first + block->n; page++) {
			places->offsets[block->segment][page] = *at;
			*at += c->image->granule;
		}
	}
}

static int compare_runs(const void *a, const void *b)
{
	const struct turns_interval *x = *(struct turns_interval *const *)a,
				    *y = *(struct turns_interval *const *)b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

/* Head, tables, hot runs by first touch, cold runs by address. */
static int place_runs(const struct compaction *c, struct compact_places *places, const struct turns *runs)
{
	_cleanup_free_ struct turns_interval **hot = calloc(runs->n, sizeof(*hot));
	uint64_t at = 0;

	if (!hot)
		return -ENOMEM;
	for (size_t i = 0; i < runs->n; i++) {
		if (places->blocks[runs->all[i].first].head)
			place_run(c, places, &runs->all[i], &at);
		else if (places->blocks[runs->all[i].first].hot)
			hot[places->n_hot_runs++] = &runs->all[i];
	}
	places->tables_offset = at;
	at += compact_round_up(c, c->image->tables_size);
	qsort(hot, places->n_hot_runs, sizeof(*hot), compare_runs);
	for (size_t i = 0; i < places->n_hot_runs; i++)
		place_run(c, places, hot[i], &at);
	places->hot_end = at;
	for (size_t i = 0; i < runs->n; i++)
		if (!places->blocks[runs->all[i].first].hot)
			place_run(c, places, &runs->all[i], &at);
	places->end = at;
	return 0;
}

static Elf64_Phdr *add_load(struct compact_places *places, Elf64_Phdr load)
{
	if (ARRAY_RESERVE(places->loads, places->loads_capacity, places->n_loads + 1) < 0)
		return NULL;
	load.p_paddr = load.p_offset;
	places->loads[places->n_loads] = load;
	return &places->loads[places->n_loads++];
}

/* The last hot run and the first cold one may be neighbours both in memory and in the file. */
static bool extend_load(Elf64_Phdr *last, const Elf64_Phdr *next)
{
	if (last->p_vaddr + last->p_memsz != next->p_vaddr ||
		last->p_offset + last->p_filesz != next->p_offset)
		return false;
	last->p_filesz += next->p_filesz;
	last->p_memsz += next->p_memsz;
	return true;
}

/* The PT_LOAD of a run. The first keeps the largest alignment, which the loader takes for the whole. */
static int add_run_load(
	const struct compaction *c, struct compact_places *places, const struct turns_interval *run)
{
	const struct compact_block *block = &places->blocks[run->first];
	const struct relayout_segment *segment = &c->image->segments[block->segment];
	uint64_t granule = c->image->granule, begin = segment->address + block->first * granule;
	uint64_t skip = block->first == 0 ? segment->load.p_vaddr - segment->address : 0;
	uint64_t end = begin + run->pages * granule, content = segment->load.p_vaddr + segment->load.p_filesz;
	Elf64_Phdr load = segment->load;

	load.p_vaddr = begin + skip;
	load.p_offset = places->offsets[block->segment][block->first] + skip;
	load.p_filesz = (end < content ? end : content) - load.p_vaddr;
	load.p_memsz =
		end < content ? load.p_filesz : segment->load.p_vaddr + segment->load.p_memsz - load.p_vaddr;
	load.p_align = granule;
	for (size_t i = 0; block->head && i < c->view->n_loads; i++)
		if (c->view->loads[i].p_align > load.p_align && load.p_vaddr % c->view->loads[i].p_align == 0)
			load.p_align = c->view->loads[i].p_align;
	if (run->first > 0 && block[-1].segment == block->segment &&
		extend_load(&places->loads[places->n_loads - 1], &load))
		return 0;
	return add_load(places, load) ? 0 : -ENOMEM;
}

/* One without content: it lies nowhere in the file, for BFD behind all else. */
static int add_empty_load(
	const struct compaction *c, struct compact_places *places, const struct relayout_segment *segment)
{
	Elf64_Phdr load = segment->load, *added;

	load.p_align = c->image->granule;
	load.p_offset = load.p_vaddr & (c->image->granule - 1);
	added = add_load(places, load);
	if (!added)
		return -ENOMEM;
	added->p_paddr = places->end + load.p_offset;
	return 0;
}

static int make_loads(const struct compaction *c, struct compact_places *places, const struct turns *runs)
{
	const struct relayout_image *image = c->image;
	size_t run = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < image->n_segments; i++) {
		if (image->segments[i].n_pages == 0)
			r = add_empty_load(c, places, &image->segments[i]);
		for (; r == 0 && run < runs->n && places->blocks[runs->all[run].first].segment == i; run++)
			r = add_run_load(c, places, &runs->all[run]);
	}
	if (r < 0 || image->tables_size == 0)
		return r;
	return add_load(places,
		       (Elf64_Phdr){
			       .p_type = PT_LOAD,
			       .p_flags = PF_R,
			       .p_offset = places->tables_offset,
			       .p_vaddr = image->tables_address,
			       .p_filesz = image->tables_size,
			       .p_memsz = image->tables_size,
			       .p_align = image->granule,
		       })
		? 0
		: -ENOMEM;
}

static int allocate_offsets(const struct compaction *c, struct compact_places *places)
{
	size_t n = c->image->n_segments;

	places->offsets = calloc(n, sizeof(*places->offsets));
	if (!places->offsets)
		return -ENOMEM;
	places->n_segments = n;
	for (size_t i = 0; i < n; i++) {
		places->offsets[i] = calloc(c->image->segments[i].n_pages + 1, sizeof(**places->offsets));
		if (!places->offsets[i])
			return -ENOMEM;
	}
	return 0;
}

int compact_place(struct compaction *c, const struct compact_cuts *cuts, struct compact_places *ret)
{
	_cleanup_(turns_release) struct turns runs = {
		.image = c->image, .cost = turn_cost, .read_ns = COST_READ_NS};
	_cleanup_(compact_places_releasep) struct compact_places places = {0};
	int r = make_blocks(c, cuts, &places);

	if (r == 0)
		r = choose_runs(c, &places, &runs);
	if (r == 0)
		r = allocate_offsets(c, &places);
	if (r == 0)
		r = place_runs(c, &places, &runs);
	if (r == 0)
		r = make_loads(c, &places, &runs);
	if (r < 0)
		return r;
	if (compact_note_offset(c, &places) + sizeof(struct note_segment) > c->room.end)
		return compact_refuse(c, "has no room for as many program headers as it would need");
	*ret = places;
	places = (struct compact_places){0};
	return 0;
}

void compact_places_release(struct compact_places *places)
{
	for (size_t i = 0; i < places->n_segments; i++)
		free(places->offsets[i]);
	free(places->offsets);
	free(places->blocks);
	free(places->loads);
	*places = (struct compact_places){0};
}

uint64_t compact_offset(const struct compact_places *places, uint64_t address)
{
	const Elf64_Phdr *last = NULL;

	for (size_t i = 0; i < places->n_loads; i++) {
		const Elf64_Phdr *load = &places->loads[i];

		if (address < load->p_vaddr || address - load->p_vaddr > load->p_memsz)
			continue;
		last = load;
		if (address - load->p_vaddr < load->p_filesz)
			break;
	}
	return last ? last->p_offset + (address - last->p_vaddr) : COMPACT_NOWHERE;
}

uint64_t compact_note_offset(const struct compaction *c, const struct compact_places *places)
{
	size_t n_phdrs = c->view->n_phdrs - c->view->n_loads + places->n_loads + 1;

	return sizeof(Elf64_Ehdr) + n_phdrs * sizeof(Elf64_Phdr);
}
