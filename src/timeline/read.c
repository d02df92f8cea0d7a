/* SPDX-License-Identifier: MIT */
/* Reads a timeline (disk-layout.h), every byte of which may be hostile. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/reader.h"
#include "format/endian.h"
#include "timeline/disk-layout.h"
#include "timeline/timeline-file.h"

/* The parts of the file, each of which is read from its beginning to its end. */
struct tables {
	struct reader files, threads, units, execs, spans, reads, marks, strings;
};

static bool take_tables(const struct disk_header *header, struct reader body, struct tables *ret)
{
	const struct reader_table tables[] = {
		{&ret->files, LE32(header->file_count), sizeof(struct disk_file)},
		{&ret->threads, LE32(header->thread_count), sizeof(struct disk_thread)},
		{&ret->units, LE32(header->version) == TIMELINE_VERSION_BOOT ? LE32(header->thread_count) : 0,
			sizeof(struct disk_unit)},
		{&ret->execs, LE32(header->exec_count), sizeof(struct disk_exec)},
		{&ret->spans, LE32(header->span_count), sizeof(struct disk_span)},
		{&ret->reads, LE32(header->read_count), sizeof(struct disk_read)},
		{&ret->marks, LE32(header->mark_count), sizeof(uint64_t)},
		{&ret->strings, LE32(header->strings_size), 1},
	};

	return reader_cut(body, tables, sizeof(tables) / sizeof(*tables));
}

static bool read_texts(struct reader *strings, struct timeline *timeline)
{
	timeline->command = reader_copy_string(strings);
	timeline->program = timeline->command ? reader_copy_string(strings) : NULL;
	timeline->kernel = timeline->program ? reader_copy_string(strings) : NULL;
	timeline->ended_by = timeline->kernel ? reader_copy_string(strings) : NULL;
	return timeline->ended_by;
}

static bool read_files(struct tables *tables, struct timeline *timeline)
{
	struct disk_file disk;

	while (reader_next(&tables->files, &disk, sizeof(disk))) {
		const char *path = reader_string(&tables->strings);

		if (!path || disk.reserved ||
			timeline_add_file(timeline, LE32(disk.kind), LE64(disk.pages), path) < 0)
			return false;
	}
	return true;
}

static bool read_threads(struct tables *tables, struct timeline *timeline)
{
	struct disk_thread disk;

	while (reader_next(&tables->threads, &disk, sizeof(disk))) {
		const char *name = reader_string(&tables->strings);
		const struct timeline_thread thread = {
			.begin = LE64(disk.begin),
			.end = LE64(disk.end),
			.tid = (int32_t)LE32(disk.tid),
			.pid = (int32_t)LE32(disk.pid),
			.parent = LE32(disk.parent),
		};

		if (!name || disk.reserved || timeline_add_thread(timeline, &thread, name) < 0)
			return false;
	}
	return true;
}

static bool read_units(struct tables *tables, struct timeline *timeline)
{
	struct disk_unit disk;

	while (reader_next(&tables->units, &disk, sizeof(disk))) {
		const struct timeline_unit unit = {LE64(disk.started), LE64(disk.active)};

		if (timeline_add_unit(timeline, &unit) < 0)
			return false;
	}
	return true;
}

static bool read_execs(struct tables *tables, struct timeline *timeline)
{
	struct disk_exec disk;

	while (reader_next(&tables->execs, &disk, sizeof(disk))) {
		const char *path = reader_string(&tables->strings);

		if (!path || disk.reserved ||
			timeline_add_exec(timeline, LE64(disk.time), LE32(disk.thread), path) < 0)
			return false;
	}
	return true;
}

static bool read_spans(struct tables *tables, struct timeline *timeline)
{
	struct disk_span disk;

	while (reader_next(&tables->spans, &disk, sizeof(disk))) {
		const struct timeline_span span = {
			.begin = LE64(disk.begin),
			.end = LE64(disk.end),
			.thread = LE32(disk.thread),
			.state = LE16(disk.state),
			.woken_by = LE16(disk.woken_by),
			.file = LE32(disk.file),
			.read = LE32(disk.read),
			.note = LE32(disk.note),
			.waker = LE32(disk.waker),
		};

		if (timeline_add_span(timeline, &span) < 0)
			return false;
	}
	return true;
}

static bool read_reads(struct tables *tables, struct timeline *timeline)
{
	struct disk_read disk;

	while (reader_next(&tables->reads, &disk, sizeof(disk))) {
		const struct timeline_read read = {
			.begin = LE64(disk.begin),
			.end = LE64(disk.end),
			.place = LE64(disk.place),
			.thread = LE32(disk.thread),
			.file = LE32(disk.file),
			.page = LE32(disk.page),
			.pages = LE32(disk.pages),
			.disk = LE32(disk.disk),
			.seeks = LE32(disk.flags) & READ_SEEKS,
			.ahead = LE32(disk.flags) & READ_AHEAD,
			.prefetch = LE32(disk.flags) >> READ_PREFETCH_SHIFT & READ_PREFETCH_MASK,
		};

		if (LE32(disk.flags) >> READ_PREFETCH_SHIFT > READ_PREFETCH_MASK ||
			timeline_add_read(timeline, &read) < 0)
			return false;
	}
	return true;
}

