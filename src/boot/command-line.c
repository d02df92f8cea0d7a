/* SPDX-License-Identifier: MIT */
#include "boot/command-line.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/io.h"

#define SPACES " \t\n"
#define KEY    "headstart="
#define MAX    (1u << 16) /* bytes; no kernel takes as many */

static bool is_word(const char *text, size_t length, const char *word)
{
	return length == strlen(word) && memcmp(text, word, length) == 0;
}

/* Blanks within double quotes do not end a word (the kernel's lib/cmdline.c, next_arg()). */
static size_t word_length(const char *text)
{
	bool quoted = false;
	size_t n = 0;

	for (; text[n] && (quoted || !strchr(SPACES, text[n])); n++)
		quoted ^= text[n] == '"';
	return n;
}

enum boot_mode boot_mode_of(const char *text)
{
	enum boot_mode mode = BOOT_USUAL;

	for (text += strspn(text, SPACES); *text; text += strspn(text, SPACES)) {
		size_t length = word_length(text);

		if (is_word(text, length, "--"))
			break;
		if (is_word(text, length, KEY "off"))
			mode = BOOT_OFF;
		else if (is_word(text, length, KEY "record"))
			mode = BOOT_RECORD;
		else if (strncmp(text, KEY, strlen(KEY)) == 0)
			mode = BOOT_USUAL;
		text += length;
	}
	return mode;
}

enum boot_mode boot_mode_read(const char *path)
{
	_cleanup_free_ char *text = NULL;
	size_t size;

	return read_pseudo_file(path, MAX, &text, &size) < 0 ? BOOT_USUAL : boot_mode_of(text);
}
