/* SPDX-License-Identifier: MIT */
/*
 * Nothing in the file says for certain how notes are padded. The gABI demands 8 bytes in 64-bit files, but every linker
 * and the kernel pad to 4, except where the segment is aligned to 8. A linker may also put sections of both alignments
 * into one segment (mold 2.37 does). That segment is aligned to 8, but most notes in it are padded to 4, and zeros
 * precede the others.
 */
#include "elf/notes.h"

#include <elf.h>
#include <string.h>

#include "base/checked.h"

static uint64_t padded(uint64_t size, uint64_t padding)
{
	return (size + padding - 1) & ~(padding - 1);
}

static Elf64_Nhdr note_at(const struct elf_notes *notes, uint64_t at)
{
	Elf64_Nhdr note;

	memcpy(&note, notes->data + at, sizeof(note));
	if (notes->swapped) {
		note.n_namesz = __builtin_bswap32(note.n_namesz);
		note.n_descsz = __builtin_bswap32(note.n_descsz);
		note.n_type = __builtin_bswap32(note.n_type);
	}
	return note;
}

/* With `mixed`, zeros are no note but padding before one. */
static const uint8_t *find(const struct elf_notes *notes, uint64_t padding, bool mixed, const char owner[4],
	uint32_t type, size_t *ret_size)
{
	uint64_t at = 0;

	while (range_fits(at, sizeof(Elf64_Nhdr), notes->size)) {
		Elf64_Nhdr note = note_at(notes, at);
		uint64_t name = at + sizeof(note), descriptor;

		if (mixed && note.n_namesz == 0) {
			at += padding;
			continue;
		}
		descriptor = at + padded(sizeof(note) + note.n_namesz, padding);
		if (!range_fits(descriptor, note.n_descsz, notes->size))
			return NULL;
		if (note.n_type == type && note.n_namesz == 4 && memcmp(notes->data + name, owner, 4) == 0) {
			*ret_size = note.n_descsz;
			return notes->data + descriptor;
		}
		at = descriptor + padded(note.n_descsz, padding);
	}
	return NULL;
}

const uint8_t *elf_notes_find(
	const struct elf_notes *notes, const char owner[4], uint32_t type, size_t *ret_size)
{
	bool mixed = notes->align == 8;
	const uint8_t *found = mixed ? find(notes, 8, false, owner, type, ret_size) : NULL;

	return found ? found : find(notes, 4, mixed, owner, type, ret_size);
}
