/* SPDX-License-Identifier: MIT */
/* Writes recordings as a profile file (disk-layout.h). */
#include <errno.h>
#include <string.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/writer.h"
#include "format/endian.h"
#include "profile/file/disk-layout.h"
#include "profile/file/profile-file.h"
#include "profile/functions.h"
#include "profile/recordings/recordings.h"
#include "profile/texts.h"
#include "replace/publish.h"

static const struct elf_landmarks *landmarks_of(const struct profile_file *file)
{
	static const struct elf_landmarks none;

	return file->landmarks ? file->landmarks : &none;
}

static void put_file(struct writer *writer, const struct profile_file *file)
{
	struct disk_file disk = {
		.size = LE64(file->size),
		.mtime = (int64_t)LE64(file->mtime),
		.order = LE32(file->order),
		.range_count = LE32(file->n_ranges),
		.kind = LE32(file->kind),
		.build_id_size = LE32(file->build_id_size),
		.part_count = LE32(landmarks_of(file)->n_parts),
		.mark_count = LE32(landmarks_of(file)->n_marks),
	};

	memcpy(disk.build_id, file->build_id, file->build_id_size);
	writer_put(writer, &disk, sizeof(disk));
}

static void put_ranges(struct writer *writer, const struct profile_file *file)
{
	for (size_t i = 0; i < file->n_ranges; i++) {
		const struct profile_range *range = &file->ranges[i];
		struct disk_range disk = {
			.page = LE32(range->page),
			.pages = LE32(range->pages),
			.order = LE32(range->order),
			.runs = LE32(range->runs),
			.unsure = LE16(range->doubt.unsure),
			.missed = LE16(range->doubt.missed),
		};

		writer_put(writer, &disk, sizeof(disk));
	}
}

static void put_parts(struct writer *writer, const struct elf_landmarks *landmarks)
{
	for (size_t i = 0; i < landmarks->n_parts; i++) {
		const struct elf_part *part = &landmarks->parts[i];
		struct elf_part disk = {LE32(part->name), LE32(part->offset), LE32(part->size)};

		writer_put(writer, &disk, sizeof(disk));
	}
}

static void put_marks(struct writer *writer, const struct elf_landmarks *landmarks)
{
	for (size_t i = 0; i < landmarks->n_marks; i++) {
		const struct elf_landmark *mark = &landmarks->marks[i];
		struct elf_landmark disk = {LE32(mark->key), LE32(mark->offset)};

		writer_put(writer, &disk, sizeof(disk));
	}
}

static void put_metadata(struct writer *writer, const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_file_systems; i++) {
		struct disk_file_system disk = {
			LE64(profile->file_systems[i].id), LE64(profile->file_systems[i].n_ranges)};

		writer_put(writer, &disk, sizeof(disk));
	}
	for (size_t i = 0; i < profile->n_file_systems; i++)
		for (size_t j = 0; j < profile->file_systems[i].n_ranges; j++) {
			const struct profile_block_range *range = &profile->file_systems[i].ranges[j];
			struct disk_block_range disk = {LE32(range->page), LE32(range->pages)};

			writer_put(writer, &disk, sizeof(disk));
		}
}

static void put_tables(struct writer *writer, const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_files; i++)
		put_file(writer, &profile->files[i]);
	for (size_t i = 0; i < profile->n_files; i++)
		put_ranges(writer, &profile->files[i]);
	for (size_t i = 0; i < profile->n_files; i++)
		put_parts(writer, landmarks_of(&profile->files[i]));
	for (size_t i = 0; i < profile->n_files; i++)
		put_marks(writer, landmarks_of(&profile->files[i]));
	put_metadata(writer, profile);
	for (size_t i = 0; i < profile->n_execs; i++) {
		uint32_t order = LE32(profile->execs[i].order);

		writer_put(writer, &order, sizeof(order));
	}
}

static void put_strings(struct writer *writer, const struct profile *profile)
{
	for (size_t i = 0; i < PROFILE_TEXTS; i++)
		writer_put_string(writer, *profile_text(profile, i));
	for (size_t i = 0; i < profile->n_files; i++)
		writer_put_string(writer, profile->files[i].path);
	for (size_t i = 0; i < profile->n_execs; i++)
		writer_put_string(writer, profile->execs[i].path);
	for (size_t i = 0; i < profile->n_arguments; i++)
		writer_put_string(writer, profile->arguments[i]);
}

