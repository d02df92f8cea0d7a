/* SPDX-License-Identifier: MIT */
/* Parses sections, keys and values, line by line. Reports every mistake and goes on after it. */
#include "config/parse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strings.h"
#include "config/lines.h"

enum section {
	SECTION_NONE,
	SECTION_UNKNOWN,
	SECTION_PROGRAMS,
	SECTION_BUDGET,
	SECTION_DEVICES,
	SECTION_DAEMON
};

static const char *const section_names[] = {
	[SECTION_PROGRAMS] = "programs",
	[SECTION_BUDGET] = "budget",
	[SECTION_DEVICES] = "devices",
	[SECTION_DAEMON] = "daemon",
};

struct parser {
	struct config_lines lines;
	struct config *config;
	enum section section;
	bool has_memory, has_time; /* in this file */
};

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
		config_lines_problem(&parser->lines, "unknown key '%.*s' in [budget]: use memory or time",
			LINES_SHOWN_MAX, key);
	} else if (memory ? parser->has_memory : parser->has_time) {
		config_lines_problem(&parser->lines, "'%s' is given twice", key);
	} else if (memory && !parse_quantity(value, "KMG", 1024, UINT64_MAX, &number)) {
		config_lines_problem(&parser->lines,
			"'%.*s' is not a number of bytes: use digits, and K, M or G", LINES_SHOWN_MAX, value);
	} else if (time && !parse_quantity(value, "", 1, 3600, &number)) {
		config_lines_problem(&parser->lines, "'%.*s' is not a number of seconds from 1 to 3600",
			LINES_SHOWN_MAX, value);
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
		.file = config->n_files - 1, .line = parser->lines.line, .allow = streq(key, "allow")};

	if (!program.allow && !streq(key, "deny")) {
		config_lines_problem(&parser->lines, "unknown key '%.*s' in [programs]: use allow or deny",
			LINES_SHOWN_MAX, key);
		return;
	}
	if (value[0] != '/' && strchr(value, '/')) {
		config_lines_problem(&parser->lines, "'%.*s' is neither an absolute path nor a name",
			LINES_SHOWN_MAX, value);
		return;
	}
	if (has_comment(value)) {
		config_lines_problem(
			&parser->lines, "'%.*s': a comment needs a line of its own", LINES_SHOWN_MAX, value);
		return;
	}
	program.glob = strdup(value);
	if (!program.glob ||
		ARRAY_RESERVE(config->programs, config->programs_capacity, config->n_programs + 1) < 0) {
		free(program.glob);
		config_lines_problem(&parser->lines, "out of memory");
		return;
	}
	config->programs[config->n_programs++] = program;
}

/* Those that a rule may name; the launcher, which reads settings, has no device_class_parse(). */
static enum device_class device_class(const char *text)
{
	return streq(text, "rotational") ? DEVICE_ROTATIONAL
		: streq(text, "solid")   ? DEVICE_SOLID
		: streq(text, "lazy")    ? DEVICE_LAZY
					 : DEVICE_UNKNOWN;
}

static void take_device(struct parser *parser, const char *key, const char *value)
{
	struct config *config = parser->config;
	struct device_rule rule = {.class = device_class(value)};

	if (key[0] != '/') {
		config_lines_problem(&parser->lines,
			"'%.*s' in [devices] is neither a device (/dev/…) nor a folder", LINES_SHOWN_MAX,
			key);
		return;
	}
	if (rule.class == DEVICE_UNKNOWN) {
		config_lines_problem(&parser->lines,
			"unknown class of device '%.*s': use rotational, solid or lazy", LINES_SHOWN_MAX,
			value);
		return;
	}
	rule.path = strdup(key);
	if (!rule.path ||
		ARRAY_RESERVE(config->devices, config->devices_capacity, config->n_devices + 1) < 0) {
		free(rule.path);
		config_lines_problem(&parser->lines, "out of memory");
		return;
	}
	for (size_t n = strlen(rule.path); n > 1 && rule.path[n - 1] == '/'; n--)
		rule.path[n - 1] = '\0';
	config->devices[config->n_devices++] = rule;
}

static void take_daemon(struct parser *parser, const char *key, const char *value)
{
	bool *never = streq(key, "warm") ? &parser->config->never_warm
		: streq(key, "learn")    ? &parser->config->never_learn
					 : NULL;

	if (!never)
		config_lines_problem(&parser->lines, "unknown key '%.*s' in [daemon]: use learn or warm",
			LINES_SHOWN_MAX, key);
	else if (!streq(value, "yes") && !streq(value, "no"))
		config_lines_problem(&parser->lines, "'%.*s' is neither yes nor no", LINES_SHOWN_MAX, value);
	else
		*never |= streq(value, "no");
}

static void take_section(void *context, char *name)
{
	struct parser *parser = context;

	parser->section = SECTION_UNKNOWN;
	if (!name)
		return;
	for (size_t i = SECTION_PROGRAMS; i <= SECTION_DAEMON; i++)
		if (streq(name, section_names[i]))
			parser->section = (enum section)i;
	if (parser->section == SECTION_UNKNOWN)
		config_lines_problem(&parser->lines,
			"unknown section [%.*s]: use [programs], [budget], [devices] or [daemon]",
			LINES_SHOWN_MAX, name);
}

static void take_key(void *context, char *key, char *value)
{
	struct parser *parser = context;

	if (strlen(value) >= PATH_MAX || strlen(key) >= PATH_MAX)
		config_lines_problem(&parser->lines, "the line is too long");
	else if (parser->section == SECTION_PROGRAMS)
		take_program(parser, key, value);
	else if (parser->section == SECTION_BUDGET)
		take_budget(parser, key, value);
	else if (parser->section == SECTION_DEVICES)
		take_device(parser, key, value);
	else if (parser->section == SECTION_DAEMON)
		take_daemon(parser, key, value);
	/* In an unknown section every key is unknown. The section was reported already. */
}

unsigned config_parse(struct config *config, char *text, size_t size, config_problem *tell, void *context)
{
	struct parser parser = {
		.lines = {.file = config->files[config->n_files - 1],
			.tell = tell,
			.context = context,
			.parser = &parser,
			.section = take_section,
			.key = take_key},
		.config = config,
	};

	config_lines_parse(&parser.lines, text, size);
	return parser.lines.problems;
}
