/* SPDX-License-Identifier: MIT */
/* Target: a compact file and its original, as verify reads them. The input is the size of the original (32 bits), it, the file. */
#include "fuzz.h"

#include <errno.h>

#include "base/cleanup.h"
#include "seal.h"
#include "verify/compact/compact.h"

size_t inputs_taken;

/* Returns whether verify accepts it. */
static bool check(const void *original, size_t original_size, const void *data, size_t size)
{
	struct verify_report report;
	int verified = verify_compacted(original, original_size, data, size, &report);

	must(verified == 0 ? report.problem[0] == '\0'
			   : report.problem[0] != '\0' &&
				(verified == -ENODATA || verified == -EBADMSG || verified == -EOPNOTSUPP));
	return verified == 0;
}

/* Makes the note say that the file was made from that original. */
static void seal(const void *original, size_t original_size, uint8_t *data, size_t size)
{
	struct note_relaid note;
	uint64_t at = seal_find_note(data, size, &note);

	if (!at)
		return;
	note.original_size = LE64(original_size);
	note.original_checksum = LE64(checksum64(original, original_size));
	memcpy(data + at, &note, sizeof(note));
	seal_relaid(data, size, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ void *original = NULL, *file = NULL;
	uint32_t original_size;
	bool taken;

	if (size < sizeof(original_size))
		return 0;
	memcpy(&original_size, data, sizeof(original_size));
	original_size = LE32(original_size);
	data += sizeof(original_size);
	size -= sizeof(original_size);
	if (original_size > size)
		return 0;
	original = exact_copy(data, original_size);
	file = exact_copy(data + original_size, size - original_size);
	taken = check(original, original_size, file, size - original_size);
	seal(original, original_size, file, size - original_size);
	taken |= check(original, original_size, file, size - original_size);
	inputs_taken += taken;
	return 0;
}
