/* SPDX-License-Identifier: MIT */
/* An ELF file as pages of its segments. Changed pages are copies; the file stays as it is. */
#include "relayout/passes/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checked.h"
#include "base/cleanup.h"

#define ADDRESS_LIMIT (1ull << 46) /* user space of both machines is larger, a sum of two such fits */
#define HOLE_LIMIT    (64ull << 20)

/* The largest hole, in the file or in addresses, that a library gets so that its program headers lie where its ELF
 * header says. */
#define LIBRARY_HOLE_LIMIT (4ull << 20)
#define LIBRARY_GAP_LIMIT  (64ull << 20)

#define TABLES_LIMIT (1u << 30)

/* The largest page that a kernel for the machine may have. */
static uint64_t machine_page(const struct elf_view *view)
{
	return view->header.e_machine == EM_AARCH64 ? 65536 : 4096;
}

static uint64_t round_down(uint64_t value, uint64_t granule)
{
	return value & ~(granule - 1);
}

static uint64_t round_up(uint64_t value, uint64_t granule)
{
	return round_down(value + granule - 1, granule);
}

/* A library with a PT_INTERP, such as libc, can be executed too. */
static bool is_executable(const struct elf_view *view)
{
	uint64_t flags;

	return view->header.e_type == ET_EXEC || elf_view_phdr(view, PT_INTERP) ||
		(elf_view_dynamic(view, DT_FLAGS_1, &flags) && (flags & DF_1_PIE));
}

static const char *granule_of(const struct elf_view *view, uint64_t *ret)
{
	uint64_t granule = machine_page(view), end = 0, content = 0;

	for (size_t i = 0; i < view->n_loads; i++)
		if (view->loads[i].p_align < granule)
			granule = view->loads[i].p_align;
	if (granule < 4096)
		return "has a segment that is not aligned to a page";
	for (size_t i = 0; i < view->n_loads; i++) {
		const Elf64_Phdr *load = &view->loads[i];

		if (load->p_vaddr + load->p_memsz > ADDRESS_LIMIT)
			return "has a segment at an address that no program can use";
		if (round_down(load->p_vaddr, granule) < end)
			return "has segments that share a page of memory";
		end = round_up(load->p_vaddr + load->p_memsz, granule);
		content += load->p_filesz;
	}
	/* Linkers map a page at most twice, where segments meet. */
	if (content > view->size + view->n_loads * granule)
		return "maps the same part of the file more than once";
	*ret = granule;
	return NULL;
}

/*
 * Places the tables above everything in memory. Kernels before 5.18 tell an executable that its program headers are at
 * (address - offset of its first PT_LOAD) + e_phoff (AT_PHDR; fs/binfmt_elf.c), and __ehdr_start says the same. So the
 * tables of an executable need the same difference of address and offset as its first segment. Tools that read a
 * library from memory or from a core dump (crashpad, libdwfl) compute it too, so libraries get that difference where it
 * costs little.
 */
static const char *place_tables(struct relayout_image *image)
{
	const struct elf_view *view = image->view;
	const Elf64_Phdr *first = &view->loads[0], *last = &view->loads[view->n_loads - 1];
	uint64_t file_end = round_up(view->size, image->granule);
	uint64_t memory_end = round_up(last->p_vaddr + last->p_memsz, image->granule);
	uint64_t bias = first->p_vaddr - first->p_offset;
	uint64_t address = memory_end > file_end + bias ? memory_end : file_end + bias;
	uint64_t hole = address - bias - file_end;
	bool below = first->p_vaddr < first->p_offset;

	image->tables_address = address;
	image->tables_offset = address - bias;
	if (!image->executable) {
		if (below || hole > LIBRARY_HOLE_LIMIT || address - memory_end > LIBRARY_GAP_LIMIT) {
			image->tables_address = memory_end;
			image->tables_offset = file_end;
		}
		return NULL;
	}
	if (below)
		return "has a first segment that begins below the beginning of the file";
	if (hole > HOLE_LIMIT)
		return "would need a hole of more than 64 MiB, because kernels before 5.18 find an "
		       "executable's program headers nowhere else";
	return NULL;
}

