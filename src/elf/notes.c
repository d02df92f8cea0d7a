/* SPDX-License-Identifier: MIT */
/*
 * How notes are padded, nothing in the file says for certain. By the gABI it is 8 bytes in files of 64 bits; every
 * linker and the kernel pad to 4, except where the segment is aligned to 8. But a linker may also put sections
 * of both alignments into one segment (mold 2.37 does), which then is aligned to 8 while most notes in it are
 * padded to 4, with zeros before those that are not.
 */
#include "elf/notes.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "base/checked.h"

struct wanted {
	const char *owner; /* 4 bytes */
	uint32_t type;
};

static uint64_t padded(uint64_t size, uint64_t padding)
{
	return (size + padding - 1) & ~(padding - 1);
}

/* `mixed`: where zeros begin no note but come before one. */
static const uint8_t *find(const uint8_t *notes, uint64_t size, uint64_t padding, bool mixed,
	const struct wanted *wanted, size_t *ret_size)
{
	uint64_t at = 0;
	Elf64_Nhdr note;

	while (range_fits(at, sizeof(note), size)) {
		uint64_t name = at + sizeof(note), descriptor;

		memcpy(&note, notes + at, sizeof(note));
		if (mixed && note.n_namesz == 0) {
			at += padding;
			continue;
		}
		descriptor = at + padded(sizeof(note) + note.n_namesz, padding);
		if (!range_fits(descriptor, note.n_descsz, size))
			return NULL;
		if (note.n_type == wanted->type && note.n_namesz == 4 &&
			memcmp(notes + name, wanted->owner, 4) == 0) {
			*ret_size = note.n_descsz;
			return notes + descriptor;
		}
		at = descriptor + padded(note.n_descsz, padding);
	}
	return NULL;
}

const uint8_t *elf_notes_find(const uint8_t *notes, uint64_t size, uint64_t align, const char owner[4],
	uint32_t type, size_t *ret_size)
{
	const struct wanted wanted = {.owner = owner, .type = type};
	const uint8_t *found = align == 8 ? find(notes, size, 8, false, &wanted, ret_size) : NULL;

	return found ? found : find(notes, size, 4, align == 8, &wanted, ret_size);
}
