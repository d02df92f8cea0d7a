/* SPDX-License-Identifier: MIT */
#include "elf/relaid-note.h"

#include <string.h>

#include "base/checked.h"
#include "elf/file.h"

static bool is_note(const struct note_segment *note)
{
	return LE32(note->n_namesz) == sizeof(NOTE_NAME) &&
		LE32(note->n_descsz) == sizeof(struct note_relaid) && LE32(note->n_type) == NOTE_TYPE &&
		memcmp(note->name, NOTE_NAME, sizeof(NOTE_NAME)) == 0 &&
		LE32(note->relaid.version) == NOTE_VERSION;
}

bool elf_relaid_note(int fd, uint64_t file_size, struct note_segment *ret, uint64_t *ret_offset)
{
	struct elf_file file;
	const char *problem;
	uint64_t offset;

	if (elf_file_open(&file, fd, &problem) < 0 || !file.wide || file.big)
		return false;
	offset = note_offset(&file.header);
	if (offset == 0 || !range_fits(offset, NOTE_REACH, file_size) ||
		elf_file_read(&file, offset, ret, sizeof(*ret)) < 0)
		return false;
	*ret_offset = offset;
	return is_note(ret);
}
