/* SPDX-License-Identifier: MIT */
/* Target: the record of what was placed. What is accepted has sound numbers and absolute paths. */
#include "fuzz.h"

#include <errno.h>

#include "place/record.h"

size_t inputs_taken;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct place_record record;
	char *text = malloc(size + 1);
	int r;

	must(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	r = place_record_parse(text, size, &record);
	free(text);
	if (r < 0) {
		must(r == -EBADMSG);
		return 0;
	}
	for (size_t i = 0; i < record.n_programs; i++)
		must(record.programs[i][0] == '/');
	for (size_t i = 0; i < record.n_files; i++) {
		const struct placed_file *file = &record.files[i];

		must(file->path[0] == '/' && file->size <= INT64_MAX);
		for (size_t j = 0; j < file->n_extents; j++) {
			const struct device_extent *extent = &file->extents[j];

			must(extent->length > 0 && extent->length <= INT64_MAX);
			must(extent->offset <= INT64_MAX - extent->length);
			must(extent->physical <= INT64_MAX - extent->length);
		}
	}
	inputs_taken += record.n_files > 0;
	place_record_release(&record);
	return 0;
}
