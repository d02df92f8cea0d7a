/* SPDX-License-Identifier: MIT */
/* Reads a profile file (disk-layout.h), every byte of which may be hostile. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/reader.h"
#include "format/endian.h"
#include "profile/file/disk-layout.h"
#include "profile/file/profile-file.h"
#include "profile/functions.h"
#include "profile/recordings/recordings.h"
#include "profile/texts.h"

static bool read_ranges(struct reader *ranges, uint32_t count, struct profile_file *file)
{
	const char *at = reader_take(ranges, count, sizeof(struct disk_range));

	if (!at)
		return false;
	if (count == 0)
		return true;
	file->ranges = calloc(count, sizeof(*file->ranges));
	if (!file->ranges)
		return false;
	file->n_ranges = file->ranges_capacity = count;
	for (uint32_t i = 0; i < count; i++) {
		struct disk_range disk;

		memcpy(&disk, at + i * sizeof(disk), sizeof(disk));
		file->ranges[i] = (struct profile_range){
			.page = LE32(disk.page),
			.pages = LE32(disk.pages),
			.order = LE32(disk.order),
			.runs = LE32(disk.runs),
			.doubt = {LE16(disk.unsure), LE16(disk.missed)},
		};
	}
	return true;
}

static bool read_parts(struct reader *parts, uint32_t count, struct elf_landmarks *landmarks)
{
	const char *at = reader_take(parts, count, sizeof(struct elf_part));

	if (!at || count > LANDMARK_PARTS_MAX)
		return false;
	landmarks->parts = calloc(count, sizeof(*landmarks->parts));
	if (!landmarks->parts)
		return false;
	landmarks->n_parts = landmarks->parts_capacity = count;
	for (uint32_t i = 0; i < count; i++) {
		struct elf_part disk;

		memcpy(&disk, at + i * sizeof(disk), sizeof(disk));
		landmarks->parts[i] = (struct elf_part){LE32(disk.name), LE32(disk.offset), LE32(disk.size)};
	}
	return true;
}

static bool read_marks(struct reader *marks, uint32_t count, struct elf_landmarks *landmarks)
{
	const char *at = reader_take(marks, count, sizeof(struct elf_landmark));

	if (!at)
		return false;
	if (count == 0)
		return true;
	landmarks->marks = calloc(count, sizeof(*landmarks->marks));
	if (!landmarks->marks)
		return false;
	landmarks->n_marks = landmarks->marks_capacity = count;
	for (uint32_t i = 0; i < count; i++) {
		struct elf_landmark disk;

		memcpy(&disk, at + i * sizeof(disk), sizeof(disk));
		landmarks->marks[i] = (struct elf_landmark){LE32(disk.key), LE32(disk.offset)};
	}
	return true;
}

static bool build_id_good(const struct disk_file *disk)
{
	for (size_t i = LE32(disk->build_id_size); i < sizeof(disk->build_id); i++)
		if (disk->build_id[i] != 0)
			return false;
	return true;
}

/* The parts of a recording, each of which is read from its beginning to its end. */
struct tables {
	struct reader files, ranges, parts, marks, file_systems, block_ranges, execs, functions, strings;
};

/* A file without parts has no landmarks either. */
static bool read_landmarks(
	struct tables *tables, uint32_t part_count, uint32_t mark_count, struct profile_file *file)
{
	if (part_count == 0)
		return mark_count == 0;
	file->landmarks = calloc(1, sizeof(*file->landmarks));
	return file->landmarks && read_parts(&tables->parts, part_count, file->landmarks) &&
		read_marks(&tables->marks, mark_count, file->landmarks);
}

static bool read_file_entry(struct tables *tables, struct profile_file *file)
{
	struct disk_file disk;

	if (!reader_next(&tables->files, &disk, sizeof(disk)) || !build_id_good(&disk))
		return false;
	*file = (struct profile_file){
		.size = LE64(disk.size),
		.mtime = (int64_t)LE64(disk.mtime),
		.order = LE32(disk.order),
		.kind = LE32(disk.kind),
		.build_id_size = LE32(disk.build_id_size),
	};
	memcpy(file->build_id, disk.build_id, sizeof(file->build_id));
	file->path = reader_copy_string(&tables->strings);
	return file->path && read_ranges(&tables->ranges, LE32(disk.range_count), file) &&
		read_landmarks(tables, LE32(disk.part_count), LE32(disk.mark_count), file);
}

static bool read_files(struct tables *tables, uint32_t count, struct profile *profile)
{
	profile->files = calloc((size_t)count + 1, sizeof(*profile->files));
	if (!profile->files)
		return false;
	profile->files_capacity = (size_t)count + 1;
	while (profile->n_files < count)
		if (!read_file_entry(tables, &profile->files[profile->n_files++]))
			return false;
	return tables->ranges.size == 0 && tables->parts.size == 0 && tables->marks.size == 0;
}

