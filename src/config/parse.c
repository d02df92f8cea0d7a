/* SPDX-License-Identifier: MIT */
/* Parses sections, keys and values, line by line. Reports every mistake and goes on after it. */
#include "config/parse.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strings.h"

#define SHOWN_MAX 60 /* bytes of a file's text that a message repeats */

enum section { SECTION_NONE, SECTION_UNKNOWN, SECTION_PROGRAMS, SECTION_BUDGET, SECTION_DEVICES };

static const char *const section_names[] = {
	[SECTION_PROGRAMS] = "programs",
	[SECTION_BUDGET] = "budget",
	[SECTION_DEVICES] = "devices",
};

struct parser {
	struct config *config;
	config_problem *tell;
	void *context;
	enum section section;
	unsigned line, problems;
	bool has_memory, has_time; /* in this file */
};

__attribute__((format(printf, 2, 3))) static void problem(struct parser *parser, const char *format, ...)
{
	const struct config *config = parser->config;
	char text[256];
	va_list args;

	parser->problems++;
	if (!parser->tell)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 127)
			*at = '?';
	parser->tell(parser->context, config->files[config->n_files - 1], parser->line, text);
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

/* Decimal digits and one of the suffixes, each of which multiplies by `step` once more; not 0, and at most `max`. */
static bool parse_quantity(const char *text, const char *suffixes, unsigned step, uint64_t max, uint64_t *ret)
{
	size_t digits = strspn(text, "0123456789");
	const char *suffix = text[digits] ? strchr(suffixes, text[digits]) : NULL;
	uint64_t value;

	if (digits == 0 || digits > 19 || (text[digits] && (!suffix || text[digits + 1])))
		return false;
	value = strtoull(text, NULL, 10);
	for (const char *at = suffixes; suffix && at <= suffix; at++)
		if (__builtin_mul_overflow(value, step, &value))
			return false;
	if (value == 0 || value > max)
		return false;
	*ret = value;
	return true;
}

static void take_budget(struct parser *parser, const char *key, const char *value)
{
	struct config *config = parser->config;
	bool memory = streq(key, "memory"), time = streq(key, "time");
	uint64_t number;

	if (!memory && !time) {
		problem(parser, "unknown key '%.*s' in [budget]: use memory or time", SHOWN_MAX, key);
	} else if (memory ? parser->has_memory : parser->has_time) {
		problem(parser, "'%s' is given twice", key);
	} else if (memory && !parse_quantity(value, "KMG", 1024, UINT64_MAX, &number)) {
		problem(parser, "'%.*s' is not a number of bytes: use digits, and K, M or G", SHOWN_MAX,
			value);
	} else if (time && !parse_quantity(value, "", 1, 3600, &number)) {
		problem(parser, "'%.*s' is not a number of seconds from 1 to 3600", SHOWN_MAX, value);
	} else if (memory) {
		parser->has_memory = true;
		config->memory = config->memory && config->memory < number ? config->memory : number;
	} else {
		uint32_t time_ms = (uint32_t)number * 1000;

		parser->has_time = true;
		config->time_ms = config->time_ms && config->time_ms < time_ms ? config->time_ms : time_ms;
	}
}

/*
 * Finds a comment behind a value, which other programs' files may have; this format has none, since names may contain
 * '#'.
 */
static bool has_comment(const char *value)
{
	for (const char *at = strpbrk(value, "#;"); at; at = strpbrk(at + 1, "#;"))
		if (at > value && (at[-1] == ' ' || at[-1] == '\t'))
			return true;
	return false;
}

