/* SPDX-License-Identifier: MIT */
#include "lib/print/command-text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/quote.h"

#define LENGTH_MAX 200 /* bytes */

/* Messages show control characters as '?', so what is copied from them would be another command. */
static bool has_control(const char *word)
{
	for (; *word; word++)
		if (iscntrl((unsigned char)*word))
			return true;
	return false;
}

char *command_text(char *const *argv)
{
	_cleanup_free_ char *text = NULL;
	bool is_plain = true;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	for (char *const *word = argv; stream && *word; word++) {
		is_plain &= !has_control(*word);
		fputc(' ', stream);
		quote_shell(stream, *word);
	}
	return stream && fclose(stream) == 0 && size <= LENGTH_MAX && is_plain ? TAKE_PTR(text) : NULL;
}