static bool read_marks(struct tables *tables, struct timeline *timeline)
{
	uint64_t time;

	while (reader_next(&tables->marks, &time, sizeof(time))) {
		const char *name = reader_string(&tables->strings);

		if (!name || timeline_add_mark(timeline, LE64(time), name) < 0)
			return false;
	}
	return true;
}

static bool read_notes(struct tables *tables, uint32_t count, struct timeline *timeline)
{
	for (uint32_t i = 0; i < count; i++) {
		const char *text = reader_string(&tables->strings);

		if (!text || timeline_add_note(timeline, text) < 0)
			return false;
	}
	return tables->strings.size == 0;
}

static bool read_body(const struct disk_header *header, struct reader body, struct timeline *timeline)
{
	struct tables tables;

	return take_tables(header, body, &tables) && read_texts(&tables.strings, timeline) &&
		read_files(&tables, timeline) && read_threads(&tables, timeline) &&
		read_units(&tables, timeline) && read_execs(&tables, timeline) &&
		read_spans(&tables, timeline) && read_reads(&tables, timeline) &&
		read_marks(&tables, timeline) && read_notes(&tables, LE32(header->note_count), timeline);
}

static enum timeline_fault read_header(const void *data, size_t size, struct disk_header *ret)
{
	uint64_t checksum;

	if (size < sizeof(ret->magic) || memcmp(data, TIMELINE_MAGIC, sizeof(ret->magic)) != 0)
		return TIMELINE_FOREIGN;
	if (size < sizeof(*ret) + sizeof(checksum))
		return TIMELINE_TRUNCATED;
	memcpy(ret, data, sizeof(*ret));
	if (LE32(ret->version) > TIMELINE_VERSION_BOOT)
		return TIMELINE_NEWER;
	if (LE32(ret->version) < TIMELINE_VERSION)
		return TIMELINE_OLDER;
	if (LE64(ret->file_size) > size)
		return TIMELINE_TRUNCATED;
	size -= sizeof(checksum);
	memcpy(&checksum, (const char *)data + size, sizeof(checksum));
	if (LE64(ret->file_size) < size + sizeof(checksum) || LE64(checksum) != checksum64(data, size) ||
		(LE32(ret->flags) & ~TIMELINE_LOST) || ret->reserved)
		return TIMELINE_DAMAGED;
	return TIMELINE_GOOD;
}

enum timeline_fault timeline_parse(const void *data, size_t size, struct timeline *ret)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	struct disk_header header;
	enum timeline_fault fault = read_header(data, size, &header);

	if (fault != TIMELINE_GOOD)
		return fault;
	timeline.page_size = LE32(header.page_size);
	timeline.recorded = (int64_t)LE64(header.recorded);
	timeline.duration = LE64(header.duration);
	timeline.prefetched = LE64(header.prefetched);
	timeline.lost = LE32(header.flags) & TIMELINE_LOST;
	if (!read_body(&header,
		    (struct reader){
			    (const char *)data + sizeof(header), size - sizeof(header) - sizeof(uint64_t)},
		    &timeline) ||
		timeline_check(&timeline) < 0)
		return TIMELINE_DAMAGED;
	*ret = timeline;
	timeline = (struct timeline){0};
	return TIMELINE_GOOD;
}

int timeline_load(const char *path, struct timeline *ret, enum timeline_fault *ret_fault)
{
	_cleanup_free_ char *data = NULL;
	enum timeline_fault fault;
	size_t size;
	int r = read_file(path, TIMELINE_MAX_SIZE, &data, &size);

	if (r < 0)
		return r == -EBADMSG ? -EIO : r; /* a damaged file system, not a damaged timeline */
	fault = timeline_parse(data, size, ret);
	if (fault == TIMELINE_GOOD)
		return 0;
	*ret_fault = fault;
	return -EBADMSG;
}

const char *timeline_fault_text(enum timeline_fault fault)
{
	switch (fault) {
	case TIMELINE_GOOD:
		return "is good";
	case TIMELINE_NEWER:
		return "was made by a newer headstart";
	case TIMELINE_OLDER:
		return "was made by an older headstart: trace the start again";
	case TIMELINE_TRUNCATED:
		return "is truncated: the end of the timeline is missing";
	case TIMELINE_DAMAGED:
		return "is damaged: it is not what headstart wrote";
	case TIMELINE_FOREIGN:
		break;
	}
	return "is not a headstart timeline";
}