static int take_segments(struct relayout_image *image)
{
	const struct elf_view *view = image->view;
	bool found = false;

	image->segments = calloc(view->n_loads, sizeof(*image->segments));
	if (!image->segments)
		return -ENOMEM;
	for (size_t i = 0; i < view->n_loads; i++) {
		const Elf64_Phdr *load = &view->loads[i];
		struct relayout_segment *segment = &image->segments[image->n_segments++];

		segment->load = *load;
		segment->address = round_down(load->p_vaddr, image->granule);
		segment->offset = round_down(load->p_offset, image->granule);
		if (load->p_filesz == 0)
			continue;
		segment->n_pages =
			(round_up(load->p_vaddr + load->p_filesz, image->granule) - segment->address) /
			image->granule;
		segment->pages = calloc(segment->n_pages, sizeof(*segment->pages));
		if (!segment->pages)
			return -ENOMEM;
		for (size_t page = 0; page < segment->n_pages; page++)
			segment->pages[page].order = RELAYOUT_COLD;
		if (segment->offset == 0 && !found)
			found = segment->pages[0].pinned = true;
		/* place_tables() relies on the offset of an executable's first segment. */
		if (i == 0 && image->executable)
			segment->pages[0].pinned = true;
	}
	return 0;
}

static int take_dynamic(struct relayout_image *image)
{
	const struct elf_view *view = image->view;

	if (view->n_dynamic == 0)
		return 0;
	image->dynamic = malloc(view->n_dynamic * sizeof(Elf64_Dyn));
	if (!image->dynamic)
		return -ENOMEM;
	memcpy(image->dynamic, view->dynamic, view->n_dynamic * sizeof(Elf64_Dyn));
	image->n_dynamic = view->n_dynamic;
	return 0;
}

int relayout_image_init(struct relayout_image *ret, const struct elf_view *view, const char **ret_problem)
{
	_cleanup_(relayout_image_releasep) struct relayout_image image = {.view = view};
	const char *problem = granule_of(view, &image.granule);
	int r;

	if (!problem) {
		image.executable = is_executable(view);
		problem = place_tables(&image);
	}
	if (problem) {
		*ret_problem = problem;
		return -EOPNOTSUPP;
	}
	r = take_segments(&image);
	if (r == 0)
		r = take_dynamic(&image);
	if (r < 0)
		return r;
	*ret = image;
	image = (struct relayout_image){0};
	return 0;
}

void relayout_image_release(struct relayout_image *image)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		for (size_t page = 0; page < image->segments[i].n_pages; page++)
			free(image->segments[i].pages[page].bytes);
		free(image->segments[i].pages);
	}
	free(image->segments);
	free(image->dynamic);
	free(image->tables);
	*image = (struct relayout_image){0};
}

/* The segment whose file content holds all of the range, or NULL. */
static struct relayout_segment *segment_at(
	const struct relayout_image *image, uint64_t address, uint64_t size)
{
	const Elf64_Phdr *load = elf_view_load_at(image->view, address, size);

	return load ? &image->segments[load - image->view->loads] : NULL;
}

struct relayout_page *relayout_page_at(const struct relayout_image *image, uint64_t address)
{
	struct relayout_segment *segment = segment_at(image, address, 1);

	return segment ? &segment->pages[(address - segment->address) / image->granule] : NULL;
}

/* A part of a range of addresses that lies on one page. */
struct page_part {
	struct relayout_page *page;
	uint64_t offset; /* of the page in the file */
	uint64_t at;     /* of the part in the page */
	size_t size;     /* bytes of it */
};

static struct page_part part_at(
	const struct relayout_image *image, struct relayout_segment *segment, uint64_t address, size_t size)
{
	uint64_t index = (address - segment->address) / image->granule;
	uint64_t at = (address - segment->address) % image->granule;

	return (struct page_part){
		.page = &segment->pages[index],
		.offset = segment->offset + index * image->granule,
		.at = at,
		.size = size < image->granule - at ? size : image->granule - at,
	};
}

static const uint8_t *part_bytes(const struct relayout_image *image, const struct page_part *part)
{
	return part->page->bytes ? part->page->bytes + part->at : image->view->data + part->offset + part->at;
}

int relayout_image_read(const struct relayout_image *image, uint64_t address, void *data, size_t size)
{
	struct relayout_segment *segment = segment_at(image, address, size);
	uint8_t *to = data;

	if (!segment)
		return -EFAULT;
	while (size > 0) {
		struct page_part part = part_at(image, segment, address, size);

		memcpy(to, part_bytes(image, &part), part.size);
		to += part.size;
		address += part.size;
		size -= part.size;
	}
	return 0;
}

/* Copies the page from the file; beyond the end of the file there are zeros. */
static int copy_page(const struct relayout_image *image, const struct page_part *part)
{
	uint64_t left = image->view->size - part->offset;

	if (part->page->bytes)
		return 0;
	part->page->bytes = calloc(1, image->granule);
	if (!part->page->bytes)
		return -ENOMEM;
	memcpy(part->page->bytes, image->view->data + part->offset,
		left < image->granule ? left : image->granule);
	return 0;
}

