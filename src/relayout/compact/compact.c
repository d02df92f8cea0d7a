/* SPDX-License-Identifier: MIT */
/* A compaction, step by step (compaction.h). */
#include "relayout/compact/compact.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "format/note.h"
#include "relaid/cost.h"
#include "relayout/compact/cuts.h"
#include "relayout/compact/order.h"
#include "relayout/compact/room.h"
#include "relayout/compact/sections.h"
#include "relayout/compact/tables.h"
#include "relayout/compact/write.h"

void compaction_free(struct compaction *c)
{
	if (!c)
		return;
	elf_sections_release(&c->sections);
	free(c->room.moves);
	free(c);
}

/* Whether each program header describes a range of memory that stays together. */
static bool phdrs_are_in_memory(const struct compaction *c)
{
	for (size_t i = 0; i < c->view->n_phdrs; i++) {
		const Elf64_Phdr *phdr = &c->view->phdrs[i];

		if (phdr->p_type == PT_NULL || phdr->p_type == PT_LOAD || phdr->p_filesz == 0)
			continue;
		if (!elf_view_load_at(c->view, phdr->p_vaddr, phdr->p_filesz) ||
			(phdr->p_memsz != phdr->p_filesz && compact_is_note(phdr)))
			return false;
	}
	return true;
}

static int check(struct compaction *c)
{
	if (!phdrs_are_in_memory(c))
		return compact_refuse(c, "has a program header for what is not in memory");
	if (!compact_knows_tables(c))
		return compact_refuse(c, "has tables of dynamic linking that its sections do not describe");
	if (!compact_strings_end(c))
		return compact_refuse(c, "has a string table that ends within a string");
	return 0;
}

int compaction_begin(struct compaction **ret, struct relayout_image *image,
	const struct pass_options *options, const char **ret_problem)
{
	_cleanup_(compaction_freep) struct compaction *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return -ENOMEM;
	c->image = image;
	c->view = image->view;
	r = elf_sections_init(&c->sections, image->view, &c->problem);
	if (r == 0)
		r = check(c);
	if (r == 0)
		r = compact_make_room(c, options->max_segments ? options->max_segments : COST_MAX_SEGMENTS);
	if (r == -EOPNOTSUPP)
		*ret_problem = c->problem;
	if (r == 0)
		*ret = TAKE_PTR(c);
	return r;
}

/* What passes left in two places becomes one, what lies in the way of the program headers moves. */
static int settle_tables(struct compaction *c)
{
	int r = compact_unite_strings(c);

	if (r == 0)
		r = compact_move_tables(c);
	if (r == 0)
		r = relayout_dynamic_store(c->image);
	return r == -EPERM ? compact_refuse(c, "has its dynamic section on its first page") : r;
}

static bool relocations_moved(const struct compaction *c)
{
	uint64_t rela = 0, plt = 0;

	relayout_dynamic_get(c->image, DT_RELA, &rela);
	relayout_dynamic_get(c->image, DT_JMPREL, &plt);
	return rela >= c->image->tables_address || plt >= c->image->tables_address;
}

static int lay_out(struct compaction *c, uint64_t profile, struct compacted *ret)
{
	_cleanup_(compact_tables_releasep) struct compact_tables tables = {0};
	_cleanup_(compact_cuts_releasep) struct compact_cuts cuts = {0};
	_cleanup_(compact_places_releasep) struct compact_places places = {0};
	_cleanup_(compact_sections_releasep) struct compact_sections sections = {0};
	int r = settle_tables(c);

	c->image->passes |= NOTE_PASS_COMPACT | (relocations_moved(c) ? NOTE_PASS_RELOCS : 0);
	if (r == 0)
		r = compact_find_tables(c, &tables);
	if (r == 0)
		r = compact_find_cuts(c, &tables, &cuts);
	if (r == 0)
		r = compact_place(c, &cuts, &places);
	if (r == 0)
		r = compact_split_sections(c, &tables, &places, &sections);
	if (r == 0)
		r = compact_write(c, &tables, &cuts, &places, &sections, profile, ret);
	return r;
}

int compaction_finish(struct compaction *c, uint64_t profile, struct compacted *ret, const char **ret_problem)
{
	int r = lay_out(c, profile, ret);

	if (r == -EOPNOTSUPP)
		*ret_problem = c->problem;
	return r;
}
