/* SPDX-License-Identifier: MIT */
/*
 * verify: relocations. The loader processes DT_RELR, then DT_RELA in its order, then DT_JMPREL (glibc,
 * elf/dynamic-link.h). The result must be the same: every relative relocation of the original is in one of the first
 * two tables with the same addend, and all others are in DT_RELA in the same order.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "elf/relr.h"
#include "verify/parts.h"

#define WORD          8u  /* bytes that a relocation writes */
#define TLSDESC_WIDTH 16u /* a TLS descriptor has two words */

/* The order of the original's DT_RELR, which comes before all of DT_RELA. */
#define ORDER_RELR 0

/* A relative relocation. */
struct relative {
	uint64_t address;
	uint64_t addend;
	uint64_t order; /* when it is processed: ORDER_RELR, or 1 + its index in DT_RELA */
	bool packed;    /* in DT_RELR */
};

struct relocations {
	Elf64_Rela *rela; /* owned */
	size_t n_rela;
	uint64_t count;             /* DT_RELACOUNT */
	struct relative *relatives; /* owned, ascending by address, then order */
	size_t n_relatives, capacity;
};

static void relocations_releasep(struct relocations *relocations)
{
	free(relocations->rela);
	free(relocations->relatives);
}

static bool is_relative(const struct verify *verify, const Elf64_Rela *rela)
{
	return ELF64_R_TYPE(rela->r_info) == elf_view_relative_type(verify->old);
}

/* The relocation tables of a dynamic section. One without an address has no size: the loader does not look for it. */
struct tables {
	uint64_t rela, rela_size, rela_entry, rela_count;
	uint64_t relr, relr_size, relr_entry;
	uint64_t plt, plt_size;
};

static struct tables find_tables(const struct elf_view *view)
{
	struct tables tables = {.rela_entry = sizeof(Elf64_Rela), .relr_entry = sizeof(uint64_t)};

	if (verify_dynamic_find(view, DT_RELA, &tables.rela) > 0)
		verify_dynamic_find(view, DT_RELASZ, &tables.rela_size);
	verify_dynamic_find(view, DT_RELAENT, &tables.rela_entry);
	verify_dynamic_find(view, DT_RELACOUNT, &tables.rela_count);
	if (verify_dynamic_find(view, DT_RELR, &tables.relr) > 0)
		verify_dynamic_find(view, DT_RELRSZ, &tables.relr_size);
	verify_dynamic_find(view, DT_RELRENT, &tables.relr_entry);
	if (verify_dynamic_find(view, DT_JMPREL, &tables.plt) > 0)
		verify_dynamic_find(view, DT_PLTRELSZ, &tables.plt_size);
	/* The loader counts the PLT's relocations only once if they are the end of the others. */
	if (tables.plt_size <= tables.rela_size && tables.plt_size > 0 &&
		tables.rela + tables.rela_size == tables.plt + tables.plt_size)
		tables.rela_size -= tables.plt_size;
	return tables;
}

static uint64_t table_bytes(const struct elf_view *view)
{
	struct tables tables = find_tables(view);

	return tables.rela_size + tables.relr_size;
}

static int add_relative(struct relocations *relocations, struct relative relative)
{
	int r = ARRAY_RESERVE(relocations->relatives, relocations->capacity, relocations->n_relatives + 1);

	if (r == 0)
		relocations->relatives[relocations->n_relatives++] = relative;
	return r;
}

/* Reads DT_RELR, whose addends lie in the pages. Places ascend by whole words, so there are no more than the file has
 * words. */
static int read_relr(struct verify *verify, const struct elf_view *view, const struct tables *tables,
	struct relocations *ret)
{
	_cleanup_free_ void *words = NULL;
	struct relr_reader reader = {.size = tables->relr_size};
	uint64_t place, least = 0;
	int r;

	if (tables->relr_size == 0)
		return 0;
	r = verify_read_alloc(view, tables->relr, tables->relr_size, &words);
	if (r == -ENODATA)
		return verify_wrong(verify, "has a DT_RELR that lies outside of the file");
	if (r < 0)
		return r;
	reader.table = words;
	while ((r = relr_next(&reader, &place)) > 0) {
		struct relative relative = {.address = place, .order = ORDER_RELR, .packed = true};

		if (place < least || place > UINT64_MAX - sizeof(relative.addend))
			return verify_wrong(
				verify, "has a DT_RELR that relocates %#" PRIx64 " out of order", place);
		least = place + sizeof(relative.addend);
		if (!elf_view_read(view, place, &relative.addend, sizeof(relative.addend)))
			return verify_wrong(verify,
				"has a DT_RELR that relocates %#" PRIx64 ", outside of the file", place);
		r = add_relative(ret, relative);
		if (r < 0)
			return r;
	}
	return r == -EINVAL ? verify_wrong(verify, "has a DT_RELR that makes no sense") : r;
}

