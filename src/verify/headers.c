/* SPDX-License-Identifier: MIT */
/*
 * verify: the program headers. One or more of the new PT_LOADs must map each PT_LOAD of the original, without a gap and
 * with the same rights, each from its old place in the file or from the hot region. Besides that, only the tables may
 * be mapped.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/parts.h"

/* Program headers that fit on the one page that kernels before 6.17 read of an executable: fs/binfmt_elf.c. */
#define EXECUTABLE_PHDRS_MAX (4096 / sizeof(Elf64_Phdr))

static uint64_t round_down(uint64_t value, uint64_t granule)
{
	return value & ~(granule - 1);
}

static uint64_t round_up(uint64_t value, uint64_t granule)
{
	return round_down(value + granule - 1, granule);
}

/* A range of the hot region, in whole pages. */
struct hot_range {
	uint64_t offset, end;
};

struct pieces {
	struct verify *verify;
	size_t next;           /* the first new PT_LOAD that has not been checked */
	struct hot_range *hot; /* owned */
	size_t n_hot;
};

static const Elf64_Phdr *next_load(struct pieces *pieces)
{
	const struct elf_view *new = pieces->verify->new;

	return pieces->next < new->n_loads ? &new->loads[pieces->next++] : NULL;
}

/* Checks the file bytes behind a piece: in their old place, or a part of the hot region, which it records. */
static int check_place(struct pieces *pieces, const Elf64_Phdr *old, const Elf64_Phdr *piece)
{
	struct verify *verify = pieces->verify;
	const struct note_relaid *note = verify->note;
	uint64_t granule = note->granule, offset = round_down(piece->p_offset, granule);
	uint64_t end = round_up(piece->p_offset + piece->p_filesz, granule);

	if (piece->p_offset == old->p_offset + (piece->p_vaddr - old->p_vaddr))
		return 0;
	if (pieces->next == 1 && round_down(old->p_offset, granule) == 0)
		return verify_wrong(verify, "maps the beginning of the file from a copy");
	if (piece->p_filesz == 0 || offset < note->hot_offset || end > note->hot_offset + note->hot_size)
		return verify_wrong(verify,
			"maps the page at %#" PRIx64 " from offset %#" PRIx64
			", which is neither where it was nor in the hot region",
			piece->p_vaddr, piece->p_offset);
	if (((piece->p_offset ^ piece->p_vaddr) & (granule - 1)) != 0)
		return verify_wrong(verify,
			"maps the page at %#" PRIx64 " from offset %#" PRIx64 ", which differ within a page",
			piece->p_vaddr, piece->p_offset);
	pieces->hot[pieces->n_hot++] = (struct hot_range){offset, end};
	return 0;
}

/* Checks what a piece must have in common with its PT_LOAD. */
static int check_piece(struct pieces *pieces, const Elf64_Phdr *old, const Elf64_Phdr *piece, bool last)
{
	struct verify *verify = pieces->verify;
	uint64_t granule = verify->note->granule, before = piece->p_vaddr - old->p_vaddr;

	if (piece->p_flags != old->p_flags)
		return verify_wrong(verify,
			"maps the pages at %#" PRIx64 " with the rights %#" PRIx32 " instead of %#" PRIx32,
			piece->p_vaddr, piece->p_flags, old->p_flags);
	/* The first may take over the largest alignment of all. */
	if (piece->p_align != old->p_align && piece->p_align != granule &&
		(pieces->next > 1 || piece->p_align != elf_view_largest_alignment(verify->old)))
		return verify_wrong(verify,
			"has a segment at %#" PRIx64 " whose alignment, %#" PRIx64
			", is neither a page nor that of the original",
			piece->p_vaddr, piece->p_align);
	if (piece->p_paddr != old->p_paddr + before)
		return verify_wrong(verify, "has a segment at %#" PRIx64 " with another physical address",
			piece->p_vaddr);
	if (!last && (piece->p_filesz == 0 || ((piece->p_vaddr + piece->p_filesz) & (granule - 1)) != 0))
		return verify_wrong(verify, "splits the segment at %#" PRIx64 " inside a page", old->p_vaddr);
	if (piece->p_memsz != (last ? old->p_memsz - before : piece->p_filesz))
		return verify_wrong(verify,
			"has a segment at %#" PRIx64 " of %#" PRIx64
			" bytes of memory, which is not what was there",
			piece->p_vaddr, piece->p_memsz);
	return check_place(pieces, old, piece);
}

/* Checks all pieces of one PT_LOAD of the original. */
static int check_load(struct pieces *pieces, const Elf64_Phdr *old)
{
	struct verify *verify = pieces->verify;
	uint64_t at = old->p_vaddr, end = old->p_vaddr + old->p_filesz;
	int r;

	do {
		const Elf64_Phdr *piece = next_load(pieces);

		if (!piece || piece->p_vaddr > at)
			return verify_wrong(verify, "does not map the page at %#" PRIx64, at);
		if (piece->p_vaddr < at)
			return verify_wrong(verify, "maps the page at %#" PRIx64 ", where nothing belongs",
				piece->p_vaddr);
		if (piece->p_filesz > end - at)
			return verify_wrong(
				verify, "maps more of the file at %#" PRIx64 " than the original does", at);
		r = check_piece(pieces, old, piece, piece->p_filesz == end - at);
		if (r < 0)
			return r;
		at += piece->p_filesz;
	} while (at < end);
	return 0;
}

