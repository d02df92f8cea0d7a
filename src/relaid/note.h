/* SPDX-License-Identifier: MIT */
/*
 * Finds the note of a relaid file in memory, and checks that it describes the file. The file may be hostile, or may
 * have been changed since.
 */
#pragma once

#include <elf.h>
#include <stdint.h>

#include "format/note.h"

/*
 * Finds the note by the program headers and checks its fields against the file: sizes and places, not yet the
 * checksums. The fields of *ret are in host order, and everything that they describe lies inside the file. Of a
 * NOTE_PASS_COMPACT note only version and passes are checked.
 *
 * Returns 0; -ENODATA: not a relaid file; -EBADMSG: it was one, but has been changed since. In both cases *ret_problem
 * is a static text that follows the file's name: "is not a relaid file".
 */
int note_find(const uint8_t *data, uint64_t size, struct note_relaid *ret, const char **ret_problem);

/* The ELF header that the original had. `data` is a file in which note_find() found the note. */
Elf64_Ehdr note_original_header(const uint8_t *data, const struct note_relaid *note);

/*
 * Checks both checksums, which prove that nothing was changed since. A compact file holds no original, and has only
 * one. Returns 0, -EBADMSG with *ret_problem, or -ENOMEM.
 */
int note_check_sums(
	const uint8_t *data, uint64_t size, const struct note_relaid *note, const char **ret_problem);
