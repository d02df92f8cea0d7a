/* SPDX-License-Identifier: MIT */
/*
 * Where the note of a relaid file says that its tables and its hot region lie. The checksum of the appended part is not
 * checked, because that would mean reading all of it. A false note only costs speed, and no more than whole mode would.
 */
#include "prefetch/whole-mode/hot-extent.h"

#include "base/checked.h"
#include "elf/relaid-note.h"

bool hot_extent(int fd, uint64_t file_size, struct object_part *ret)
{
	struct note_segment note;
	uint64_t note_offset, tables, tables_size, hot, hot_size;

	if (!elf_relaid_note(fd, file_size, &note, &note_offset))
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
