/* SPDX-License-Identifier: MIT */
#include "plan/asked/words.h"

#include <string.h>

#include "format/asked.h"

struct words words_of(const char *const *argv)
{
	struct words words = {.argv = argv};

	while (argv[words.n])
		words.n++;
	return words;
}

long words_read(void *context, unsigned int number, size_t offset, char *text, size_t size)
{
	const struct words *words = context;
	size_t length;

	if (number >= words->n)
		return ASKED_END;
	length = strnlen(words->argv[number] + offset, size);
	memcpy(text, words->argv[number] + offset, length);
	return (long)length;
}