/* Checks the one PT_LOAD that the original lacks: the tables, above all others. */
static int check_tables(struct pieces *pieces)
{
	struct verify *verify = pieces->verify;
	const struct note_relaid *note = verify->note;
	const Elf64_Phdr *tables = next_load(pieces), *last = &verify->old->loads[verify->old->n_loads - 1];

	if (!tables)
		return verify_wrong(verify, "does not map its tables");
	if (tables->p_vaddr < round_up(last->p_vaddr + last->p_memsz, note->granule))
		return verify_wrong(verify, "maps its tables onto the original's last page");
	if (tables->p_offset != note->tables_offset || tables->p_filesz != note->tables_size ||
		tables->p_memsz != note->tables_size || tables->p_paddr != tables->p_vaddr ||
		tables->p_flags != PF_R || tables->p_align != note->granule ||
		(tables->p_vaddr & (note->granule - 1)) != 0)
		return verify_wrong(verify,
			"has a segment at %#" PRIx64 " that is neither the original's nor its tables",
			tables->p_vaddr);
	tables = next_load(pieces);
	return tables ? verify_wrong(verify, "has a segment at %#" PRIx64 " that the original has not",
				tables->p_vaddr)
		      : 0;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct hot_range *left = a, *right = b;

	return (left->offset > right->offset) - (left->offset < right->offset);
}

/* Checks that each page of the hot region is mapped exactly once. */
static int check_hot(struct pieces *pieces)
{
	struct verify *verify = pieces->verify;
	uint64_t at = verify->note->hot_offset, end = at + verify->note->hot_size;

	qsort(pieces->hot, pieces->n_hot, sizeof(*pieces->hot), compare_ranges);
	for (size_t i = 0; i < pieces->n_hot; i++) {
		if (pieces->hot[i].offset < at)
			return verify_wrong(verify, "maps the hot page at offset %#" PRIx64 " more than once",
				pieces->hot[i].offset);
		if (pieces->hot[i].offset > at)
			break;
		at = pieces->hot[i].end;
	}
	if (((verify->note->passes & NOTE_PASS_HOT) != 0) != (verify->note->hot_size > 0))
		return verify_wrong(
			verify, "has a hot region that its note does not name, or the other way round");
	if (verify->note->hot_size > 0 && at != end)
		return verify_wrong(verify, "does not map the hot page at offset %#" PRIx64, at);
	verify->report->hot_pages = verify->note->hot_size / verify->note->granule;
	return 0;
}

/* Checks the size of a page: the least alignment, but at most the machine's largest page. */
static int check_granule(struct verify *verify)
{
	uint64_t granule = verify->old->header.e_machine == EM_AARCH64 ? 65536 : 4096;

	for (size_t i = 0; i < verify->old->n_loads; i++)
		if (verify->old->loads[i].p_align < granule)
			granule = verify->old->loads[i].p_align;
	return granule == verify->note->granule
		? 0
		: verify_wrong(verify,
			  "was laid out by pages of %" PRIu32 " bytes, but its pages have %" PRIu64,
			  verify->note->granule, granule);
}

static int check_loads(struct verify *verify)
{
	_cleanup_free_ struct hot_range *hot = calloc(verify->new->n_loads, sizeof(*hot));
	struct pieces pieces = {.verify = verify, .hot = hot};
	struct verify_report *report = verify->report;
	int r;

	if (!hot)
		return -ENOMEM;
	report->segments_before = verify->old->n_loads;
	report->segments = verify->new->n_loads;
	for (size_t i = 0; i < verify->old->n_loads; i++) {
		const Elf64_Phdr *old = &verify->old->loads[i];

		report->pages += (round_up(old->p_vaddr + old->p_filesz, verify->note->granule) -
					 round_down(old->p_vaddr, verify->note->granule)) /
			verify->note->granule;
		r = check_load(&pieces, old);
		if (r < 0)
			return r;
	}
	r = check_tables(&pieces);
	if (r < 0)
		return r;
	/* The loader aligns the object to the largest alignment, and data may rely on it. */
	if (elf_view_largest_alignment(verify->old) != elf_view_largest_alignment(verify->new))
		return verify_wrong(verify, "no longer asks for the alignment of the original, %#" PRIx64,
			elf_view_largest_alignment(verify->old));
	return check_hot(&pieces);
}

/* The address at which an offset in the tables is mapped. */
static uint64_t tables_address(const struct verify *verify, uint64_t offset)
{
	const Elf64_Phdr *tables = &verify->new->loads[verify->new->n_loads - 1];

	return tables->p_vaddr + (offset - tables->p_offset);
}

