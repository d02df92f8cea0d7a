/* SPDX-License-Identifier: MIT */
/*
 * The note of a relaid file: finding it in a file in memory, and whether what it says of the file is true.
 * The file may be hostile, or may have been changed by anybody since.
 */
#pragma once

#include <elf.h>
#include <stdint.h>

#include "format/note.h"

/*
 * Finds the note by the program headers and checks its fields against the file: sizes and places, not yet the
 * checksums. The fields of *ret are in host order, and all that they describe lies inside the file; those of
 * a NOTE_PASS_COMPACT note but for version and passes are as they were found.
 *
 * Returns 0; -ENODATA: not a relaid file; -EBADMSG: it was one, but has been changed since. *ret_problem then
 * says what is the matter, a static text that follows the file's name: "is not a relaid file".
 */
int note_find(const uint8_t *data, uint64_t size, struct note_relaid *ret, const char **ret_problem);

/* The ELF header that the original had. data: of a file whose note note_find() found. */
Elf64_Ehdr note_original_header(const uint8_t *data, const struct note_relaid *note);

/*
 * Whether both checksums are right, which is that nothing at all was changed since; of a compacted file,
 * which holds no original, the one that there is. Returns 0, -EBADMSG with *ret_problem, or -ENOMEM.
 */
int note_check_sums(
	const uint8_t *data, uint64_t size, const struct note_relaid *note, const char **ret_problem);