static void take_program(struct parser *parser, const char *key, const char *value)
{
	struct config *config = parser->config;
	struct config_program program = {
		.file = config->n_files - 1, .line = parser->line, .allow = streq(key, "allow")};

	if (!program.allow && !streq(key, "deny")) {
		problem(parser, "unknown key '%.*s' in [programs]: use allow or deny", SHOWN_MAX, key);
		return;
	}
	if (value[0] != '/' && strchr(value, '/')) {
		problem(parser, "'%.*s' is neither an absolute path nor a name", SHOWN_MAX, value);
		return;
	}
	if (has_comment(value)) {
		problem(parser, "'%.*s': a comment needs a line of its own", SHOWN_MAX, value);
		return;
	}
	program.glob = strdup(value);
	if (!program.glob ||
		ARRAY_RESERVE(config->programs, config->programs_capacity, config->n_programs + 1) < 0) {
		free(program.glob);
		problem(parser, "out of memory");
		return;
	}
	config->programs[config->n_programs++] = program;
}

static void take_device(struct parser *parser, const char *key, const char *value)
{
	struct config *config = parser->config;
	struct device_rule rule = {.class = streq(value, "rotational") ? DEVICE_ROTATIONAL : DEVICE_SOLID};

	if (key[0] != '/') {
		problem(parser, "'%.*s' in [devices] is neither a device (/dev/…) nor a folder", SHOWN_MAX,
			key);
		return;
	}
	if (rule.class == DEVICE_SOLID && !streq(value, "solid")) {
		problem(parser, "unknown class of device '%.*s': use rotational or solid", SHOWN_MAX, value);
		return;
	}
	rule.path = strdup(key);
	if (!rule.path ||
		ARRAY_RESERVE(config->devices, config->devices_capacity, config->n_devices + 1) < 0) {
		free(rule.path);
		problem(parser, "out of memory");
		return;
	}
	for (size_t n = strlen(rule.path); n > 1 && rule.path[n - 1] == '/'; n--)
		rule.path[n - 1] = '\0';
	config->devices[config->n_devices++] = rule;
}

static void take_section(struct parser *parser, char *name)
{
	size_t length = strlen(name);

	parser->section = SECTION_UNKNOWN;
	if (name[length - 1] != ']') {
		problem(parser, "a section has no ']'");
		return;
	}
	name[length - 1] = '\0';
	name = strip(name + 1);
	for (size_t i = SECTION_PROGRAMS; i <= SECTION_DEVICES; i++)
		if (streq(name, section_names[i]))
			parser->section = (enum section)i;
	if (parser->section == SECTION_UNKNOWN)
		problem(parser, "unknown section [%.*s]: use [programs], [budget] or [devices]", SHOWN_MAX,
			name);
}

static void take_line(struct parser *parser, char *line)
{
	char *equals, *key, *value;

	line = strip(line);
	if (*line == '\0' || *line == '#' || *line == ';')
		return;
	if (*line == '[') {
		take_section(parser, line);
		return;
	}
	equals = strchr(line, '=');
	if (!equals || equals == line) {
		problem(parser, "'%.*s' is not 'key = value', a [section] or a comment", SHOWN_MAX, line);
		return;
	}
	*equals = '\0';
	key = strip(line);
	value = strip(equals + 1);
	if (!*value)
		problem(parser, "'%.*s' has no value", SHOWN_MAX, key);
	else if (strlen(value) >= PATH_MAX || strlen(key) >= PATH_MAX)
		problem(parser, "the line is too long");
	else if (parser->section == SECTION_NONE)
		problem(parser, "'%.*s' stands before any [section]", SHOWN_MAX, key);
	else if (parser->section == SECTION_PROGRAMS)
		take_program(parser, key, value);
	else if (parser->section == SECTION_BUDGET)
		take_budget(parser, key, value);
	else if (parser->section == SECTION_DEVICES)
		take_device(parser, key, value);
	/* In an unknown section every key is unknown. The section was reported already. */
}

unsigned config_parse(struct config *config, char *text, size_t size, config_problem *tell, void *context)
{
	struct parser parser = {.config = config, .tell = tell, .context = context};

	for (char *at = text, *end = text + size; at < end;) {
		char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;

		parser.line++;
		*stop = '\0';
		if (strlen(at) != (size_t)(stop - at))
			problem(&parser, "the line contains a NUL byte");
		else
			take_line(&parser, at);
		at = stop + 1;
	}
	return parser.problems;
}