static int read_rela(struct verify *verify, const struct elf_view *view, const struct tables *tables,
	struct relocations *ret)
{
	void *rela = NULL;
	int r;

	if (tables->rela_size % sizeof(Elf64_Rela) != 0)
		return verify_wrong(verify, "has a DT_RELASZ that is not a whole number of relocations");
	if (tables->rela_size == 0)
		return 0;
	r = verify_read_alloc(view, tables->rela, tables->rela_size, &rela);
	if (r == -ENODATA)
		return verify_wrong(verify, "has a DT_RELA that lies outside of the file");
	if (r < 0)
		return r;
	ret->rela = rela;
	ret->n_rela = tables->rela_size / sizeof(Elf64_Rela);
	for (size_t i = 0; i < ret->n_rela; i++) {
		const Elf64_Rela *one = &ret->rela[i];

		if (!is_relative(verify, one))
			continue;
		r = add_relative(ret,
			(struct relative){.address = one->r_offset, .addend = one->r_addend, .order = i + 1});
		if (r < 0)
			return r;
	}
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct relative *left = a, *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	return (left->order > right->order) - (left->order < right->order);
}

static int read_relocations(struct verify *verify, const struct elf_view *view, struct relocations *ret)
{
	struct tables tables = find_tables(view);
	bool packs = (verify->note->passes & NOTE_PASS_RELR) != 0;
	int r;

	if ((tables.rela_size > 0 && tables.rela_entry != sizeof(Elf64_Rela)) ||
		(packs && tables.relr_size > 0 && tables.relr_entry != sizeof(uint64_t)))
		return verify_wrong(verify, "has relocations of an impossible size");
	ret->count = tables.rela_count;
	/* Without the pass, comparing its entries and its pages is enough. */
	r = packs ? read_relr(verify, view, &tables, ret) : 0;
	if (r == 0)
		r = read_rela(verify, view, &tables, ret);
	if (r < 0)
		return r;
	if (ret->n_relatives > 0)
		qsort(ret->relatives, ret->n_relatives, sizeof(*ret->relatives), by_address);
	return 0;
}

/*
 * DT_RELACOUNT says how many entries at the start the loader assumes to be relative. Where the original is wrong about
 * that, the relaid file may be wrong in the same way.
 */
static int check_count(struct verify *verify, const struct relocations *old, const struct relocations *new)
{
	if (verify->n_packed == 0 && new->count == old->count)
		return 0;
	if (new->count > new->n_rela)
		return verify_wrong(verify, "has a DT_RELACOUNT that is more than its relocations");
	for (size_t i = 0; i < new->count; i++)
		if (!is_relative(verify, &new->rela[i]))
			return verify_wrong(verify,
				"has a DT_RELACOUNT that counts relocation %zu, which is not relative", i);
	return 0;
}

/* Checks that DT_RELA is the original's, in its order, without relative ones that are packed now. */
static int compare_order(struct verify *verify, const struct relocations *old, const struct relocations *new)
{
	size_t at = 0;

	for (size_t i = 0; i < old->n_rela; i++) {
		if (at < new->n_rela && memcmp(&old->rela[i], &new->rela[at], sizeof(new->rela[at])) == 0)
			at++;
		else if (!is_relative(verify, &old->rela[i]))
			return verify_wrong(verify,
				"has lost or changed the relocation of %#" PRIx64
				", or moved it before another",
				old->rela[i].r_offset);
	}
	if (at < new->n_rela)
		return verify_wrong(verify,
			"relocates %#" PRIx64 " as the original does not, or not in its order",
			new->rela[at].r_offset);
	return 0;
}

/* Checks that both tables together have the same relative relocations. Records those that are newly packed. */
static int compare_relatives(
	struct verify *verify, const struct relocations *old, const struct relocations *new)
{
	verify->packed = calloc(new->n_relatives + 1, sizeof(*verify->packed));
	if (!verify->packed)
		return -ENOMEM;
	for (size_t i = 0; i < old->n_relatives && i < new->n_relatives; i++) {
		const struct relative *before = &old->relatives[i], *after = &new->relatives[i];

		if (before->address != after->address)
			return verify_wrong(verify, "%s the relative relocation of %#" PRIx64,
				before->address < after->address ? "has lost" : "has added",
				before->address < after->address ? before->address : after->address);
		if (before->addend != after->addend)
			return verify_wrong(verify,
				"relocates %#" PRIx64 " with the addend %#" PRIx64 " instead of %#" PRIx64,
				after->address, after->addend, before->addend);
		if (before->packed && !after->packed)
			return verify_wrong(
				verify, "no longer packs the relocation of %#" PRIx64, after->address);
		if (after->packed && !before->packed)
			verify->packed[verify->n_packed++] =
				(struct verify_slot){after->address, before->addend, before->order};
	}
	if (old->n_relatives != new->n_relatives)
		return verify_wrong(verify, "has %zu relative relocations instead of %zu", new->n_relatives,
			old->n_relatives);
	verify->report->packed = verify->n_packed;
	return 0;
}

