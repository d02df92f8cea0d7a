/* SPDX-License-Identifier: MIT */
#include "elf/notes.h"

#include <elf.h>
#include <string.h>

#include "base/checked.h"

static uint64_t padded(uint64_t size, uint64_t align)
{
	return (size + align - 1) & ~(align - 1);
}

const uint8_t *elf_notes_find(const uint8_t *notes, uint64_t size, uint64_t align, const char owner[4],
	uint32_t type, size_t *ret_size)
{
	uint64_t at = 0, padding = align == 8 ? 8 : 4;
	Elf64_Nhdr note;

	while (range_fits(at, sizeof(note), size)) {
		uint64_t name = at + sizeof(note), descriptor;

		memcpy(&note, notes + at, sizeof(note));
		descriptor = at + padded(sizeof(note) + note.n_namesz, padding);
		if (!range_fits(descriptor, note.n_descsz, size))
			return NULL;
		if (note.n_type == type && note.n_namesz == 4 &&
			memcmp(notes + name, owner, 4) == 0) {
			*ret_size = note.n_descsz;
			return notes + descriptor;
		}
		at = descriptor + padded(note.n_descsz, padding);
	}
	return NULL;
}
