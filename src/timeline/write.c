/* SPDX-License-Identifier: MIT */
/* Writes a timeline as a file (disk-layout.h). */
#include <errno.h>
#include <string.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/writer.h"
#include "format/endian.h"
#include "replace/publish.h"
#include "timeline/disk-layout.h"
#include "timeline/timeline-file.h"

static void put_spans(struct writer *writer, const struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->n_spans; i++) {
		const struct timeline_span *span = &timeline->spans[i];

		writer_put(writer,
			&(struct disk_span){
				.begin = LE64(span->begin),
				.end = LE64(span->end),
				.thread = LE32(span->thread),
				.state = LE16(span->state),
				.woken_by = LE16(span->woken_by),
				.file = LE32(span->file),
				.read = LE32(span->read),
				.note = LE32(span->note),
				.waker = LE32(span->waker),
			},
			sizeof(struct disk_span));
	}
}

static void put_reads(struct writer *writer, const struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->n_reads; i++) {
		const struct timeline_read *read = &timeline->reads[i];
		uint32_t flags = (read->seeks ? READ_SEEKS : 0) | (read->ahead ? READ_AHEAD : 0) |
			(uint32_t)read->prefetch << READ_PREFETCH_SHIFT;

		writer_put(writer,
			&(struct disk_read){
				.begin = LE64(read->begin),
				.end = LE64(read->end),
				.place = LE64(read->place),
				.thread = LE32(read->thread),
				.file = LE32(read->file),
				.page = LE32(read->page),
				.pages = LE32(read->pages),
				.disk = LE32(read->disk),
				.flags = LE32(flags),
			},
			sizeof(struct disk_read));
	}
}

static void put_tables(struct writer *writer, const struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->n_files; i++)
		writer_put(writer,
			&(struct disk_file){.pages = LE64(timeline->files[i].pages),
				.kind = LE32(timeline->files[i].kind)},
			sizeof(struct disk_file));
	for (size_t i = 0; i < timeline->n_threads; i++) {
		const struct timeline_thread *thread = &timeline->threads[i];

		writer_put(writer,
			&(struct disk_thread){
				.begin = LE64(thread->begin),
				.end = LE64(thread->end),
				.tid = LE32(thread->tid),
				.pid = LE32(thread->pid),
				.parent = LE32(thread->parent),
			},
			sizeof(struct disk_thread));
	}
	for (size_t i = 0; i < timeline->n_units; i++)
		writer_put(writer,
			&(struct disk_unit){.started = LE64(timeline->units[i].started),
				.active = LE64(timeline->units[i].active)},
			sizeof(struct disk_unit));
	for (size_t i = 0; i < timeline->n_execs; i++)
		writer_put(writer,
			&(struct disk_exec){.time = LE64(timeline->execs[i].time),
				.thread = LE32(timeline->execs[i].thread)},
			sizeof(struct disk_exec));
	put_spans(writer, timeline);
	put_reads(writer, timeline);
	for (size_t i = 0; i < timeline->n_marks; i++)
		writer_put(writer, &(uint64_t){LE64(timeline->marks[i].time)}, sizeof(uint64_t));
}

static void put_strings(struct writer *writer, const struct timeline *timeline)
{
	writer_put_string(writer, timeline->command);
	writer_put_string(writer, timeline->program);
	writer_put_string(writer, timeline->kernel);
	writer_put_string(writer, timeline->ended_by);
	for (size_t i = 0; i < timeline->n_files; i++)
		writer_put_string(writer, timeline->files[i].path);
	for (size_t i = 0; i < timeline->n_threads; i++)
		writer_put_string(writer, timeline->threads[i].name);
	for (size_t i = 0; i < timeline->n_execs; i++)
		writer_put_string(writer, timeline->execs[i].path);
	for (size_t i = 0; i < timeline->n_marks; i++)
		writer_put_string(writer, timeline->marks[i].name);
	for (size_t i = 0; i < timeline->n_notes; i++)
		writer_put_string(writer, timeline->notes[i]);
}

static struct disk_header header_of(const struct timeline *timeline)
{
	struct disk_header header = {
		.version = LE32(timeline_is_boot(timeline) ? TIMELINE_VERSION_BOOT : TIMELINE_VERSION),
		.page_size = LE32(timeline->page_size),
		.recorded = (int64_t)LE64(timeline->recorded),
		.duration = LE64(timeline->duration),
		.prefetched = LE64(timeline->prefetched),
		.flags = LE32(timeline->lost ? TIMELINE_LOST : 0),
		.file_count = LE32(timeline->n_files),
		.thread_count = LE32(timeline->n_threads),
		.exec_count = LE32(timeline->n_execs),
		.span_count = LE32(timeline->n_spans),
		.read_count = LE32(timeline->n_reads),
		.mark_count = LE32(timeline->n_marks),
		.note_count = LE32(timeline->n_notes),
	};

	memcpy(header.magic, TIMELINE_MAGIC, sizeof(header.magic));
	return header;
}

int timeline_serialize(const struct timeline *timeline, void **ret_data, size_t *ret_size)
{
	_cleanup_(writer_releasep) struct writer writer = {0};
	struct disk_header header;
	uint64_t checksum;
	size_t strings_at;
	int r = timeline_check(timeline);

	if (r < 0)
		return r;
	header = header_of(timeline);
	writer_put(&writer, &header, sizeof(header));
	put_tables(&writer, timeline);
	strings_at = writer.size;
	put_strings(&writer, timeline);
	if (writer.error < 0)
		return writer.error;
	if (writer.size + sizeof(checksum) > TIMELINE_MAX_SIZE)
		return -EFBIG;
	header.strings_size = LE32(writer.size - strings_at);
	header.file_size = LE64(writer.size + sizeof(checksum));
	memcpy(writer.data, &header, sizeof(header));
	checksum = LE64(checksum64(writer.data, writer.size));
	writer_put(&writer, &checksum, sizeof(checksum));
	if (writer.error < 0)
		return writer.error;
	*ret_size = writer.size;
	*ret_data = TAKE_PTR(writer.data);
	return 0;
}

int timeline_save(const struct timeline *timeline, const char *path)
{
	_cleanup_free_ void *data = NULL;
	size_t size;
	int r = timeline_serialize(timeline, &data, &size);

	return r < 0 ? r : publish_file(path, 0600, data, size);
}
