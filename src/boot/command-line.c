/* SPDX-License-Identifier: MIT */
#include "boot/command-line.h"

#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"

#define SPACES " \t\n"
#define KEY    "headstart"
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

/* As next_arg() does. */
static const char *without_quotes(const char *value, size_t *length)
{
	if (*length == 0 || *value != '"')
		return value;
	*length -= *length > 1 && value[*length - 1] == '"' ? 2 : 1;
	return value + 1;
}

/* The value of the last word NAME=VALUE, and how long it is; NULL and 0 if there is none. */
static const char *last_value(const char *text, const char *name, size_t *ret_length)
{
	const char *value = NULL;

	*ret_length = 0;
	for (text += strspn(text, SPACES); *text; text += strspn(text, SPACES)) {
		size_t length = word_length(text);
		const char *rest = after_prefix(text, name);

		if (is_word(text, length, "--"))
			break;
		if (rest && *rest == '=') {
			*ret_length = length - (size_t)(rest + 1 - text);
			value = without_quotes(rest + 1, ret_length);
		}
		text += length;
	}
	return value;
}

/* A word without a value, as systemd has it: kernel-command-line(7). */
static bool is_repair_word(const char *text, size_t length)
{
	static const char *const words[] = {"rescue", "single", "s", "S", "1", "emergency", "-b"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (is_word(text, length, words[i]))
			return true;
	return false;
}

bool boot_repairs(const char *text)
{
	size_t length;
	const char *unit = last_value(text, "systemd.unit", &length);

	if (unit && (after_prefix(unit, "rescue.") || after_prefix(unit, "emergency.")))
		return true;
	for (text += strspn(text, SPACES); *text; text += strspn(text, SPACES)) {
		length = word_length(text);
		if (is_repair_word(text, length))
			return true;
		text += length;
	}
	return false;
}

bool boot_repairs_read(const char *path)
{
	_cleanup_free_ char *text = NULL;
	size_t size;

	return read_pseudo_file(path, MAX, &text, &size) == 0 && boot_repairs(text);
}

enum boot_mode boot_mode_of(const char *text)
{
	size_t length;
	const char *value = last_value(text, KEY, &length);

	if (value && is_word(value, length, "off"))
		return BOOT_OFF;
	return value && is_word(value, length, "record") ? BOOT_RECORD : BOOT_USUAL;
}

enum boot_mode boot_mode_read(const char *path)
{
	_cleanup_free_ char *text = NULL;
	size_t size;

	return read_pseudo_file(path, MAX, &text, &size) < 0 ? BOOT_USUAL : boot_mode_of(text);
}

char *boot_value_read(const char *path, const char *name)
{
	_cleanup_free_ char *text = NULL;
	const char *value;
	size_t size, length;

	if (read_pseudo_file(path, MAX, &text, &size) < 0)
		return NULL;
	value = last_value(text, name, &length);
	return value ? strndup(value, length) : NULL;
}
