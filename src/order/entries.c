/* SPDX-License-Identifier: MIT */
#include "order/entries.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "elf/file.h"
#include "elf/unwind-table.h"
#include "order/image.h"

void order_entries_release(struct order_entries *entries)
{
	free(entries->items);
	*entries = (struct order_entries){0};
}

/* Adds the entry if a segment of code has it. */
static int add(
	struct order_entries *entries, const struct order_image *image, uint64_t address, uint64_t size)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct order_segment *segment = &image->segments[i];
		uint64_t into = address - segment->address;
		int r;

		if (address < segment->address || into >= segment->size)
			continue;
		r = ARRAY_RESERVE(entries->items, entries->capacity, entries->n + 1);
		if (r < 0)
			return r;
		entries->items[entries->n++] = (struct order_entry){
			.offset = segment->offset + into,
			.address = address,
			.size = size < segment->size - into ? size : segment->size - into,
		};
		return 0;
	}
	return 0;
}

/* Pieces of code by the table for unwinding, ascending. */
struct pieces {
	struct elf_unwind_piece *items; /* owned */
	size_t n;
};

static void pieces_releasep(struct pieces *pieces)
{
	free(pieces->items);
}

static int read_pieces(int fd, struct pieces *ret)
{
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	const char *problem;
	int r = elf_file_open(&file, fd, &problem);

	if (r == 0)
		r = elf_file_take_phdrs(&file, &problem);
	if (r == 0)
		r = elf_unwind_pieces(&file, &ret->items, &ret->n);
	return r == -ENOMEM ? r : 0;
}

/* Whether the address lies in the middle of a piece: there is no function, whatever a symbol says. */
static bool is_in_the_middle(const struct pieces *pieces, uint64_t address)
{
	size_t low = ARRAY_BISECT(i, pieces->n, pieces->items[i].start <= address);

	return low > 0 && pieces->items[low - 1].start != address &&
		address - pieces->items[low - 1].start < pieces->items[low - 1].size;
}

static int take_symbols(
	struct order_entries *entries, const struct order_image *image, const struct pieces *pieces)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < image->n_functions; i++)
		if (!image->functions[i].inside && !is_in_the_middle(pieces, image->functions[i].address))
			r = add(entries, image, image->functions[i].address, image->functions[i].size);
	return r;
}

/* Of a stripped file. A function reaches to the next one, or to the end of its section, if nothing else is known. */
static int take_pieces(
	struct order_entries *entries, const struct order_image *image, const struct pieces *pieces)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < pieces->n; i++) {
		const struct elf_unwind_piece *piece = &pieces->items[i];
		uint64_t left = order_text_left(image, piece->start);
		uint64_t next = i + 1 < pieces->n ? piece[1].start - piece->start : left;

		if (piece->size > 0 && piece->size < next)
			next = piece->size;
		if (left > 0 && next > 0)
			r = add(entries, image, piece->start, next < left ? next : left);
	}
	return r;
}

static int compare_entries(const void *a, const void *b)
{
	const struct order_entry *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void keep_each_once(struct order_entries *entries)
{
	size_t kept = 0;

	if (entries->n > 0)
		qsort(entries->items, entries->n, sizeof(*entries->items), compare_entries);
	for (size_t i = 0; i < entries->n; i++)
		if (kept == 0 || entries->items[i].offset != entries->items[kept - 1].offset)
			entries->items[kept++] = entries->items[i];
	entries->n = kept;
}

int order_entries_read(int fd, const char *debug_folder, struct order_entries *ret, const char **ret_problem)
{
	_cleanup_(order_entries_releasep) struct order_entries entries = {0};
	_cleanup_(order_image_releasep) struct order_image image = {0};
	_cleanup_(pieces_releasep) struct pieces pieces = {0};
	bool stripped;
	int r = order_image_read(fd, debug_folder, &image, ret_problem);

	stripped = r == -ENODATA;
	if (stripped)
		r = order_image_read_code(fd, &image, ret_problem);
	if (r == 0)
		r = read_pieces(fd, &pieces);
	if (r == 0)
		r = stripped ? take_pieces(&entries, &image, &pieces)
			     : take_symbols(&entries, &image, &pieces);
	if (r < 0)
		return r;
	keep_each_once(&entries);
	*ret = entries;
	entries = (struct order_entries){0};
	return 0;
}
