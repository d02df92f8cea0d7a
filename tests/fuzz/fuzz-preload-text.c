/* SPDX-License-Identifier: MIT */
/* Target: /etc/ld.so.preload. Adding our name and removing it again leaves everybody else's lines as they were. */
#include "fuzz.h"

#include "base/texts/preload-text.h"

#define NAME "/l"

size_t inputs_taken;

static bool ends_line(const char *text, size_t size)
{
	return size == 0 || text[size - 1] == '\n';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = exact_copy(data, size), *added, *removed, *again;
	size_t added_size, removed_size, again_size;
	bool had = preload_text_has(text, size, NAME);

	must(preload_text_remove(text, size, NAME, &removed, &removed_size) == 0);
	must(removed_size <= size && !preload_text_has(removed, removed_size, NAME));
	must(had || (removed_size == size && memcmp(removed, text, size) == 0));
	must(preload_text_add(removed, removed_size, NAME, &added, &added_size) == 0);
	must(preload_text_has(added, added_size, NAME));
	must(preload_text_remove(added, added_size, NAME, &again, &again_size) == 0);
	must(again_size == removed_size + !ends_line(removed, removed_size));
	must(memcmp(again, removed, removed_size) == 0);
	inputs_taken += had;
	free(text);
	free(added);
	free(removed);
	free(again);
	return 0;
}
