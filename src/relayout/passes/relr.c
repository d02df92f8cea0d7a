/* SPDX-License-Identifier: MIT */
/*
 * Pass: packs R_*_RELATIVE of DT_RELA into DT_RELR. 24 bytes for each relocation become about a bit. Its addend moves
 * to the pointer's place, on a page that relocation touches anyway.
 *
 * For DT_RELR the loader adds to what it finds, and does so before all other relocations (glibc 2.36,
 * elf/dynamic-link.h), whereas DT_RELA stores. The result is the same if no earlier relocation has the same place. So
 * only the relocations at the beginning of the table are packed, up to the first that is not relative. Linkers sort
 * relative ones to the front (-z combreloc; DT_RELACOUNT counts them).
 *
 * Some of these stay: those at unaligned places, for which DT_RELR has no words; those whose place has no bytes in the
 * file to hold the addend (.bss), or lies on a page that cannot be changed; those in segments that are not writable
 * (DT_TEXTREL), whose pages should stay where they are; and those in what the loader reads before it relocates.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/relr.h"
#include "format/note.h"
#include "relayout/passes/pass.h"
#include "relayout/passes/refusal.h"
#include "relayout/passes/reloc-table.h"
#include "relayout/passes/savepoint.h"
#include "relayout/passes/version-need.h"

#define POINTER sizeof(uint64_t)

struct packing {
	struct relayout_image *image;
	struct reloc_table table; /* once chosen, the packed ones come first; others keep their order */
	size_t n_relative;        /* entries at the beginning of the table that are relative */
	size_t n_packed;          /* of these */
	const char *refusal;
};

static void packing_release(struct packing *packing)
{
	reloc_table_release(&packing->table);
}

static void count_relative(struct packing *packing)
{
	const struct reloc_table *table = &packing->table;
	uint32_t relative = elf_view_relative_type(packing->image->view);
	size_t n = 0;

	while (n < table->n_entries && ELF64_R_TYPE(table->entries[n].r_info) == relative)
		n++;
	packing->n_relative = n;
}

static int compare_places(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The places of the first n entries, ascending. The caller frees them; NULL without memory. Linkers usually sort them
 * already. */
static uint64_t *sorted_places(const struct packing *packing, size_t n)
{
	uint64_t *places = calloc(n, sizeof(*places));
	bool sorted = true;

	if (!places)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		places[i] = packing->table.entries[i].r_offset;
		sorted = sorted && (i == 0 || places[i - 1] < places[i]);
	}
	if (!sorted)
		qsort(places, n, sizeof(*places), compare_places);
	return places;
}

/* Refuses places that overlap: in DT_RELA the later one stores last, but packed ones have no such order. */
static int check_overlaps(struct packing *packing)
{
	_cleanup_free_ uint64_t *places = sorted_places(packing, packing->n_relative);

	if (!places)
		return -ENOMEM;
	for (size_t i = 1; i < packing->n_relative; i++)
		if (places[i] - places[i - 1] < POINTER)
			return pass_refuse(
				&packing->refusal, "the object has relative relocations that overlap");
	return 0;
}

static bool can_be_packed(const struct packing *packing, uint64_t place)
{
	const struct elf_view *view = packing->image->view;
	const Elf64_Phdr *load;
	uint64_t dynamic_end = view->dynamic_address + view->n_dynamic * sizeof(Elf64_Dyn);

	if (place % POINTER != 0)
		return false;
	load = elf_view_load_at(view, place, POINTER);
	if (!load || !(load->p_flags & PF_W) || relayout_page_at(packing->image, place)->pinned)
		return false;
	return !reloc_table_overlaps(&packing->table, place, POINTER) &&
		(place >= dynamic_end || place + POINTER <= view->dynamic_address);
}

/* Moves the relative ones that can be packed before those that stay. */
static int part_relative(struct packing *packing)
{
	Elf64_Rela *entries = packing->table.entries;
	_cleanup_free_ Elf64_Rela *stay = calloc(packing->n_relative, sizeof(*stay));
	size_t n_packed = 0, n_stay = 0;

	if (!stay)
		return -ENOMEM;
	for (size_t i = 0; i < packing->n_relative; i++)
		if (can_be_packed(packing, entries[i].r_offset))
			entries[n_packed++] = entries[i];
		else
			stay[n_stay++] = entries[i];
	memcpy(entries + n_packed, stay, n_stay * sizeof(*stay));
	packing->n_packed = n_packed;
	if (n_packed == 0)
		return pass_refuse(&packing->refusal,
			"the object's relative relocations lie where they cannot be packed");
	return 0;
}

/* A program that names another loader than the system's brings a libc of its own with it, which may be older (psABIs, "Program Interpreter"). */
static bool names_systems_loader(const struct elf_view *view)
{
	static const char x86_64[] = "/lib64/ld-linux-x86-64.so.2", aarch64[] = "/lib/ld-linux-aarch64.so.1";
	const Elf64_Phdr *interp = elf_view_phdr(view, PT_INTERP);
	bool is_aarch64 = view->header.e_machine == EM_AARCH64;
	const char *wanted = is_aarch64 ? aarch64 : x86_64;
	size_t size = is_aarch64 ? sizeof(aarch64) : sizeof(x86_64);

	return !interp ||
		(interp->p_filesz == size && memcmp(view->data + interp->p_offset, wanted, size) == 0);
}

static int check_object(struct packing *packing, const struct pass_options *options)
{
	struct relayout_image *image = packing->image;
	uint64_t value;

	if (!options->loader_knows_relr)
		return pass_refuse(&packing->refusal, "the loader does not know DT_RELR");
	if (!names_systems_loader(image->view))
		return pass_refuse(&packing->refusal, "the object names another loader than the system's");
	if (relayout_dynamic_get(image, DT_RELR, &value) || relayout_dynamic_get(image, DT_RELRSZ, &value) ||
		relayout_dynamic_get(image, DT_RELRENT, &value))
		return pass_refuse(&packing->refusal, "the object has DT_RELR already");
	return 0;
}

