/* SPDX-License-Identifier: MIT */
/*
 * Corrects the sizes and checksums of a poked or random file, so that a test or a fuzzer gets past them to what they
 * protect. Bounds-checked: the bytes may be anything.
 */
#pragma once

#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "base/checksum.h"
#include "format/note.h"
#include "format/plan.h"

static inline void seal_plan(void *data, size_t size)
{
	struct plan_header *header = data;
	uint32_t body, probes_end;

	if (size < sizeof(*header))
		return;
	body = LE32(header->files_offset);
	probes_end = LE32(header->probes_end);
	header->file_size = LE64(size);
	if (body <= size)
		header->body_checksum = LE64(checksum64((char *)data + body, size - body));
	if (probes_end >= sizeof(*header) && probes_end <= size)
		header->header_checksum = LE64(plan_head_checksum(data, probes_end));
}

#define SEAL_PROFILE_SIZE_AT 16 /* of file_size in the header: profile/file/disk-layout.h */

static inline void seal_profile(void *data, size_t size)
{
	uint64_t checksum, file_size = LE64(size);

	if (size < SEAL_PROFILE_SIZE_AT + sizeof(file_size) + sizeof(checksum))
		return;
	memcpy((char *)data + SEAL_PROFILE_SIZE_AT, &file_size, sizeof(file_size));
	checksum = LE64(checksum64(data, size - sizeof(checksum)));
	memcpy((char *)data + size - sizeof(checksum), &checksum, sizeof(checksum));
}

/* Copies the note of a relaid file. Returns where it lies, or 0 if there is no room for one where its header says. */
static inline uint64_t seal_find_note(const void *data, size_t size, struct note_relaid *ret)
{
	Elf64_Ehdr header;
	uint64_t at;

	if (size < sizeof(header))
		return 0;
	memcpy(&header, data, sizeof(header));
	at = note_offset(&header) + offsetof(struct note_segment, relaid);
	if (at > size || size - at < sizeof(*ret))
		return 0;
	memcpy(ret, (const uint8_t *)data + at, sizeof(*ret));
	return at;
}

/*
 * Corrects the checksum of what was appended to a relaid file, or of all of a compacted file; with `original`, also
 * that of the original inside it.
 */
static inline void seal_relaid(void *data, size_t size, int original)
{
	uint8_t *bytes = data;
	struct note_relaid note;
	Elf64_Ehdr header, first;
	uint64_t at = seal_find_note(data, size, &note), start;

	if (!at)
		return;
	start = (LE32(note.passes) & NOTE_PASS_COMPACT) ? 0 : LE64(note.original_size);
	if (start > at)
		return;
	if (original && start >= sizeof(header)) {
		memcpy(&header, data, sizeof(header));
		first = header;
		first.e_phoff = LE64(note.original_phoff);
		first.e_phnum = (Elf64_Half)LE32(note.original_phnum);
		memcpy(data, &first, sizeof(first));
		note.original_checksum = LE64(checksum64(data, start));
		memcpy(data, &header, sizeof(header));
	}
	note.appended_checksum = 0;
	memcpy(bytes + at, &note, sizeof(note));
	note.appended_checksum = LE64(checksum64(bytes + start, size - start));
	memcpy(bytes + at, &note, sizeof(note));
}