static struct disk_header header_of(const struct profile *profile)
{
	struct disk_header header = {
		.version = LE32(PROFILE_VERSION),
		.page_size = LE32(profile->page_size),
		.recorded = (int64_t)LE64(profile->recorded),
		.runs = LE32(profile->runs),
		.touches = LE32(profile->touches),
		.first_touches = LE32(profile->first_touches),
		.first_pages = LE32(profile->first_pages),
		.backend = LE32(profile->backend),
		.bias = LE32(profile->bias),
		.file_count = LE32(profile->n_files),
		.exec_count = LE32(profile->n_execs),
		.asked = LE64(profile->asked),
		.status = LE32(profile->status),
		.argument_count = LE32(profile->n_arguments),
		.file_system_count = LE32(profile->n_file_systems),
	};
	size_t n_ranges = 0, n_parts = 0, n_marks = 0, n_block_ranges = 0;

	for (size_t i = 0; i < profile->n_files; i++) {
		n_ranges += profile->files[i].n_ranges;
		n_parts += landmarks_of(&profile->files[i])->n_parts;
		n_marks += landmarks_of(&profile->files[i])->n_marks;
	}
	for (size_t i = 0; i < profile->n_file_systems; i++)
		n_block_ranges += profile->file_systems[i].n_ranges;
	header.block_range_count = LE32(n_block_ranges);
	header.range_count = LE32(n_ranges);
	header.part_count = LE32(n_parts);
	header.mark_count = LE32(n_marks);
	memcpy(header.magic, PROFILE_MAGIC, sizeof(header.magic));
	return header;
}

/* Appends one recording. */
static int put_recording(struct writer *writer, const struct profile *profile)
{
	_cleanup_free_ void *functions = NULL;
	size_t begin = writer->size, strings_at, functions_size = 0;
	struct disk_header header;
	uint64_t checksum;
	int r = profile_check(profile);

	if (r == 0 && profile->functions)
		r = profile_functions_serialize(profile->functions, &functions, &functions_size);
	if (r < 0)
		return r;
	header = header_of(profile);
	header.functions_size = LE64(functions_size);
	writer_put(writer, &header, sizeof(header));
	put_tables(writer, profile);
	writer_put(writer, functions, functions_size);
	strings_at = writer->size;
	put_strings(writer, profile);
	if (writer->error < 0)
		return writer->error;
	if (writer->size + sizeof(checksum) > PROFILE_MAX_SIZE)
		return -EFBIG;
	header.strings_size = LE32(writer->size - strings_at);
	header.file_size = LE64(writer->size - begin + sizeof(checksum));
	memcpy(writer->data + begin, &header, sizeof(header));
	checksum = LE64(checksum64(writer->data + begin, writer->size - begin));
	writer_put(writer, &checksum, sizeof(checksum));
	return writer->error;
}

int recordings_serialize(const struct recordings *recordings, void **ret_data, size_t *ret_size)
{
	_cleanup_(writer_releasep) struct writer writer = {0};
	int r = recordings->n > 0 ? 0 : -EINVAL;

	for (size_t i = 0; r == 0 && i < recordings->n; i++)
		r = put_recording(&writer, &recordings->items[i]);
	if (r < 0)
		return r;
	*ret_size = writer.size;
	*ret_data = TAKE_PTR(writer.data);
	return 0;
}

int recordings_save(const struct recordings *recordings, const char *path, mode_t mode)
{
	_cleanup_free_ void *data = NULL;
	size_t size;
	int r = recordings_serialize(recordings, &data, &size);

	return r < 0 ? r : publish_file(path, mode, data, size);
}

/* A list of just this one, which is not owned. */
static struct recordings only(const struct profile *profile)
{
	return (struct recordings){.items = (struct profile *)profile, .n = 1};
}

int profile_serialize(const struct profile *profile, void **ret_data, size_t *ret_size)
{
	const struct recordings recordings = only(profile);

	return recordings_serialize(&recordings, ret_data, ret_size);
}

int profile_save(const struct profile *profile, const char *path, mode_t mode)
{
	const struct recordings recordings = only(profile);

	return recordings_save(&recordings, path, mode);
}