static uint64_t width(const struct verify *verify, const Elf64_Rela *rela)
{
	uint32_t descriptor =
		verify->old->header.e_machine == EM_X86_64 ? R_X86_64_TLSDESC : R_AARCH64_TLSDESC;

	return ELF64_R_TYPE(rela->r_info) == descriptor ? TLSDESC_WIDTH : WORD;
}

/*
 * The loader processes packed relocations first, so no relocation that used to precede one may write to the same place.
 */
static int check_overlaps(struct verify *verify, const struct relocations *old)
{
	_cleanup_free_ struct relative *all = calloc(old->n_rela + 1, sizeof(*all));
	size_t at = 0;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < old->n_rela; i++)
		all[i] = (struct relative){.address = old->rela[i].r_offset, .order = i + 1};
	qsort(all, old->n_rela, sizeof(*all), by_address);
	for (size_t i = 0; i < verify->n_packed; i++) {
		const struct verify_slot *slot = &verify->packed[i];

		while (at < old->n_rela && all[at].address < slot->address &&
			slot->address - all[at].address >= TLSDESC_WIDTH)
			at++;
		for (size_t j = at; j < old->n_rela && all[j].address < slot->address + WORD; j++)
			if (all[j].order < slot->order &&
				(all[j].address >= slot->address ||
					slot->address - all[j].address <
						width(verify, &old->rela[all[j].order - 1])))
				return verify_wrong(verify,
					"packs the relocation of %#" PRIx64
					", whose place another one writes to before",
					slot->address);
	}
	return 0;
}

/*
 * The relocations of the PLT may move but not change. Where they follow DT_RELA directly, the loader takes both for one
 * table unless it binds lazily, and runs the resolvers of IFUNCs at its end. That must stay so.
 */
static int compare_plt(struct verify *verify)
{
	_cleanup_free_ void *before = NULL, *after = NULL;
	struct tables old = find_tables(verify->old), new = find_tables(verify->new);
	int r;

	if (old.plt_size == 0)
		return 0;
	if (new.rela_size > 0 &&
		(old.rela + old.rela_size == old.plt) != (new.rela + new.rela_size == new.plt))
		return verify_wrong(
			verify, "has the PLT's relocations not where the others end, as the original has");
	if (old.plt == new.plt)
		return 0;
	r = verify_read_alloc(verify->old, old.plt, old.plt_size, &before);
	if (r == 0)
		r = verify_read_alloc(verify->new, new.plt, new.plt_size, &after);
	if (r == -ENODATA)
		return verify_wrong(verify, "has a DT_JMPREL that lies outside of the file");
	if (r < 0)
		return r;
	return memcmp(before, after, old.plt_size) == 0
		? 0
		: verify_wrong(verify, "has other relocations of its PLT than the original");
}

/* Checks that the note names exactly those passes over relocations that were done. They move tables behind the original. */
static int check_passes(struct verify *verify)
{
	const Elf64_Phdr *last = &verify->old->loads[verify->old->n_loads - 1];
	uint64_t end = last->p_vaddr + last->p_memsz;
	struct tables new = find_tables(verify->new);
	bool moved = new.rela >= end || new.plt >= end;

	if (((verify->note->passes & NOTE_PASS_RELR) != 0) != (verify->n_packed > 0))
		return verify_wrong(verify, "has a note that names packed relocations, but there are none");
	if (((verify->note->passes & NOTE_PASS_RELOCS) != 0) != moved)
		return verify_wrong(verify, "has a note that is wrong about whether relocations were moved");
	return 0;
}

static int compare_relocations(
	struct verify *verify, const struct relocations *old, const struct relocations *new)
{
	int r;

	r = compare_relatives(verify, old, new);
	if (r == 0)
		r = check_count(verify, old, new);
	if (r == 0)
		r = compare_order(verify, old, new);
	if (r == 0)
		r = check_overlaps(verify, old);
	if (r == 0)
		r = compare_plt(verify);
	return r < 0 ? r : check_passes(verify);
}

/* In an overlay the tables are where they were unless a pass was done, and verify_pages() compares them there. */
int verify_relocations(struct verify *verify)
{
	_cleanup_(relocations_releasep) struct relocations old = {0}, new = {0};
	int r;

	verify->report->relocations_before = table_bytes(verify->old);
	verify->report->relocations = table_bytes(verify->new);
	if ((verify->note->passes & (NOTE_PASS_RELR | NOTE_PASS_RELOCS | NOTE_PASS_COMPACT)) == 0)
		return 0;
	r = read_relocations(verify, verify->old, &old);
	if (r == 0)
		r = read_relocations(verify, verify->new, &new);
	return r < 0 ? r : compare_relocations(verify, &old, &new);
}
