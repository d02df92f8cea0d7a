/* SPDX-License-Identifier: MIT */
/*
 * Where the file may be cut. A cut is at the beginning of a page; it must not lie inside
 *
 *  - what a program header other than PT_LOAD describes, PT_GNU_RELRO among them;
 *  - a section that tools read whole: any whose name is not known to be plain code or data;
 *  - what a symbol describes, so that the symbol fits into the section it refers to;
 *  - code, unless a function begins there. Instructions have no marks of their own on x86-64; functions have
 *    symbols, and where these are stripped the table of .eh_frame_hdr, which knows where each begins.
 */
#include "relayout/compact/cuts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "format/endian.h"
#include "relayout/compact/room.h"

/* DWARF pointer encodings of .eh_frame_hdr as all linkers write it (LSB, "Exception Frames"). */
#define HEADER_SIZE    12u
#define PCREL_SDATA4   0x1b
#define UDATA4         0x03
#define DATAREL_SDATA4 0x3b

/* Addresses where functions begin. */
struct starts {
	uint64_t *all; /* owned */
	size_t n, capacity;
};

/* How many things a page is part of, as differences from one page of a segment to the next. */
struct counts {
	int32_t **inside;  /* reach over its beginning and must not be cut there */
	int32_t **covered; /* sections */
	int32_t **code;    /* sections of code */
	int32_t **cleared; /* what were sections */
};

static void free_each(int32_t **counts, size_t n)
{
	for (size_t i = 0; counts && i < n; i++)
		free(counts[i]);
	free(counts);
}

static void counts_release(struct counts *counts, size_t n)
{
	free_each(counts->inside, n);
	free_each(counts->covered, n);
	free_each(counts->code, n);
	free_each(counts->cleared, n);
}

static bool is_plain(const struct compaction *c, size_t section)
{
	static const char *const names[] = {".text", ".rodata", ".data", ".data.rel.ro", ".gcc_except_table",
		".ltext", ".lrodata", ".ldata", ".text.hot", ".text.unlikely", ".text.startup", ".text.exit"};
	const Elf64_Shdr *header = &c->sections.all[section];

	if (header->sh_type != SHT_PROGBITS || !elf_section_is_loaded(header) || (header->sh_flags & SHF_TLS))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (streq(elf_section_name(&c->sections, section), names[i]))
			return true;
	return false;
}

static int find_splittable(const struct compaction *c, bool **ret)
{
	bool *splittable = calloc(c->sections.n, sizeof(*splittable));

	if (!splittable)
		return -ENOMEM;
	for (size_t i = 1; i < c->sections.n; i++)
		splittable[i] = is_plain(c, i);
	for (size_t i = 1; i < c->sections.n; i++) /* ld --emit-relocs: what they apply to is one section */
		if (c->sections.all[i].sh_type == SHT_RELA || c->sections.all[i].sh_type == SHT_REL)
			splittable[c->sections.all[i].sh_info] = false;
	*ret = splittable;
	return 0;
}

/* The segment whose content an address lies in, or SIZE_MAX. */
static size_t segment_at(const struct compaction *c, uint64_t address)
{
	const Elf64_Phdr *load = elf_view_load_at(c->view, address, 1);

	return load ? (size_t)(load - c->view->loads) : SIZE_MAX;
}

static size_t page_of(const struct compaction *c, size_t segment, uint64_t address)
{
	return (address - c->image->segments[segment].address) / c->image->granule;
}

/* The range as pages, without what is beyond the segment's content. */
static bool pages_of(const struct compaction *c, uint64_t address, uint64_t size, size_t *ret_segment,
	size_t *ret_first, size_t *ret_last)
{
	size_t segment = size > 0 ? segment_at(c, address) : SIZE_MAX;
	const Elf64_Phdr *load;
	uint64_t left;

	if (segment == SIZE_MAX)
		return false;
	load = &c->view->loads[segment];
	left = load->p_vaddr + load->p_filesz - address;
	*ret_segment = segment;
	*ret_first = page_of(c, segment, address);
	*ret_last = page_of(c, segment, address + (size < left ? size : left) - 1);
	return true;
}

static void join(const struct compaction *c, struct counts *counts, uint64_t address, uint64_t size)
{
	size_t segment, first, last;

	if (!pages_of(c, address, size, &segment, &first, &last))
		return;
	counts->inside[segment][first + 1]++;
	counts->inside[segment][last + 1]--;
}

static void add_pages(const struct compaction *c, int32_t **counts, uint64_t address, uint64_t size)
{
	size_t segment, first, last;

	if (!pages_of(c, address, size, &segment, &first, &last))
		return;
	counts[segment][first]++;
	counts[segment][last + 1]--;
}

static int add_start(struct starts *starts, uint64_t address)
{
	if (ARRAY_RESERVE(starts->all, starts->capacity, starts->n + 1) < 0)
		return -ENOMEM;
	starts->all[starts->n++] = address;
	return 0;
}