static bool read_block_ranges(struct reader *ranges, uint64_t count, struct profile_file_system *system)
{
	const char *at = reader_take(ranges, count, sizeof(struct disk_block_range));

	if (!at || count == 0)
		return false;
	system->ranges = calloc(count, sizeof(*system->ranges));
	if (!system->ranges)
		return false;
	system->n_ranges = system->ranges_capacity = count;
	for (size_t i = 0; i < count; i++) {
		struct disk_block_range disk;

		memcpy(&disk, at + i * sizeof(disk), sizeof(disk));
		system->ranges[i] = (struct profile_block_range){LE32(disk.page), LE32(disk.pages)};
	}
	return true;
}

static bool read_metadata(struct tables *tables, uint32_t count, struct profile *profile)
{
	if (count > PROFILE_FILE_SYSTEMS_MAX)
		return false;
	profile->file_systems = calloc((size_t)count + 1, sizeof(*profile->file_systems));
	if (!profile->file_systems)
		return false;
	profile->file_systems_capacity = (size_t)count + 1;
	while (profile->n_file_systems < count) {
		struct profile_file_system *system = &profile->file_systems[profile->n_file_systems++];
		struct disk_file_system disk;

		if (!reader_next(&tables->file_systems, &disk, sizeof(disk)))
			return false;
		system->id = LE64(disk.id);
		if (!read_block_ranges(&tables->block_ranges, LE64(disk.range_count), system))
			return false;
	}
	return tables->block_ranges.size == 0;
}

static bool read_execs(struct reader *execs, struct reader *strings, uint32_t count, struct profile *profile)
{
	if (count == 0)
		return false;
	profile->execs = calloc(count, sizeof(*profile->execs));
	if (!profile->execs)
		return false;
	profile->execs_capacity = count;
	while (profile->n_execs < count) {
		struct profile_exec *exec = &profile->execs[profile->n_execs++];
		uint32_t order;

		if (!reader_next(execs, &order, sizeof(order)))
			return false;
		exec->order = LE32(order);
		exec->path = reader_copy_string(strings);
		if (!exec->path)
			return false;
	}
	return true;
}

static bool read_texts(struct reader *strings, struct profile *profile)
{
	for (size_t i = 0; i < PROFILE_TEXTS; i++) {
		*profile_text(profile, i) = reader_copy_string(strings);
		if (!*profile_text(profile, i))
			return false;
	}
	return true;
}

static bool read_arguments(struct reader *strings, uint32_t count, struct profile *profile)
{
	if (count > PROFILE_ARGUMENTS_MAX)
		return false;
	profile->arguments = calloc((size_t)count + 1, sizeof(*profile->arguments));
	if (!profile->arguments)
		return false;
	for (; profile->n_arguments < count; profile->n_arguments++) {
		char *argument = reader_copy_string(strings);

		if (!argument)
			return false;
		profile->arguments[profile->n_arguments] = argument;
	}
	return true;
}

/* Cuts the body into its tables. Returns whether they fill it. */
static bool take_tables(const struct disk_header *header, struct reader body, struct tables *ret)
{
	const struct reader_table tables[] = {
		{&ret->files, LE32(header->file_count), sizeof(struct disk_file)},
		{&ret->ranges, LE32(header->range_count), sizeof(struct disk_range)},
		{&ret->parts, LE32(header->part_count), sizeof(struct elf_part)},
		{&ret->marks, LE32(header->mark_count), sizeof(struct elf_landmark)},
		{&ret->file_systems, LE32(header->file_system_count), sizeof(struct disk_file_system)},
		{&ret->block_ranges, LE32(header->block_range_count), sizeof(struct disk_block_range)},
		{&ret->execs, LE32(header->exec_count), sizeof(uint32_t)},
		{&ret->functions, LE64(header->functions_size), 1},
		{&ret->strings, LE32(header->strings_size), 1},
	};

	return reader_cut(body, tables, sizeof(tables) / sizeof(*tables));
}

static bool read_functions(const struct reader *functions, struct profile *profile)
{
	return functions->size == 0 ||
		profile_functions_parse(functions->data, functions->size, &profile->functions) == 0;
}

/* Reads everything but the header and the checksum. */
static bool read_body(const struct disk_header *header, struct reader body, struct profile *profile)
{
	struct tables tables;

	return take_tables(header, body, &tables) && read_texts(&tables.strings, profile) &&
		read_files(&tables, LE32(header->file_count), profile) &&
		read_metadata(&tables, LE32(header->file_system_count), profile) &&
		read_execs(&tables.execs, &tables.strings, LE32(header->exec_count), profile) &&
		read_arguments(&tables.strings, LE32(header->argument_count), profile) &&
		read_functions(&tables.functions, profile) && tables.strings.size == 0;
}

/* Reads the header of a recording. The version comes first, since headers of other versions have other sizes. */
static enum profile_fault read_header(const void *data, size_t size, struct disk_header *ret)
{
	const size_t version_end = offsetof(struct disk_header, page_size);

