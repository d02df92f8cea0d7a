/* SPDX-License-Identifier: MIT */
#include "config/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void config_lines_problem(struct config_lines *lines, const char *format, ...)
{
	char text[256];
	va_list args;

	lines->problems++;
	if (!lines->tell)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 127)
			*at = '?';
	lines->tell(lines->context, lines->file, lines->line, text);
}

/* Removes blanks at both ends. */
static char *strip(char *text)
{
	size_t length;

	text += strspn(text, " \t\r");
	length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	return text;
}

static void take_section(struct config_lines *lines, char *line)
{
	size_t length = strlen(line);
	bool closed = line[length - 1] == ']';

	lines->any_section = true;
	if (closed)
		line[length - 1] = '\0';
	lines->section(lines->parser, closed ? strip(line + 1) : NULL);
	if (!closed)
		config_lines_problem(lines, "a section has no ']'");
}

static void take_line(struct config_lines *lines, char *line)
{
	char *equals, *key, *value;

	line = strip(line);
	if (*line == '\0' || *line == '#' || *line == ';')
		return;
	if (*line == '[') {
		take_section(lines, line);
		return;
	}
	equals = strchr(line, '=');
	if (!equals || equals == line) {
		config_lines_problem(lines, "'%.*s' is not 'key = value', a [section] or a comment",
			LINES_SHOWN_MAX, line);
		return;
	}
	*equals = '\0';
	key = strip(line);
	value = strip(equals + 1);
	if (!*value)
		config_lines_problem(lines, "'%.*s' has no value", LINES_SHOWN_MAX, key);
	else if (!lines->any_section)
		config_lines_problem(lines, "'%.*s' stands before any [section]", LINES_SHOWN_MAX, key);
	else
		lines->key(lines->parser, key, value);
}

void config_lines_parse(struct config_lines *lines, char *text, size_t size)
{
	for (char *at = text, *end = text + size; at < end;) {
		char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;

		lines->line++;
		*stop = '\0';
		if (strlen(at) != (size_t)(stop - at))
			config_lines_problem(lines, "the line contains a NUL byte");
		else
			take_line(lines, at);
		at = stop + 1;
	}
}