/* What symbols describe stays whole; where functions begin is noted. */
static int take_symbols(
	const struct compaction *c, size_t section, struct counts *counts, struct starts *starts)
{
	size_t n = 0;
	const uint8_t *symbols = elf_section_symbols(&c->sections, section, &n);

	for (size_t i = 0; i < n; i++) {
		Elf64_Sym symbol;
		unsigned char type;

		memcpy(&symbol, symbols + i * sizeof(symbol), sizeof(symbol));
		type = ELF64_ST_TYPE(symbol.st_info);
		if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= c->sections.n || type == STT_SECTION ||
			type == STT_FILE || type == STT_TLS)
			continue;
		join(c, counts, symbol.st_value, symbol.st_size);
		if ((type == STT_FUNC || type == STT_GNU_IFUNC) && add_start(starts, symbol.st_value) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int take_unwind_table(const struct compaction *c, struct starts *starts)
{
	const Elf64_Phdr *phdr = elf_view_phdr(c->view, PT_GNU_EH_FRAME);
	const uint8_t *table = phdr ? elf_view_at(c->view, phdr->p_vaddr, phdr->p_filesz) : NULL;
	uint32_t count;

	if (!table || phdr->p_filesz < HEADER_SIZE || table[0] != 1 || table[1] != PCREL_SDATA4 ||
		table[2] != UDATA4 || table[3] != DATAREL_SDATA4)
		return 0;
	memcpy(&count, table + 8, sizeof(count));
	count = LE32(count);
	if (count > (phdr->p_filesz - HEADER_SIZE) / 8)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t distance;

		memcpy(&distance, table + HEADER_SIZE + i * 8ull, sizeof(distance));
		if (add_start(starts, phdr->p_vaddr + (uint64_t)(int64_t)(int32_t)LE32(distance)) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int compare_starts(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void join_code(
	const struct compaction *c, struct counts *counts, const struct starts *starts, size_t section)
{
	const Elf64_Shdr *header = &c->sections.all[section];
	size_t segment, first, last;

	if (!pages_of(c, header->sh_addr, header->sh_size, &segment, &first, &last))
		return;
	for (size_t page = first + 1; page <= last; page++) {
		uint64_t address = c->image->segments[segment].address + page * c->image->granule;

		if (bsearch(&address, starts->all, starts->n, sizeof(address), compare_starts))
			continue;
		counts->inside[segment][page]++;
		counts->inside[segment][page + 1]--;
	}
}

static void take_sections(const struct compaction *c, const struct compact_tables *tables,
	const bool *splittable, struct counts *counts, const struct starts *starts)
{
	for (size_t i = 1; i < c->sections.n; i++) {
		const Elf64_Shdr *header = &c->sections.all[i];
		const struct compact_range *table = &tables->now[i];

		if (!elf_section_is_loaded(header) || table->address >= c->image->tables_address)
			continue;
		add_pages(c, counts->covered, table->address, table->size);
		if (header->sh_flags & SHF_EXECINSTR)
			add_pages(c, counts->code, table->address, table->size);
		if (!splittable[i])
			join(c, counts, table->address, table->size);
		else if (header->sh_flags & SHF_EXECINSTR)
			join_code(c, counts, starts, i);
	}
}

static bool overlaps(const struct compact_range *range, const Elf64_Phdr *phdr)
{
	return phdr->p_filesz > 0 && range->size > 0 && range->address < phdr->p_vaddr + phdr->p_filesz &&
		phdr->p_vaddr < range->address + range->size;
}

/* Whether what the header describes is still there. */
static bool is_alive(const struct compaction *c, const struct compact_tables *tables, const Elf64_Phdr *phdr)
{
	const struct compact_range headers = {c->view->loads[0].p_vaddr, c->room.end};

	for (size_t i = 0; i < tables->n_dead; i++)
		if (overlaps(&tables->dead[i], phdr))
			return false;
	return !overlaps(&headers, phdr);
}

static int take_phdrs(struct compaction *c, const struct compact_tables *tables, struct counts *counts)
{
	for (size_t i = 0; i < c->view->n_phdrs; i++) {
		const Elf64_Phdr *phdr = &c->view->phdrs[i];

		if (phdr->p_type == PT_LOAD || phdr->p_type == PT_PHDR || phdr->p_type == PT_NULL ||
			(compact_is_note(phdr) && compact_was_moved(c, phdr->p_vaddr)))
			continue;
		if (!is_alive(c, tables, phdr))
			return compact_refuse(c, "has a program header for a table that moves");
		join(c, counts, phdr->p_vaddr, phdr->p_filesz);
	}
	return 0;
}

static bool is_dead(const struct compact_tables *tables, uint64_t address)
{
	for (size_t i = 0; i < tables->n_dead; i++)
		if (address >= tables->dead[i].address &&
			address - tables->dead[i].address < tables->dead[i].size)
			return true;
	return false;
}

/* Whether all on the page, which no section describes any more, is what was one, or padding. */
static bool is_all_dead(const struct compaction *c, const struct compact_tables *tables,
	const struct relayout_segment *segment, size_t page)
{
	uint64_t begin = segment->address + page * c->image->granule, end = begin + c->image->granule;
	uint64_t content_end = segment->load.p_vaddr + segment->load.p_filesz;

	if (begin < segment->load.p_vaddr)
		begin = segment->load.p_vaddr;
	if (end > content_end)
		end = content_end;
	for (uint64_t at = begin; at < end; at++)
		if (*elf_view_at(c->view, at, 1) != 0 && !is_dead(tables, at))
			return false;
	return true;
}

/* What was counted, of one page. */
struct page_counts {
	int32_t inside, covered, code, cleared;
};

static void step(struct page_counts *now, const struct counts *counts, size_t segment, size_t page)
{
	now->inside += counts->inside[segment][page];
	now->covered += counts->covered[segment][page];
	now->code += counts->code[segment][page];
	now->cleared += counts->cleared[segment][page];
}

/*
 * A page that no section describes is dead where one did; otherwise it stays with a neighbour, since strip
 * would not know what to do with it alone. In an executable segment what is not code stays with code (and
 * what is dead, too): a segment of such pages alone would be executable for no reason that eu-elflint sees.
 */
static void mark_pages_of(const struct compaction *c, const struct compact_tables *tables,
	const struct counts *counts, size_t index, struct compact_page *pages)
{
	const struct relayout_segment *segment = &c->image->segments[index];
	bool has_bss = segment->load.p_memsz > segment->load.p_filesz, is_code = segment->load.p_flags & PF_X;
	bool was_bare = false, seen_code = false;
	struct page_counts now = {0};

	for (size_t i = 0; i < segment->n_pages; i++) {
		struct compact_page *page = &pages[i];
		bool is_bare, is_first = index == 0 && i == 0, is_last = i + 1 == segment->n_pages;

		step(&now, counts, index, i);
		page->dead = now.covered == 0 && now.cleared > 0 && !is_code && !is_first &&
			!(is_last && has_bss) && is_all_dead(c, tables, segment, i);
		is_bare = now.covered == 0 && !page->dead;
		page->joined = i > 0 &&
			(now.inside > 0 || is_bare || was_bare || (is_code && (now.code == 0 || !seen_code)));
		was_bare = i == 0 && is_bare;
		seen_code |= now.code > 0;
	}
}

static int32_t **new_counts(const struct compaction *c)
{
	size_t n = c->image->n_segments;
	int32_t **counts = calloc(n, sizeof(*counts));

	for (size_t i = 0; counts && i < n; i++) {
		counts[i] = calloc(c->image->segments[i].n_pages + 2, sizeof(**counts));
		if (!counts[i]) {
			free_each(counts, n);
			return NULL;
		}
	}
	return counts;
}

static int allocate(const struct compaction *c, struct counts *counts, struct compact_cuts *cuts)
{
	size_t n = c->image->n_segments;

	counts->inside = new_counts(c);
	counts->covered = new_counts(c);
	counts->code = new_counts(c);
	counts->cleared = new_counts(c);
	cuts->pages = calloc(n, sizeof(*cuts->pages));
	if (!counts->inside || !counts->covered || !counts->code || !counts->cleared || !cuts->pages)
		return -ENOMEM;
	cuts->n_segments = n;
	for (size_t i = 0; i < n; i++) {
		cuts->pages[i] = calloc(c->image->segments[i].n_pages + 1, sizeof(**cuts->pages));
		if (!cuts->pages[i])
			return -ENOMEM;
	}
	return 0;
}

/* Counts what each page is part of. */
static int count(struct compaction *c, const struct compact_tables *tables, struct counts *counts)
{
	_cleanup_free_ bool *splittable = NULL;
	struct starts starts = {0};
	int r = find_splittable(c, &splittable);

	for (size_t i = 1; r == 0 && i < c->sections.n; i++)
		r = take_symbols(c, i, counts, &starts);
	if (r == 0)
		r = take_unwind_table(c, &starts);
	if (r == 0) {
		if (starts.n > 0)
			qsort(starts.all, starts.n, sizeof(*starts.all), compare_starts);
		take_sections(c, tables, splittable, counts, &starts);
		r = take_phdrs(c, tables, counts);
	}
	for (size_t i = 0; r == 0 && i < tables->n_dead; i++)
		add_pages(c, counts->cleared, tables->dead[i].address, tables->dead[i].size);
	free(starts.all);
	return r;
}

int compact_find_cuts(struct compaction *c, const struct compact_tables *tables, struct compact_cuts *ret)
{
	_cleanup_(compact_cuts_releasep) struct compact_cuts cuts = {0};
	struct counts counts = {0};
	int r = allocate(c, &counts, &cuts);

	if (r == 0)
		r = count(c, tables, &counts);
	for (size_t i = 0; r == 0 && i < c->image->n_segments; i++)
		mark_pages_of(c, tables, &counts, i, cuts.pages[i]);
	counts_release(&counts, c->image->n_segments);
	if (r < 0)
		return r;
	*ret = cuts;
	cuts = (struct compact_cuts){0};
	return 0;
}

void compact_cuts_release(struct compact_cuts *cuts)
{
	for (size_t i = 0; i < cuts->n_segments; i++)
		free(cuts->pages[i]);
	free(cuts->pages);
	*cuts = (struct compact_cuts){0};
}