int relayout_image_write(struct relayout_image *image, uint64_t address, const void *data, size_t size)
{
	struct relayout_segment *segment = segment_at(image, address, size);
	const uint8_t *from = data;

	if (!segment)
		return -EFAULT;
	while (size > 0) {
		struct page_part part = part_at(image, segment, address, size);

		if (memcmp(part_bytes(image, &part), from, part.size) != 0) {
			int r = part.page->pinned ? -EPERM : copy_page(image, &part);

			if (r < 0)
				return r;
			memcpy(part.page->bytes + part.at, from, part.size);
		}
		from += part.size;
		address += part.size;
		size -= part.size;
	}
	return 0;
}

void relayout_image_cool(struct relayout_image *image, uint64_t address, uint64_t size)
{
	struct relayout_segment *segment = segment_at(image, address, size);
	uint64_t first, end;

	if (!segment)
		return;
	first = round_up(address - segment->address, image->granule) / image->granule;
	end = (address + size - segment->address) / image->granule;
	for (uint64_t page = first; page < end; page++)
		segment->pages[page].order = RELAYOUT_COLD;
}

int relayout_image_add_table(
	struct relayout_image *image, const void *data, size_t size, size_t align, uint64_t *ret_address)
{
	uint64_t at = round_up(image->tables_size, align);

	if (!range_fits(at, size, TABLES_LIMIT))
		return -EFBIG;
	if (ARRAY_RESERVE(image->tables, image->tables_capacity, at + size) < 0)
		return -ENOMEM;
	memset(image->tables + image->tables_size, 0, at - image->tables_size);
	memcpy(image->tables + at, data, size);
	image->tables_size = at + size;
	*ret_address = image->tables_address + at;
	return 0;
}

/* The index of the first entry of the tag or, if there is none, of the first DT_NULL. */
static size_t dynamic_index(const struct relayout_image *image, int64_t tag)
{
	size_t i = 0;

	while (i < image->n_dynamic && image->dynamic[i].d_tag != tag && image->dynamic[i].d_tag != DT_NULL)
		i++;
	return i;
}

bool relayout_dynamic_get(const struct relayout_image *image, int64_t tag, uint64_t *ret_value)
{
	size_t i = dynamic_index(image, tag);

	if (i == image->n_dynamic || image->dynamic[i].d_tag != tag)
		return false;
	*ret_value = image->dynamic[i].d_un.d_val;
	return true;
}

size_t relayout_dynamic_spare(const struct relayout_image *image)
{
	size_t used = dynamic_index(image, DT_NULL);

	return used < image->n_dynamic ? image->n_dynamic - used - 1 : 0;
}

int relayout_dynamic_set(struct relayout_image *image, int64_t tag, uint64_t value)
{
	size_t i = dynamic_index(image, tag);

	if (i == image->n_dynamic)
		return -ENOSPC;
	if (image->dynamic[i].d_tag != tag) {
		if (relayout_dynamic_spare(image) == 0)
			return -ENOSPC;
		image->dynamic[i + 1] = (Elf64_Dyn){.d_tag = DT_NULL};
	}
	image->dynamic[i] = (Elf64_Dyn){.d_tag = tag, .d_un.d_val = value};
	return 0;
}

void relayout_dynamic_drop(struct relayout_image *image, int64_t tag)
{
	size_t i = dynamic_index(image, tag), used = dynamic_index(image, DT_NULL);

	if (i == used)
		return;
	memmove(&image->dynamic[i], &image->dynamic[i + 1], (used - i - 1) * sizeof(Elf64_Dyn));
	image->dynamic[used - 1] = (Elf64_Dyn){.d_tag = DT_NULL};
}

bool relayout_dynamic_writable(const struct relayout_image *image)
{
	for (size_t i = 0; i < image->n_dynamic; i++) {
		uint64_t first = image->view->dynamic_address + i * sizeof(Elf64_Dyn);

		if (relayout_page_at(image, first)->pinned ||
			relayout_page_at(image, first + sizeof(Elf64_Dyn) - 1)->pinned)
			return false;
	}
	return true;
}

int relayout_dynamic_store(struct relayout_image *image)
{
	if (image->n_dynamic == 0)
		return 0;
	return relayout_image_write(
		image, image->view->dynamic_address, image->dynamic, image->n_dynamic * sizeof(Elf64_Dyn));
}
