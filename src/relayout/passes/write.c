/* SPDX-License-Identifier: MIT */
#include "relayout/passes/write.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "relaid/cost.h"
#include "relayout/passes/interleave.h"

#define TABLE_ALIGN 8u

static const uint8_t zeros[65536]; /* no granule is larger */

/* Counts the original's other headers, the PT_LOADs of the pieces and of the tables, and the note's header. */
static size_t count_phdrs(const struct relayout_output *output)
{
	const struct elf_view *view = output->image->view;

	return view->n_phdrs - view->n_loads + output->pieces.n + 2;
}

static const char *count_problem(const struct relayout_output *output)
{
	size_t n = count_phdrs(output);

	if (output->image->executable && n > COST_MAX_EXECUTABLE_PHDRS)
		return "would have more program headers than kernels before 6.17 accept in an executable";
	if (n >= PN_XNUM)
		return "would have more program headers than an ELF file can have";
	if (!output->pieces.keeps_alignment)
		return "has a segment with an alignment that its copied pages cannot keep";
	return NULL;
}

/* A header with the file offset, address and size of a part of the tables. */
static Elf64_Phdr table_phdr(
	const struct relayout_output *output, Elf64_Phdr like, uint64_t at, uint64_t size)
{
	like.p_offset = output->image->tables_offset + at;
	like.p_vaddr = like.p_paddr = output->image->tables_address + at;
	like.p_filesz = like.p_memsz = size;
	return like;
}

/*
 * Writes the original's headers in their order, each PT_LOAD replaced by its pieces. That of the tables follows the
 * last piece, and the note's comes last.
 */
static void write_phdrs(const struct relayout_output *output, size_t note_at, size_t phdrs_at)
{
	const struct relayout_image *image = output->image;
	const struct elf_view *view = image->view;
	Elf64_Phdr *to = (Elf64_Phdr *)(output->tables + phdrs_at);
	size_t piece = 0, load = 0;

	for (size_t i = 0; i < view->n_phdrs; i++) {
		const Elf64_Phdr *phdr = &view->phdrs[i];

		if (phdr->p_type == PT_PHDR) {
			*to++ = table_phdr(output, *phdr, phdrs_at, output->tables_size - phdrs_at);
			continue;
		}
		if (phdr->p_type != PT_LOAD) {
			*to++ = *phdr;
			continue;
		}
		for (; piece < output->pieces.n &&
			output->pieces.all[piece].segment == &image->segments[load];
			piece++)
			*to++ = output->pieces.all[piece].load;
		if (++load == view->n_loads)
			*to++ = table_phdr(output,
				(Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R, .p_align = image->granule},
				0, output->tables_size);
	}
	*to = table_phdr(output, (Elf64_Phdr){.p_type = PT_NOTE, .p_flags = PF_R, .p_align = 4}, note_at,
		sizeof(struct note_segment));
}

/* The bytes of one page of a piece: of its copy, or of the original, which may end within it. */
static const uint8_t *page_bytes(
	const struct relayout_image *image, const struct relayout_piece *piece, size_t page, size_t *ret_size)
{
	const struct relayout_segment *segment = piece->segment;
	uint64_t offset = segment->offset + page * image->granule;
	uint64_t left = image->view->size - offset;

	*ret_size = image->granule;
	if (segment->pages[page].bytes)
		return segment->pages[page].bytes;
	if (left < image->granule)
		*ret_size = left;
	return image->view->data + offset;
}

static void hash_zeros(XXH3_state_t *state, uint64_t size)
{
	while (size > 0) {
		size_t n = size < sizeof(zeros) ? size : sizeof(zeros);

		XXH3_64bits_update(state, zeros, n);
		size -= n;
	}
}

/* XXH3-64 of what is appended, as it will be in the file. */
static int appended_checksum(const struct relayout_output *output, uint64_t *ret)
{
	const struct relayout_image *image = output->image;
	XXH3_state_t *state = XXH3_createState();

	if (!state)
		return -ENOMEM;
	XXH3_64bits_reset(state);
	hash_zeros(state, image->tables_offset - image->view->size);
	XXH3_64bits_update(state, output->tables, output->tables_size);
	if (output->pieces.n_hot > 0)
		hash_zeros(state, output->hot_offset - image->tables_offset - output->tables_size);
	for (size_t i = 0; i < output->pieces.n_hot; i++) {
		const struct relayout_piece *piece = output->pieces.hot[i];

		for (size_t page = piece->first; page < piece->first + piece->n_pages; page++) {
			size_t size;
			const uint8_t *bytes = page_bytes(image, piece, page, &size);

			XXH3_64bits_update(state, bytes, size);
			hash_zeros(state, image->granule - size);
		}
	}
	*ret = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return 0;
}

struct note_segment relayout_begin_note(const struct relayout_image *image, uint64_t profile)
{
	const struct elf_view *view = image->view;

