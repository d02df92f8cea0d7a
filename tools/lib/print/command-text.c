/* SPDX-License-Identifier: MIT */
#include "lib/print/command-text.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/quote.h"

#define LENGTH_MAX 200 /* bytes */

char *command_text(char *const *argv)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	for (char *const *word = argv; stream && *word; word++) {
		fputc(' ', stream);
		quote_shell(stream, *word);
	}
	return stream && fclose(stream) == 0 && size <= LENGTH_MAX ? TAKE_PTR(text) : NULL;
}