	if (size < sizeof(ret->magic) || memcmp(data, PROFILE_MAGIC, sizeof(ret->magic)) != 0)
		return PROFILE_FOREIGN;
	if (size < version_end)
		return PROFILE_TRUNCATED;
	memcpy(ret, data, version_end);
	if (LE32(ret->version) > PROFILE_VERSION)
		return PROFILE_NEWER;
	if (LE32(ret->version) < PROFILE_VERSION)
		return PROFILE_OLDER;
	if (size < sizeof(*ret) + sizeof(uint64_t))
		return PROFILE_TRUNCATED;
	memcpy(ret, data, sizeof(*ret));
	return LE64(ret->file_size) > size ? PROFILE_TRUNCATED : PROFILE_GOOD;
}

/* Parses the recording that the data begins with. *ret_size is how many bytes it takes. */
static enum profile_fault parse_recording(
	const void *data, size_t size, struct profile *ret, size_t *ret_size)
{
	_cleanup_(profile_releasep) struct profile profile = {0};
	struct disk_header header;
	struct reader body;
	uint64_t checksum;
	enum profile_fault fault = read_header(data, size, &header);

	if (fault != PROFILE_GOOD)
		return fault;
	size = LE64(header.file_size);
	if (size < sizeof(header) + sizeof(checksum))
		return PROFILE_DAMAGED;
	size -= sizeof(checksum);
	memcpy(&checksum, (const char *)data + size, sizeof(checksum));
	if (LE64(checksum) != checksum64(data, size))
		return PROFILE_DAMAGED;
	profile.page_size = LE32(header.page_size);
	profile.recorded = (int64_t)LE64(header.recorded);
	profile.runs = LE32(header.runs);
	profile.touches = LE32(header.touches);
	profile.first_touches = LE32(header.first_touches);
	profile.first_pages = LE32(header.first_pages);
	profile.backend = LE32(header.backend);
	profile.bias = LE32(header.bias);
	profile.asked = LE64(header.asked);
	profile.status = LE32(header.status);
	body = (struct reader){(const char *)data + sizeof(header), size - sizeof(header)};
	if (!read_body(&header, body, &profile) || profile_check(&profile) < 0)
		return PROFILE_DAMAGED;
	*ret_size = size + sizeof(checksum);
	*ret = profile;
	profile = (struct profile){0};
	return PROFILE_GOOD;
}

enum profile_fault recordings_parse(const void *data, size_t size, struct recordings *ret)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	const char *at = data;

	do {
		_cleanup_(profile_releasep) struct profile profile = {0};
		size_t taken = 0;
		enum profile_fault fault = parse_recording(at, size, &profile, &taken);

		if (fault == PROFILE_FOREIGN && recordings.n > 0)
			fault = PROFILE_DAMAGED;
		if (fault != PROFILE_GOOD)
			return fault;
		if (recordings_add(&recordings, &profile) < 0)
			return PROFILE_DAMAGED;
		at += taken;
		size -= taken;
	} while (size > 0);
	*ret = recordings;
	recordings = (struct recordings){0};
	return PROFILE_GOOD;
}

/* Makes one profile of all recordings. They are good, but their orders and runs may be too many together. */
static enum profile_fault merge_all(struct recordings *recordings, struct profile *ret)
{
	if (recordings->n > 1)
		return recordings_merge(recordings, ret) < 0 ? PROFILE_DAMAGED : PROFILE_GOOD;
	*ret = recordings->items[0];
	recordings->items[0] = (struct profile){0};
	return PROFILE_GOOD;
}

enum profile_fault profile_parse(const void *data, size_t size, struct profile *ret)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	enum profile_fault fault = recordings_parse(data, size, &recordings);

	return fault == PROFILE_GOOD ? merge_all(&recordings, ret) : fault;
}

int recordings_load(const char *path, struct recordings *ret, enum profile_fault *ret_fault)
{
	_cleanup_free_ char *data = NULL;
	enum profile_fault fault;
	size_t size;
	int r = read_file(path, PROFILE_MAX_SIZE, &data, &size);

	if (r < 0)
		return r == -EBADMSG ? -EIO : r; /* a damaged file system, not a damaged profile */
	fault = recordings_parse(data, size, ret);
	if (fault == PROFILE_GOOD)
		return 0;
	*ret_fault = fault;
	return -EBADMSG;
}

int profile_load(const char *path, struct profile *ret, enum profile_fault *ret_fault)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	enum profile_fault fault = PROFILE_DAMAGED;
	int r = recordings_load(path, &recordings, ret_fault);

	if (r < 0)
		return r;
	fault = merge_all(&recordings, ret);
	if (fault == PROFILE_GOOD)
		return 0;
	*ret_fault = fault;
	return -EBADMSG;
}

const char *profile_fault_text(enum profile_fault fault)
{
	switch (fault) {
	case PROFILE_GOOD:
		return "is good";
	case PROFILE_FOREIGN:
		return "is not a headstart profile";
	case PROFILE_NEWER:
		return "was made by a newer headstart";
	case PROFILE_OLDER:
		return "was made by an older headstart: record again";
	case PROFILE_TRUNCATED:
		return "is truncated: the end of the profile is missing";
	case PROFILE_DAMAGED:
		return "is damaged: it is not what headstart wrote";
	}
	return "is not a headstart profile";
}
