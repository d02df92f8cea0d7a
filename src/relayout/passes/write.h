/* SPDX-License-Identifier: MIT */
/* What is appended to a file, and the ELF header that points to it (format/note.h has the picture). */
#pragma once

#include "format/note.h"
#include "relayout/passes/image.h"
#include "relayout/passes/pieces.h"

struct relayout_output {
	const struct relayout_image *image; /* borrowed */
	struct relayout_pieces pieces;
	Elf64_Ehdr header; /* with e_phoff and e_phnum of the result */
	uint8_t *tables;   /* owned: image->tables, the note, the program headers */
	size_t tables_size;
	uint64_t hot_offset;
	uint64_t size; /* bytes of the result */
};

/* The note of a file that is made from the image, still without the places and the checksum of what is appended. */
struct note_segment relayout_begin_note(const struct relayout_image *image, uint64_t profile);

/*
 * Computes what to write; the image must not change afterwards. `profile` is the checksum of the profile file. Returns
 * 0, -ENOMEM, or -EOPNOTSUPP with the reason, a static string, in *ret_problem.
 */
int relayout_output_init(struct relayout_output *ret, const struct relayout_image *image, uint64_t profile,
	const char **ret_problem);
void relayout_output_release(struct relayout_output *output);

static inline void relayout_output_releasep(struct relayout_output *output)
{
	relayout_output_release(output);
}

/* Writes it to a file that has exactly the original's bytes. Returns 0 or negative errno. */
int relayout_output_write(const struct relayout_output *output, int fd);
