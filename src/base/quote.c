/* SPDX-License-Identifier: MIT */
/* Quoting. */
#include "base/quote.h"

#include <stdlib.h>
#include <string.h>

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+:@,-"

void quote_shell(FILE *file, const char *word)
{
	if (word[0] && strspn(word, PLAIN) == strlen(word)) {
		fputs(word, file);
		return;
	}
	fputc('\'', file);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", file);
		else
			fputc(*word, file);
	}
	fputc('\'', file);
}

char *quoted_shell(const char *word)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	quote_shell(file, word);
	if (fclose(file) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