	return (struct note_segment){
		.n_namesz = LE32(sizeof(NOTE_NAME)),
		.n_descsz = LE32(sizeof(struct note_relaid)),
		.n_type = LE32(NOTE_TYPE),
		.name = NOTE_NAME,
		.relaid =
			{
				.version = LE32(NOTE_VERSION),
				.passes = LE32(image->passes),
				.profile = LE64(profile),
				.original_size = LE64(view->size),
				.original_checksum = LE64(checksum64(view->data, view->size)),
				.original_phoff = LE64(view->header.e_phoff),
				.original_phnum = LE32(view->header.e_phnum),
				.granule = LE32((uint32_t)image->granule),
				.tool = "headstart " HEADSTART_VERSION,
			},
	};
}

static struct note_segment make_note(const struct relayout_output *output, uint64_t profile)
{
	struct note_segment note = relayout_begin_note(output->image, profile);

	note.relaid.tables_offset = LE64(output->image->tables_offset);
	note.relaid.tables_size = LE64(output->tables_size);
	note.relaid.hot_offset = LE64(output->pieces.n_hot ? output->hot_offset : 0);
	note.relaid.hot_size = LE64(output->pieces.hot_size);
	return note;
}

static int write_tables(struct relayout_output *output, uint64_t profile)
{
	const struct relayout_image *image = output->image;
	size_t note_at = (image->tables_size + TABLE_ALIGN - 1) & ~(size_t)(TABLE_ALIGN - 1);
	size_t phdrs_at = note_at + sizeof(struct note_segment);
	struct note_segment note;
	uint64_t checksum;
	int r;

	output->tables_size = phdrs_at + count_phdrs(output) * sizeof(Elf64_Phdr);
	output->hot_offset =
		(image->tables_offset + output->tables_size + image->granule - 1) & ~(image->granule - 1);
	for (size_t i = 0; i < output->pieces.n_hot; i++)
		output->pieces.hot[i]->load.p_offset += output->hot_offset;
	output->tables = calloc(1, output->tables_size);
	if (!output->tables)
		return -ENOMEM;
	if (image->tables_size > 0)
		memcpy(output->tables, image->tables, image->tables_size);
	write_phdrs(output, note_at, phdrs_at);
	note = make_note(output, profile);
	memcpy(output->tables + note_at, &note, sizeof(note));
	r = appended_checksum(output, &checksum);
	if (r < 0)
		return r;
	note.relaid.appended_checksum = LE64(checksum);
	memcpy(output->tables + note_at, &note, sizeof(note));
	output->header = image->view->header;
	output->header.e_phoff = image->tables_offset + phdrs_at;
	output->header.e_phnum = (uint16_t)count_phdrs(output);
	output->size = image->tables_offset + output->tables_size;
	if (output->pieces.n_hot > 0)
		output->size = output->hot_offset + output->pieces.hot_size;
	return 0;
}

int relayout_output_init(struct relayout_output *ret, const struct relayout_image *image, uint64_t profile,
	const char **ret_problem)
{
	_cleanup_(relayout_output_releasep) struct relayout_output output = {.image = image};
	const char *problem;
	int r = relayout_pieces_init(&output.pieces, image);

	if (r == 0)
		r = relayout_interleave(&output.pieces, image);
	if (r == 0)
		r = relayout_pieces_place(&output.pieces, image);
	if (r < 0)
		return r;
	problem = count_problem(&output);
	if (problem) {
		*ret_problem = problem;
		return -EOPNOTSUPP;
	}
	r = write_tables(&output, profile);
	if (r < 0)
		return r;
	*ret = output;
	output = (struct relayout_output){0};
	return 0;
}

void relayout_output_release(struct relayout_output *output)
{
	relayout_pieces_release(&output->pieces);
	free(output->tables);
	*output = (struct relayout_output){0};
}

static int pwrite_full(int fd, const void *data, size_t size, uint64_t offset)
{
	const uint8_t *from = data;

	while (size > 0) {
		ssize_t n = pwrite(fd, from, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		from += n;
		size -= (size_t)n;
		offset += (size_t)n;
	}
	return 0;
}

/* Writes pages together whose bytes are contiguous in memory. */
static int write_piece(const struct relayout_output *output, const struct relayout_piece *piece, int fd)
{
	uint64_t granule = output->image->granule;
	uint64_t offset = piece->load.p_offset - piece->load.p_offset % granule;
	size_t page = piece->first, end = piece->first + piece->n_pages;
	int r = 0;

	while (page < end && r == 0) {
		size_t size, more;
		const uint8_t *bytes = page_bytes(output->image, piece, page, &size);
		uint64_t at = offset + (page - piece->first) * granule;

		for (page++; page < end && size % granule == 0 &&
			page_bytes(output->image, piece, page, &more) == bytes + size;
			page++)
			size += more;
		r = pwrite_full(fd, bytes, size, at);
	}
	return r;
}

int relayout_output_write(const struct relayout_output *output, int fd)
{
	int r;

	if (ftruncate(fd, (off_t)output->size) < 0)
		return -errno;
	r = pwrite_full(fd, output->tables, output->tables_size, output->image->tables_offset);
	for (size_t i = 0; i < output->pieces.n_hot && r == 0; i++)
		r = write_piece(output, output->pieces.hot[i], fd);
	return r < 0 ? r : pwrite_full(fd, &output->header, sizeof(output->header), 0);
}