static int choose(struct packing *packing)
{
	uint64_t counted;
	int r;

	r = reloc_table_read(&packing->table, packing->image, &packing->refusal);
	if (r < 0)
		return r;
	count_relative(packing);
	if (packing->n_relative == 0)
		return pass_refuse(&packing->refusal, "the object has no relative relocations");
	if (relayout_dynamic_get(packing->image, DT_RELACOUNT, &counted) && counted > packing->n_relative)
		return pass_refuse(&packing->refusal,
			"the object's DT_RELACOUNT counts relocations that are not relative");
	r = check_overlaps(packing);
	return r < 0 ? r : part_relative(packing);
}

static int add_relr(const struct packing *packing, uint64_t *ret_address, uint64_t *ret_size)
{
	_cleanup_free_ uint64_t *places = sorted_places(packing, packing->n_packed);
	_cleanup_free_ uint64_t *words = NULL;
	size_t n_words;
	int r;

	if (!places)
		return -ENOMEM;
	r = relr_encode(places, packing->n_packed, &words, &n_words);
	if (r < 0)
		return r;
	r = relayout_image_add_table(packing->image, words, n_words * sizeof(*words), POINTER, ret_address);
	if (r < 0)
		return r;
	*ret_size = n_words * sizeof(*words);
	return 0;
}

static bool some_stay(const struct packing *packing)
{
	return packing->n_packed < packing->n_relative;
}

static int write_addends(const struct packing *packing, struct savepoint *save)
{
	for (size_t i = 0; i < packing->n_packed; i++) {
		const Elf64_Rela *entry = &packing->table.entries[i];
		int r = savepoint_page(save, entry->r_offset);

		if (r == 0)
			r = relayout_image_write(packing->image, entry->r_offset, &entry->r_addend, POINTER);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Makes DT_RELA begin after what was packed, or drops it if nothing is left. */
static int shorten_rela(struct packing *packing)
{
	struct reloc_table *table = &packing->table;
	struct relayout_image *image = packing->image;
	uint64_t gone = packing->n_packed * sizeof(Elf64_Rela), size;
	int r;

	/* It only saves the loader a look at types. */
	relayout_dynamic_drop(image, DT_RELACOUNT);
	if (packing->n_packed == table->n_entries) {
		relayout_dynamic_drop(image, DT_RELA);
		relayout_dynamic_drop(image, DT_RELASZ);
		relayout_dynamic_drop(image, DT_RELAENT);
		return 0;
	}
	if (some_stay(packing))
		return reloc_table_move(table, packing->n_packed, image);
	relayout_dynamic_get(image, DT_RELASZ, &size);
	r = relayout_dynamic_set(image, DT_RELA, table->address + gone);
	if (r == 0)
		r = relayout_dynamic_set(image, DT_RELASZ, size - gone);
	return r;
}

static int pack(struct packing *packing, struct savepoint *save, uint64_t *ret_relr_size)
{
	struct relayout_image *image = packing->image;
	uint64_t address, size;
	int r;

	r = shorten_rela(packing);
	if (r == 0)
		r = version_need_relr(image, &packing->refusal);
	if (r == 0)
		r = add_relr(packing, &address, &size);
	if (r == 0)
		r = write_addends(packing, save);
	if (r == 0)
		r = relayout_dynamic_set(image, DT_RELR, address);
	if (r == 0)
		r = relayout_dynamic_set(image, DT_RELRSZ, size);
	if (r == 0)
		r = relayout_dynamic_set(image, DT_RELRENT, POINTER);
	if (r == 0)
		*ret_relr_size = size;
	return r;
}

/* Makes the part of the old table cold that nothing reads any more. */
static void cool(const struct packing *packing)
{
	const struct reloc_table *table = &packing->table;
	size_t n = some_stay(packing) ? table->n_entries + table->n_plt : packing->n_packed;

	relayout_image_cool(packing->image, table->address, n * sizeof(Elf64_Rela));
}

/* Everything but -ENOMEM is a refusal; most have set their reason. */
static int refusal_of(int r, const char *reason, struct pass_outcome *ret)
{
	if (r == -ENOMEM)
		return r;
	if (r == -ENOSPC)
		reason = "the object's dynamic section has no room for DT_RELR";
	else if (r != -EOPNOTSUPP)
		reason = "the object has too many relocations";
	*ret = (struct pass_outcome){.refusal = reason};
	return 0;
}

int pass_relr(struct relayout_image *image, const struct pass_options *options, struct pass_outcome *ret)
{
	_cleanup_(packing_release) struct packing packing = {.image = image};
	_cleanup_(savepoint_release) struct savepoint save = {0};
	uint64_t before, relr_size = 0;
	int r;

	r = check_object(&packing, options);
	if (r == 0)
		r = choose(&packing);
	if (r == 0)
		r = savepoint_init(&save, image);
	if (r == 0)
		r = pack(&packing, &save, &relr_size);
	if (r < 0)
		return refusal_of(r, packing.refusal, ret);
	savepoint_keep(&save);
	cool(&packing);
	image->passes |= NOTE_PASS_RELR;
	if (some_stay(&packing))
		image->passes |= NOTE_PASS_RELOCS;
	before = packing.table.n_entries * sizeof(Elf64_Rela);
	*ret = (struct pass_outcome){
		.done = true,
		.before = before,
		.after = before - packing.n_packed * sizeof(Elf64_Rela) + relr_size,
	};
	return 0;
}
