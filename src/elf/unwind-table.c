/* SPDX-License-Identifier: MIT */
#include "elf/unwind-table.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/cleanup.h"
#include "format/endian.h"

/* DWARF pointer encodings of .eh_frame_hdr as all linkers write it. */
#define PCREL_SDATA4   0x1b
#define UDATA4         0x03
#define DATAREL_SDATA4 0x3b
#define TABLE_MAX      (64u << 20) /* bytes */

struct unwind_header {
	uint8_t version, frame_encoding, count_encoding, table_encoding;
	uint32_t frame;
	uint32_t count;
};

struct unwind_entry {
	uint32_t start; /* both relative to the header */
	uint32_t description;
};

static bool header_good(const struct unwind_header *header, uint64_t size)
{
	return header->version == 1 && header->frame_encoding == PCREL_SDATA4 &&
		header->count_encoding == UDATA4 && header->table_encoding == DATAREL_SDATA4 &&
		table_fits(sizeof(*header), LE32(header->count), sizeof(struct unwind_entry), size);
}

/* Reads the table, which the caller frees; NULL and 0 if there is none. */
static int read_table(struct elf_file *file, struct unwind_entry **ret, size_t *ret_n)
{
	const Elf64_Phdr *phdr = elf_file_phdr(file, PT_GNU_EH_FRAME);
	_cleanup_free_ struct unwind_entry *entries = NULL;
	struct unwind_header header;
	size_t n;
	int r;

	*ret = NULL;
	*ret_n = 0;
	if (!phdr || phdr->p_filesz < sizeof(header) || phdr->p_filesz > TABLE_MAX || file->big)
		return 0;
	r = elf_file_read(file, phdr->p_offset, &header, sizeof(header));
	if (r < 0 || !header_good(&header, phdr->p_filesz))
		return r;
	n = LE32(header.count);
	entries = calloc(n + 1, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	r = elf_file_read(file, phdr->p_offset + sizeof(header), entries, n * sizeof(*entries));
	if (r < 0)
		return r;
	*ret = TAKE_PTR(entries);
	*ret_n = n;
	return 0;
}

/* What an entry says, as an address: it counts from the table's own. */
static uint64_t address_of(const struct elf_file *file, uint32_t distance)
{
	return elf_file_phdr(file, PT_GNU_EH_FRAME)->p_vaddr + (uint64_t)(int64_t)(int32_t)LE32(distance);
}

int elf_unwind_starts(struct elf_file *file, uint64_t **ret, size_t *ret_n)
{
	_cleanup_free_ struct unwind_entry *entries = NULL;
	uint64_t *starts;
	size_t n;
	int r = read_table(file, &entries, &n);

	*ret = NULL;
	*ret_n = 0;
	if (r < 0 || n == 0)
		return r;
	starts = calloc(n, sizeof(*starts));
	if (!starts)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		starts[i] = address_of(file, entries[i].start);
	*ret = starts;
	*ret_n = n;
	return 0;
}

/* The beginning of an FDE of 32 bits (LSB, "The Frame Description Entry Format"), with pointers of PCREL_SDATA4. */
struct unwind_description {
	uint32_t length, cie, start, size;
};

/* How far the code reaches; 0 if the description is not of this kind, or of other code. */
static uint64_t size_of(struct elf_file *file, uint64_t description, uint64_t start)
{
	uint64_t at = description + offsetof(struct unwind_description, start), offset, left;
	struct unwind_description fde;

	if (!elf_file_at(file, description, &offset, &left) || left < sizeof(fde) ||
		elf_file_read(file, offset, &fde, sizeof(fde)) < 0)
		return 0;
	return at + (uint64_t)(int64_t)(int32_t)LE32(fde.start) == start ? LE32(fde.size) : 0;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct elf_unwind_piece *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

int elf_unwind_pieces(struct elf_file *file, struct elf_unwind_piece **ret, size_t *ret_n)
{
	_cleanup_free_ struct unwind_entry *entries = NULL;
	struct elf_unwind_piece *pieces;
	size_t n;
	int r = read_table(file, &entries, &n);

	*ret = NULL;
	*ret_n = 0;
	if (r < 0 || n == 0)
		return r;
	pieces = calloc(n, sizeof(*pieces));
	if (!pieces)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		pieces[i].start = address_of(file, entries[i].start);
		pieces[i].size = size_of(file, address_of(file, entries[i].description), pieces[i].start);
	}
	qsort(pieces, n, sizeof(*pieces), compare_pieces);
	*ret = pieces;
	*ret_n = n;
	return 0;
}
