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

bool elf_notes_to_search(const Elf64_Phdr *phdr, uint64_t file_size, uint64_t *searched)
{
	if (phdr->p_type != PT_NOTE || phdr->p_filesz > ELF_NOTES_MAX ||
		!range_fits(phdr->p_offset, phdr->p_filesz, file_size) ||
		!range_fits(*searched, phdr->p_filesz, ELF_ALL_NOTES_MAX))
		return false;
	*searched += phdr->p_filesz;
	return true;
}

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

/* Returns whether to go on. */
typedef bool take_note(void *context, const Elf64_Nhdr *note, const uint8_t *name, const uint8_t *descriptor);

/* With `mixed`, zeros are no note but padding before one. Returns 1 at the end, 0 if `take` wanted no more, -1 if what follows is no note. */
static int each(const struct elf_notes *notes, uint64_t padding, bool mixed, take_note *take, void *context)
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
			return -1;
		if (!take(context, &note, notes->data + name, notes->data + descriptor))
			return 0;
		at = descriptor + padded(note.n_descsz, padding);
	}
	return 1;
}

struct wanted_note {
	const char *owner; /* of 4 bytes */
	uint32_t type;
	const uint8_t *descriptor;
	size_t size;
};

static bool is_not_wanted(
	void *context, const Elf64_Nhdr *note, const uint8_t *name, const uint8_t *descriptor)
{
	struct wanted_note *wanted = context;

	if (note->n_type != wanted->type || note->n_namesz != 4 || memcmp(name, wanted->owner, 4) != 0)
		return true;
	wanted->descriptor = descriptor;
	wanted->size = note->n_descsz;
	return false;
}

static const uint8_t *find(const struct elf_notes *notes, uint64_t padding, bool mixed, const char owner[4],
	uint32_t type, size_t *ret_size)
{
	struct wanted_note wanted = {.owner = owner, .type = type};

	each(notes, padding, mixed, is_not_wanted, &wanted);
	if (wanted.descriptor)
		*ret_size = wanted.size;
	return wanted.descriptor;
}

const uint8_t *elf_notes_find(
	const struct elf_notes *notes, const char owner[4], uint32_t type, size_t *ret_size)
{
	bool mixed = notes->align == 8;
	const uint8_t *found = mixed ? find(notes, 8, false, owner, type, ret_size) : NULL;

	return found ? found : find(notes, 4, mixed, owner, type, ret_size);
}

/* glibc's elf.h has GNU's; systemd's PACKAGE_METADATA_FOR_EXECUTABLE_FILES and ELF_DLOPEN_METADATA specify the others. */
static bool can_move(void *context, const Elf64_Nhdr *note, const uint8_t *name, const uint8_t *descriptor)
{
	static const struct {
		char owner[4];
		uint32_t type;
	} known[] = {
		{"GNU", NT_GNU_ABI_TAG},
		{"GNU", NT_GNU_BUILD_ID},
		{"GNU", NT_GNU_GOLD_VERSION},
		{"GNU", NT_GNU_PROPERTY_TYPE_0},
		{"FDO", 0xcafe1a7e},
		{"FDO", 0x407c0c0a},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (note->n_namesz == 4 && memcmp(name, known[i].owner, 4) == 0 &&
			note->n_type == known[i].type)
			return true;
	return false;
}

bool elf_notes_can_move(const struct elf_notes *notes)
{
	bool mixed = notes->align == 8;

	return notes->size <= ELF_NOTES_MAX &&
		((mixed && each(notes, 8, false, can_move, NULL) == 1) ||
			each(notes, 4, mixed, can_move, NULL) == 1);
}
