/* SPDX-License-Identifier: MIT */
/* Target: an ELF file for a relayout. It is refused, or verify accepts the result and undo restores the file. */
#include "fuzz.h"

#include <elf.h>

#include "base/cleanup.h"
#include "format/note.h"
#include "relayout-check.h"

#define PASSES (NOTE_PASS_HOT | NOTE_PASS_RELR | NOTE_PASS_RELOCS)

size_t inputs_taken;

/* Bytes of the ELF header that nobody reads choose the passes and the hot pages. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ void *copy = exact_copy(data, size);
	unsigned other = size > EI_NIDENT ? data[EI_NIDENT - 1] : 0,
		 seed = size > EI_NIDENT ? data[EI_NIDENT - 2] : 0;
	uint32_t passes = (PASSES & ~other) | (NOTE_PASS_COMPACT & other);
	char problem[RELAYOUT_CHECK_MAX];
	bool accepted;

	if (!relayout_check(copy, size, passes, seed, &accepted, problem)) {
		fprintf(stderr, "%s\n", problem);
		abort();
	}
	inputs_taken += accepted;
	return 0;
}
