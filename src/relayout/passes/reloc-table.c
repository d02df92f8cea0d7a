/* SPDX-License-Identifier: MIT */
/* Checks, reads and moves DT_RELA, and DT_JMPREL where the two are one table. */
#include "relayout/passes/reloc-table.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "relayout/passes/refusal.h"

#ifndef DT_ANDROID_REL
#define DT_ANDROID_REL  0x6000000f
#define DT_ANDROID_RELA 0x60000011
#endif

/* A range of relocations as two dynamic entries have it. */
struct span {
	uint64_t start, size; /* bytes */
};

/* Whether a tag has two entries: the loader uses the last one, other tools the first. */
static bool has_twice(const struct relayout_image *image)
{
	static const int64_t tags[] = {DT_RELA, DT_RELASZ, DT_RELAENT, DT_RELACOUNT, DT_JMPREL, DT_PLTRELSZ,
		DT_PLTREL, DT_STRTAB, DT_STRSZ, DT_VERSYM, DT_VERNEED, DT_VERNEEDNUM, DT_VERDEF,
		DT_VERDEFNUM};

	for (size_t t = 0; t < sizeof(tags) / sizeof(*tags); t++) {
		unsigned seen = 0;

		for (size_t i = 0; i < image->n_dynamic && image->dynamic[i].d_tag != DT_NULL; i++)
			if (image->dynamic[i].d_tag == tags[t] && ++seen == 2)
				return true;
	}
	return false;
}

static bool has_any(const struct relayout_image *image, int64_t a, int64_t b)
{
	uint64_t value;

	return relayout_dynamic_get(image, a, &value) || relayout_dynamic_get(image, b, &value);
}

static int check_kinds(const struct relayout_image *image, const char **ret_refusal)
{
	uint64_t size;

	if (has_any(image, DT_REL, DT_RELSZ))
		return pass_refuse(ret_refusal, "the object has relocations of the kind DT_REL");
	if (has_any(image, DT_ANDROID_REL, DT_ANDROID_RELA))
		return pass_refuse(ret_refusal, "the object has relocations in Android's packed format");
	if (!has_any(image, DT_RELA, DT_RELA))
		return pass_refuse(ret_refusal, "the object has no DT_RELA");
	if (has_twice(image))
		return pass_refuse(ret_refusal, "the object has an entry of its dynamic section twice");
	if (!relayout_dynamic_get(image, DT_RELAENT, &size) || size != sizeof(Elf64_Rela))
		return pass_refuse(ret_refusal, "the object's DT_RELAENT is not what its machine has");
	return 0;
}

static bool get_span(const struct relayout_image *image, int64_t tag, int64_t size_tag, struct span *ret)
{
	return relayout_dynamic_get(image, tag, &ret->start) &&
		relayout_dynamic_get(image, size_tag, &ret->size) && ret->size % sizeof(Elf64_Rela) == 0 &&
		ret->start <= UINT64_MAX - ret->size;
}

static bool spans_overlap(struct span a, struct span b)
{
	return a.start < b.start + b.size && b.start < a.start + a.size;
}

/* Sets n_entries, n_plt and counts_plt. */
static int measure(const struct relayout_image *image, struct reloc_table *table, const char **ret_refusal)
{
	struct span rela, plt;
	uint64_t kind;

	if (!get_span(image, DT_RELA, DT_RELASZ, &rela))
		return pass_refuse(ret_refusal, "the object's DT_RELA makes no sense");
	table->address = rela.start;
	table->n_entries = rela.size / sizeof(Elf64_Rela);
	if (!relayout_dynamic_get(image, DT_JMPREL, &plt.start))
		return 0;
	if (!get_span(image, DT_JMPREL, DT_PLTRELSZ, &plt) ||
		!relayout_dynamic_get(image, DT_PLTREL, &kind) || kind != DT_RELA ||
		!elf_view_load_at(image->view, plt.start, plt.size))
		return pass_refuse(ret_refusal, "the object's DT_JMPREL makes no sense");
	if (plt.size > 0 && plt.start >= rela.start && plt.start + plt.size == rela.start + rela.size) {
		table->counts_plt = true;
		table->n_plt = plt.size / sizeof(Elf64_Rela);
		table->n_entries -= table->n_plt;
	} else if (plt.start == rela.start + rela.size) {
		table->n_plt = plt.size / sizeof(Elf64_Rela);
	} else if (spans_overlap(rela, plt)) {
		return pass_refuse(ret_refusal, "the object has relocation tables that overlap");
	}
	return 0;
}

static uint64_t bytes_of(const struct reloc_table *table)
{
	return (table->n_entries + table->n_plt) * sizeof(Elf64_Rela);
}

int reloc_table_read(struct reloc_table *ret, const struct relayout_image *image, const char **ret_refusal)
{
	_cleanup_(reloc_table_releasep) struct reloc_table table = {0};
	int r;

	r = check_kinds(image, ret_refusal);
	if (r < 0)
		return r;
	r = measure(image, &table, ret_refusal);
	if (r < 0)
		return r;
	if (!elf_view_load_at(image->view, table.address, bytes_of(&table)))
		return pass_refuse(ret_refusal, "the object's relocation tables do not lie in the file");
	table.entries = malloc(bytes_of(&table) + 1);
	if (!table.entries)
		return -ENOMEM;
	r = relayout_image_read(image, table.address, table.entries, bytes_of(&table));
	if (r < 0)
		return pass_refuse(ret_refusal, "the object's relocation tables do not lie in the file");
	*ret = table;
	table.entries = NULL;
	return 0;
}

void reloc_table_release(struct reloc_table *table)
{
	free(table->entries);
}

bool reloc_table_overlaps(const struct reloc_table *table, uint64_t address, uint64_t size)
{
	return address < table->address + bytes_of(table) && table->address < address + size;
}

int reloc_table_move(struct reloc_table *table, size_t from, struct relayout_image *image)
{
	size_t own = (table->n_entries - from) * sizeof(Elf64_Rela), plt = table->n_plt * sizeof(Elf64_Rela);
	uint64_t address;
	int r;

	r = relayout_image_add_table(image, table->entries + from, own + plt, _Alignof(Elf64_Rela), &address);
	if (r < 0)
		return r;
	r = relayout_dynamic_set(image, DT_RELA, address);
	if (r == 0)
		r = relayout_dynamic_set(image, DT_RELASZ, table->counts_plt ? own + plt : own);
	if (r == 0 && plt > 0)
		r = relayout_dynamic_set(image, DT_JMPREL, address + own);
	return r;
}
