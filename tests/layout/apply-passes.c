/* SPDX-License-Identifier: MIT */
/*
 * apply-passes FILE [OUT]: runs the relocation passes and prints what each of them says; writes the result in
 * the plainest way there is: tables, then program headers, then the changed pages, at the end of the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "format/note.h"
#include "layout/pass.h"

#define FILE_LIMIT ((size_t)1 << 30)

struct output {
	const struct layout_image *image;
	Elf64_Phdr *phdrs;
	size_t n_phdrs, capacity;
	uint64_t end; /* of the file so far */
	FILE *file;
};

static void output_release(struct output *out)
{
	free(out->phdrs);
	if (out->file)
		fclose(out->file);
}

static int add_phdr(struct output *out, Elf64_Phdr phdr)
{
	if (ARRAY_RESERVE(out->phdrs, out->capacity, out->n_phdrs + 1) < 0)
		return -ENOMEM;
	out->phdrs[out->n_phdrs++] = phdr;
	return 0;
}

static uint64_t round_up(uint64_t value, uint64_t granule)
{
	return (value + granule - 1) / granule * granule;
}

/* The part of a segment from one page to another, at another place in the file if the pages are copies. */
static int add_run(struct output *out, const struct layout_segment *segment, size_t first, size_t end)
{
	uint64_t granule = out->image->granule, address = segment->address + first * granule;
	uint64_t skip = first == 0 ? segment->load.p_vaddr - segment->address : 0;
	Elf64_Phdr run = segment->load;
	uint64_t stop = segment->load.p_vaddr + segment->load.p_filesz;

	run.p_offset = segment->offset + first * granule + skip;
	if (segment->pages[first].bytes) {
		run.p_offset = out->end + skip;
		for (size_t i = first; i < end; i++)
			if (fwrite(segment->pages[i].bytes, granule, 1, out->file) != 1)
				return -EIO;
		out->end += (end - first) * granule;
	}
	run.p_vaddr = run.p_paddr = address + skip;
	if (end < segment->n_pages)
		stop = segment->address + end * granule;
	run.p_filesz = stop - run.p_vaddr;
	run.p_memsz = end < segment->n_pages ? run.p_filesz
					     : segment->load.p_vaddr + segment->load.p_memsz - run.p_vaddr;
	return add_phdr(out, run);
}

static int add_segment(struct output *out, const struct layout_segment *segment)
{
	if (segment->n_pages == 0)
		return add_phdr(out, segment->load);
	for (size_t first = 0, end; first < segment->n_pages; first = end) {
		int r;

		for (end = first + 1; end < segment->n_pages; end++)
			if (!segment->pages[end].bytes != !segment->pages[first].bytes)
				break;
		r = add_run(out, segment, first, end);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_segments(struct output *out)
{
	const struct elf_view *view = out->image->view;
	int r = 0;

	for (size_t i = 0; i < view->n_phdrs && r == 0; i++)
		if (view->phdrs[i].p_type != PT_LOAD && view->phdrs[i].p_type != PT_PHDR)
			r = add_phdr(out, view->phdrs[i]);
	for (size_t i = 0; i < out->image->n_segments && r == 0; i++)
		r = add_segment(out, &out->image->segments[i]);
	return r;
}

/* The tables begin at tables_offset and end with program headers: room is made for as many as there can be.
 */
static int write_image(struct layout_image *image, const char *path)
{
	_cleanup_(output_release) struct output out = {.image = image};
	Elf64_Ehdr header = image->view->header;
	uint64_t tables = round_up(image->tables_size, 8), room = 4096 * sizeof(Elf64_Phdr);
	Elf64_Phdr load = {.p_type = PT_LOAD,
		.p_flags = PF_R,
		.p_offset = image->tables_offset,
		.p_vaddr = image->tables_address,
		.p_paddr = image->tables_address,
		.p_align = image->granule};
	int r;

	r = layout_dynamic_store(image);
	if (r < 0)
		return r;
	out.file = fopen(path, "we");
	if (!out.file)
		return -errno;
	if (fwrite(image->view->data, image->view->size, 1, out.file) != 1)
		return -EIO;
	load.p_filesz = load.p_memsz = tables + room;
	out.end = image->tables_offset + round_up(load.p_filesz, image->granule);
	if (fseek(out.file, (long)out.end, SEEK_SET) < 0)
		return -errno;
	r = add_segments(&out);
	if (r == 0)
		r = add_phdr(&out, load);
	if (r < 0)
		return r;
	header.e_phoff = image->tables_offset + tables;
	header.e_phnum = (Elf64_Half)out.n_phdrs;
	if (out.n_phdrs > 4096 || fseek(out.file, (long)image->tables_offset, SEEK_SET) < 0 ||
		(image->tables_size > 0 && fwrite(image->tables, image->tables_size, 1, out.file) != 1) ||
		fseek(out.file, (long)header.e_phoff, SEEK_SET) < 0 ||
		fwrite(out.phdrs, sizeof(*out.phdrs), out.n_phdrs, out.file) != out.n_phdrs)
		return -EIO;
	rewind(out.file);
	if (fwrite(&header, sizeof(header), 1, out.file) != 1 || fflush(out.file) != 0)
		return -EIO;
	return 0;
}

static void say(const char *pass, const struct layout_outcome *outcome)
{
	if (outcome->done)
		printf("%s: %lu -> %lu\n", pass, outcome->before, outcome->after);
	else
		printf("%s: %s\n", pass, outcome->refusal);
}

static int apply(const char *path, const char *result, const char **problem)
{
	const struct layout_options options = {.loader_knows_relr = true};
	_cleanup_(layout_image_releasep) struct layout_image image = {0};
	_cleanup_(elf_view_releasep) struct elf_view view = {0};
	struct layout_outcome relr, relocs;
	_cleanup_free_ char *data = NULL;
	size_t size;
	int r;

	r = read_file(path, FILE_LIMIT, &data, &size);
	if (r == 0)
		r = elf_view_init(&view, (uint8_t *)data, size, problem);
	if (r == 0)
		r = layout_image_init(&image, &view, problem);
	if (r == 0)
		r = pass_relr(&image, &options, &relr);
	if (r == 0)
		r = pass_relocs(&image, &options, &relocs);
	if (r < 0)
		return r;
	say("relr", &relr);
	say("relocs", &relocs);
	return result && (relr.done || relocs.done) ? write_image(&image, result) : 0;
}

int main(int argc, char **argv)
{
	const char *problem = NULL;
	int r;

	if (argc < 2 || argc > 3)
		return 2;
	r = apply(argv[1], argv[2], &problem);
	if (r < 0)
		printf("%s\n", problem ? problem : strerror(-r));
	return r < 0;
}
