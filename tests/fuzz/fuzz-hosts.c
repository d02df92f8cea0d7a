/* SPDX-License-Identifier: MIT */
/*
 * Target: hosts.d, and the rule that comes out of it. An input is the text of a file and, behind a NUL, the arguments of
 * a start, each with a NUL behind it. Whatever the file says, mistakes are reported on one line each, and the rule fits
 * into a plan and can be followed for any arguments within the bounds that it has for work.
 */
#include "fuzz.h"

#include "config/hosts.h"
#include "format/asked/search.h"

#define PROGRAM "/usr/bin/python3"

size_t inputs_taken;

struct arguments {
	const char *text; /* each with a NUL behind it */
	size_t size;
	size_t reads; /* bytes that were asked for */
};

static long read_argument(void *context, unsigned int number, size_t offset, char *text, size_t size)
{
	struct arguments *arguments = context;
	const char *at = arguments->text, *end = at + arguments->size;
	size_t length;

	must(number <= ASKED_ARGUMENTS_MAX && size > 0 && size < ASKED_TEXT_SIZE);
	for (; at < end && number > 0; number--)
		at += strlen(at) + 1;
	if (at >= end)
		return ASKED_END;
	length = strlen(at);
	must(offset <= length);
	length = length - offset < size ? length - offset : size;
	memcpy(text, at + offset, length);
	arguments->reads += length;
	return (long)length;
}

/* Makes a path absolute as a kernel would, except that there are no folders. */
static bool resolve(void *context, char text[ASKED_TEXT_SIZE])
{
	size_t length = strlen(text);

	must(length < ASKED_TEXT_SIZE);
	if (text[0] == '/')
		return true;
	if (length + 2 > ASKED_TEXT_SIZE)
		return false;
	memmove(text + 1, text, length + 1);
	text[0] = '/';
	return true;
}

static bool enter(void *context, const char *path)
{
	return strlen(path) % 2 == 0;
}

static bool exists(void *context, const char *path)
{
	must(path[0] == '/' && strlen(path) < ASKED_TEXT_SIZE);
	return strlen(path) % 3 == 0;
}

static void follow(const char *rule, const char *text, size_t size)
{
	struct arguments arguments = {text, size, 0};
	const struct asked_source source = {&arguments, read_argument, resolve, enter, exists};
	struct asked first, again;
	bool known = asked_for(rule, &source, &first);

	must(known == (first.key != 0));
	must(memchr(first.text, '\0', sizeof(first.text)) != NULL);
	must(first.number <= ASKED_ARGUMENTS_MAX);
	/* The last argument is read before it is known to be one too many. */
	must(arguments.reads <= ASKED_BYTES_MAX + ASKED_TEXT_SIZE);
	must(asked_for(rule, &source, &again) == known && again.key == first.key);
}

/* A copy with a NUL behind it, as a file's text has. */
static char *text_of(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1);

	must(copy != NULL);
	if (size > 0)
		memcpy(copy, data, size);
	copy[size] = '\0';
	return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char rule[ASKED_RULE_MAX] = ASKED_RULE_ALL;
	const uint8_t *end = size > 0 ? memchr(data, '\0', size) : NULL;
	size_t length = end ? (size_t)(end - data) : size;
	char *text = text_of(data, length), *arguments;
	unsigned told = 0;
	bool host = false;

	must(hosts_parse("file", text, length, PROGRAM, rule, &host, count_problem, &told) == told);
	must(memchr(rule, '\0', sizeof(rule)) != NULL);
	must(host || strcmp(rule, ASKED_RULE_ALL) == 0);
	size -= end ? length + 1 : length;
	arguments = text_of(end ? end + 1 : data, size);
	follow(rule, arguments, size);
	inputs_taken += host;
	free(arguments);
	free(text);
	return 0;
}
