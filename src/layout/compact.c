/* SPDX-License-Identifier: MIT */
/* A compaction, step by step (layout/compact-parts.h). */
#include "layout/compact.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "format/note.h"
#include "layout/compact-parts.h"
#include "layout/cost.h"

void layout_compaction_free(struct layout_compaction *c)
{
	if (!c)
		return;
	for (size_t i = 0; c->pages && i < c->image->n_segments; i++)
		free(c->pages[i]);
	free(c->pages);
	elf_sections_release(&c->sections);
	free(c->moves);
	free(c->splittable);
	free(c->tables);
	free(c->dead);
	free(c->blocks);
	free(c->loads);
	free(c->result);
	string_table_release(&c->names);
	free(c);
}

int compact_refuse(struct layout_compaction *c, const char *problem)
{
	c->problem = problem;
	return -EOPNOTSUPP;
}

/* Bytes behind all that headers describe belong to somebody who would not find them any more. */
static bool has_unknown_data(const struct layout_compaction *c)
{
	const Elf64_Ehdr *header = &c->view->header;
	uint64_t end = header->e_shoff + c->sections.n * sizeof(Elf64_Shdr);

	if (header->e_phoff + c->view->n_phdrs * sizeof(Elf64_Phdr) > end)
		end = header->e_phoff + c->view->n_phdrs * sizeof(Elf64_Phdr);
	for (size_t i = 1; i < c->sections.n; i++) {
		const Elf64_Shdr *section = &c->sections.all[i];

		if (section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL &&
			section->sh_offset + section->sh_size > end)
			end = section->sh_offset + section->sh_size;
	}
	for (size_t i = 0; i < c->view->n_loads; i++)
		if (c->view->loads[i].p_offset + c->view->loads[i].p_filesz > end)
			end = c->view->loads[i].p_offset + c->view->loads[i].p_filesz;
	for (; end < c->view->size; end++)
		if (c->view->data[end] != 0)
			return true;
	return false;
}

/* Whether each program header describes a range of memory that stays together. */
static bool phdrs_are_in_memory(const struct layout_compaction *c)
{
	for (size_t i = 0; i < c->view->n_phdrs; i++) {
		const Elf64_Phdr *phdr = &c->view->phdrs[i];

		if (phdr->p_type == PT_NULL || phdr->p_type == PT_LOAD || phdr->p_filesz == 0)
			continue;
		if (!elf_view_load_at(c->view, phdr->p_vaddr, phdr->p_filesz))
			return false;
	}
	return true;
}

static int check(struct layout_compaction *c)
{
	if (has_unknown_data(c))
		return compact_refuse(c, "has data behind its sections that would be lost");
	if (!phdrs_are_in_memory(c))
		return compact_refuse(c, "has a program header for what is not in memory");
	return 0;
}

int layout_compaction_begin(struct layout_compaction **ret, struct layout_image *image,
	const struct layout_options *options, const char **ret_problem)
{
	_cleanup_(layout_compaction_freep) struct layout_compaction *c = calloc(1, sizeof(*c));
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

static int lay_out(struct layout_compaction *c)
{
	int r = compact_unite_strings(c);

	if (r == 0)
		r = compact_move_tables(c);
	if (r == 0)
		r = layout_dynamic_store(c->image);
	if (r == -EPERM)
		return compact_refuse(c, "has its dynamic section on its first page");
	if (r == 0)
		r = compact_find_tables(c);
	if (r == 0)
		r = compact_find_cuts(c);
	if (r == 0)
		r = compact_place(c);
	return r < 0 ? r : compact_split_sections(c);
}

static bool relocations_moved(const struct layout_compaction *c)
{
	uint64_t rela = 0, plt = 0;

	layout_dynamic_get(c->image, DT_RELA, &rela);
	layout_dynamic_get(c->image, DT_JMPREL, &plt);
	return rela >= c->image->tables_address || plt >= c->image->tables_address;
}

int layout_compaction_finish(
	struct layout_compaction *c, uint64_t profile, struct layout_compact *ret, const char **ret_problem)
{
	int r = lay_out(c);

	c->image->passes |= NOTE_PASS_COMPACT;
	if (relocations_moved(c))
		c->image->passes |= NOTE_PASS_RELOCS;
	if (r == 0)
		r = compact_write(c, profile, ret);
	if (r == -EOPNOTSUPP)
		*ret_problem = c->problem;
	return r;
}

void layout_compact_release(struct layout_compact *compact)
{
	free(compact->data);
	*compact = (struct layout_compact){0};
}
