/* SPDX-License-Identifier: MIT */
#include "relayout/first-touch.h"

/* A part of the file that was touched as one page, and where it is loaded. */
struct touched {
	uint64_t address;
	uint64_t size;
	uint32_t order;
};

static void heat(struct relayout_image *image, const struct touched *touched)
{
	for (uint64_t at = 0; at < touched->size;) {
		struct relayout_page *page = relayout_page_at(image, touched->address + at);

		if (page && touched->order < page->order)
			page->order = touched->order;
		at += image->granule - (touched->address + at) % image->granule;
	}
}

/* Gives the pages of the segment that a touched page overlaps its order. */
static void heat_page(struct relayout_image *image, const Elf64_Phdr *load, uint64_t start,
	uint64_t page_size, uint32_t order)
{
	uint64_t end = start + page_size;
	uint64_t load_end = load->p_offset + load->p_filesz;
	struct touched touched;

	if (start < load->p_offset)
		start = load->p_offset;
	if (end > load_end)
		end = load_end;
	touched = (struct touched){load->p_vaddr + (start - load->p_offset), end - start, order};
	heat(image, &touched);
}

static void take_load(struct relayout_image *image, const Elf64_Phdr *load, const struct profile_file *file,
	uint32_t page_size)
{
	uint64_t first = load->p_offset / page_size;
	uint64_t end = (load->p_offset + load->p_filesz + page_size - 1) / page_size;

	for (size_t i = profile_file_range_after(file, first);
		i < file->n_ranges && file->ranges[i].page < end; i++) {
		const struct profile_range *range = &file->ranges[i];
		uint64_t from = range->page > first ? range->page : first;
		uint64_t to = (uint64_t)range->page + range->pages;

		for (uint64_t page = from; page < to && page < end; page++)
			heat_page(image, load, page * page_size, page_size,
				range->order + (uint32_t)(page - range->page));
	}
}

void relayout_take_first_touches(struct relayout_image *image, const struct elf_view *recorded,
	const struct profile_file *file, uint32_t page_size)
{
	for (size_t i = 0; i < recorded->n_loads; i++)
		if (recorded->loads[i].p_filesz > 0)
			take_load(image, &recorded->loads[i], file, page_size);
}