/* Whether a header describes a part of the tables; its type and alignment do not count. */
static bool describes(
	const struct verify *verify, const Elf64_Phdr *phdr, uint64_t offset, uint64_t size, uint32_t flags)
{
	uint64_t address = tables_address(verify, offset);

	return phdr->p_offset == offset && phdr->p_vaddr == address && phdr->p_paddr == address &&
		phdr->p_filesz == size && phdr->p_memsz == size && phdr->p_flags == flags;
}

static bool is_note(const struct verify *verify, const Elf64_Phdr *phdr)
{
	return phdr->p_type == PT_NOTE && phdr->p_align == 4 &&
		describes(verify, phdr, verify->new->header.e_phoff - NOTE_REACH, NOTE_REACH, PF_R);
}

/* Checks a header that is neither PT_LOAD nor our note: only PT_PHDR may change, to where the headers are now. */
static int check_other(struct verify *verify, const Elf64_Phdr *old, const Elf64_Phdr *new)
{
	const Elf64_Ehdr *header = &verify->new->header;

	if (old->p_type != PT_PHDR)
		return memcmp(old, new, sizeof(*old)) == 0
			? 0
			: verify_wrong(verify, "has a program header of type %#" PRIx32 " that was changed",
				  old->p_type);
	if (new->p_type != PT_PHDR || new->p_align != old->p_align ||
		!describes(verify, new, header->e_phoff, header->e_phnum * sizeof(*new), old->p_flags))
		return verify_wrong(verify, "has a PT_PHDR that does not say where the program headers are");
	return 0;
}

/* Checks the headers that are no PT_LOAD, in their order. */
static int check_others(struct verify *verify)
{
	const struct elf_view *old = verify->old, *new = verify->new;
	size_t at = 0, notes = 0;

	for (size_t i = 0; i < new->n_phdrs; i++) {
		const Elf64_Phdr *phdr = &new->phdrs[i];
		int r;

		if (phdr->p_type == PT_LOAD)
			continue;
		if (is_note(verify, phdr)) {
			notes++;
			continue;
		}
		while (at < old->n_phdrs && old->phdrs[at].p_type == PT_LOAD)
			at++;
		if (at == old->n_phdrs)
			return verify_wrong(verify,
				"has a program header of type %#" PRIx32 " that the original has not",
				phdr->p_type);
		r = check_other(verify, &old->phdrs[at++], phdr);
		if (r < 0)
			return r;
	}
	for (; at < old->n_phdrs; at++)
		if (old->phdrs[at].p_type != PT_LOAD)
			return verify_wrong(
				verify, "has lost a program header of type %#" PRIx32, old->phdrs[at].p_type);
	return notes == 1 ? 0 : verify_wrong(verify, "has no program header that describes its note rightly");
}

/* Headers of these types must come before the first PT_LOAD (gABI, "Program Header"). */
static bool comes_first(const struct elf_view *view, uint32_t type)
{
	for (size_t i = 0; i < view->n_phdrs && view->phdrs[i].p_type != PT_LOAD; i++)
		if (view->phdrs[i].p_type == type)
			return true;
	return false;
}

static int check_order(struct verify *verify)
{
	static const uint32_t types[] = {PT_PHDR, PT_INTERP};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (comes_first(verify->old, types[i]) && !comes_first(verify->new, types[i]))
			return verify_wrong(verify,
				"has a program header of type %#" PRIx32 " after the first PT_LOAD",
				types[i]);
	return 0;
}

/* Checks what the kernel requires of a file that it starts as a program. */
static int check_executable(struct verify *verify)
{
	const struct elf_view *new = verify->new;
	const Elf64_Phdr *first = &new->loads[0];
	uint64_t flags = 0;

	verify_dynamic_find(new, DT_FLAGS_1, &flags);
	if (new->header.e_type != ET_EXEC && !elf_view_phdr(new, PT_INTERP) && (flags & DF_1_PIE) == 0)
		return 0;
	if (new->n_phdrs > EXECUTABLE_PHDRS_MAX)
		return verify_wrong(verify,
			"is a program with %zu program headers, but kernels before 6.17 accept only %zu",
			new->n_phdrs, EXECUTABLE_PHDRS_MAX);
	/* Kernels before 5.18 tell the program this address, wherever the headers are. */
	if (tables_address(verify, new->header.e_phoff) !=
		new->header.e_phoff + (first->p_vaddr - first->p_offset))
		return verify_wrong(verify,
			"is a program whose program headers are not mapped where kernels "
			"before 5.18 look for them");
	return 0;
}

int verify_headers(struct verify *verify)
{
	int r = check_granule(verify);

	if (r == 0)
		r = check_loads(verify);
	if (r == 0)
		r = check_others(verify);
	if (r == 0)
		r = check_order(verify);
	return r < 0 ? r : check_executable(verify);
}
