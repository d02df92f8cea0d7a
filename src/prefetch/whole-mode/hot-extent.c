/* SPDX-License-Identifier: MIT */
/*
 * Finds the note of a relaid file without a walk over its program headers: it lies directly before or behind them. An
 * ordinary file costs two reads of its first bytes, which the loader is about to read as well. A relaid file costs one
 * more, of bytes that are read next in any case.
 *
 * The checksum of the appended part is not checked, because that would mean reading all of it. A false note only costs
 * speed, and no more than whole mode would.
 */
#include "prefetch/whole-mode/hot-extent.h"

#include <string.h>

#include "base/checked.h"
#include "elf/file.h"
#include "format/note.h"

static bool is_note(const struct note_segment *note)
{
	return LE32(note->n_namesz) == sizeof(NOTE_NAME) &&
		LE32(note->n_descsz) == sizeof(struct note_relaid) && LE32(note->n_type) == NOTE_TYPE &&
		memcmp(note->name, NOTE_NAME, sizeof(NOTE_NAME)) == 0 &&
		LE32(note->relaid.version) == NOTE_VERSION;
}

static bool read_note(int fd, uint64_t file_size, struct note_segment *ret, uint64_t *ret_offset)
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

bool hot_extent(int fd, uint64_t file_size, struct object_part *ret)
{
	struct note_segment note;
	uint64_t note_offset, tables, tables_size, hot, hot_size;

	if (!read_note(fd, file_size, &note, &note_offset))
		return false;
	tables = LE64(note.relaid.tables_offset);
	tables_size = LE64(note.relaid.tables_size);
	hot = LE64(note.relaid.hot_offset);
	hot_size = LE64(note.relaid.hot_size);
	if (!range_fits(tables, tables_size, file_size) || !range_fits(hot, hot_size, file_size))
		return false;
	if (note_offset < tables || !range_fits(note_offset - tables, NOTE_REACH, tables_size))
		return false;
	if (hot_size == 0)
		hot = tables + tables_size;
	if (hot < tables + tables_size)
		return false;
	*ret = (struct object_part){.offset = tables, .length = hot + hot_size - tables};
	return true;
}
