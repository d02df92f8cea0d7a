/* SPDX-License-Identifier: MIT */
/*
 * Makes the sizes and checksums of a poked or random file right again, so that a test or a fuzzer gets past
 * them to what they protect. Bounds-checked: the bytes may be anything.
 */
#pragma once

#include <string.h>

#include "base/io.h"
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

#define SEAL_PROFILE_SIZE_AT 16 /* of file_size in the header: profile/profile-file.c */

static inline void seal_profile(void *data, size_t size)
{
	uint64_t checksum, file_size = LE64(size);

	if (size < SEAL_PROFILE_SIZE_AT + sizeof(file_size) + sizeof(checksum))
		return;
	memcpy((char *)data + SEAL_PROFILE_SIZE_AT, &file_size, sizeof(file_size));
	checksum = LE64(checksum64(data, size - sizeof(checksum)));
	memcpy((char *)data + size - sizeof(checksum), &checksum, sizeof(checksum));
}
