/* SPDX-License-Identifier: MIT */
#include "core/text.h"

/* The compiler may call these for copies of its own making. They are hidden, so the program's are untouched. */
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int byte, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((char *)to)[i] = ((const char *)from)[i];
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((char *)to)[i] = (char)byte;
	return to;
}

size_t shim_length(const char *string)
{
	size_t n = 0;

	while (string[n])
		n++;
	return n;
}

bool shim_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

bool shim_begins(const char *string, const char *prefix)
{
	while (*prefix && *string == *prefix)
		string++, prefix++;
	return !*prefix;
}

void shim_text_add_character(struct shim_text *text, char character)
{
	if (text->end - text->at < 2) {
		text->overflow = true;
		return;
	}
	*text->at++ = character;
	*text->at = '\0';
}

void shim_text_add(struct shim_text *text, const char *string)
{
	while (*string && !text->overflow)
		shim_text_add_character(text, *string++);
}

void shim_text_add_number(struct shim_text *text, uint64_t number)
{
	char digits[21];
	char *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	shim_text_add(text, at);
}
