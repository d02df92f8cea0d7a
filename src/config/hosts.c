/* SPDX-License-Identifier: MIT */
/*
 * Parses hosts.d and compiles the section of a program into its rule. The text of a file is checked whole, whichever
 * program is asked about, so that a mistake is found before it matters.
 */
#include "config/hosts.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/stranger.h"
#include "base/strings.h"
#include "config/trusted.h"

#define HOSTS_SYSTEM "/etc/headstart/hosts.d"
#define SHOWN_MAX    60 /* bytes of a file's text that a message repeats */

struct parser {
	const char *file, *program;
	char *rule;
	bool *host;
	config_problem *tell;
	void *context;
	unsigned line, problems;
	/* Of the section that the lines belong to. */
	bool any, named, is_host;   /* there is one; it names the program; it has no `host = no` */
	unsigned wrong;             /* mistakes in it */
	char words[ASKED_RULE_MAX]; /* its rule so far */
};

__attribute__((format(printf, 2, 3))) static void problem(struct parser *parser, const char *format, ...)
{
	char text[256];
	va_list args;

	parser->problems++;
	parser->wrong++;
	if (!parser->tell)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 127)
			*at = '?';
	parser->tell(parser->context, parser->file, parser->line, text);
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

static void end_section(struct parser *parser)
{
	if (parser->any && parser->wrong == 0 && parser->is_host && !parser->words[0])
		problem(parser,
			"the section before this line says nothing: give 'operand', options, or 'host = no'");
	if (!parser->any || !parser->named || parser->wrong)
		return;
	*parser->host = parser->is_host;
	strcpy(parser->rule, parser->is_host ? parser->words : ASKED_RULE_ALL);
}

/* Whether one of the globs, separated by blanks, matches the path, or its last part if the glob has no slash. */
static bool names_program(char *globs, const char *program)
{
	char *rest, *glob;

	for (glob = strtok_r(globs, " \t", &rest); glob; glob = strtok_r(NULL, " \t", &rest)) {
		const char *name = strchr(glob, '/') ? program : strrchr(program, '/') + 1;

		if (fnmatch(glob, name, FNM_PATHNAME) == 0)
			return true;
	}
	return false;
}

static void take_section(struct parser *parser, char *line)
{
	size_t length = strlen(line);

	end_section(parser);
	parser->any = parser->is_host = true;
	parser->named = false;
	parser->wrong = 0;
	parser->words[0] = '\0';
	if (line[length - 1] != ']') {
		problem(parser, "a section has no ']'");
		return;
	}
	line[length - 1] = '\0';
	line = strip(line + 1);
	if (!*line)
		problem(parser, "a section names no program");
	else
		parser->named = names_program(line, parser->program);
}

/* Appends "KEY=VALUE", or KEY alone, to the rule. */
static void add_word(struct parser *parser, const char *key, const char *value)
{
	size_t length = strlen(parser->words);
	int n = snprintf(parser->words + length, sizeof(parser->words) - length, "%s%s%s%s",
		length ? " " : "", key, value ? "=" : "", value ? value : "");

	if (n < 0 || (size_t)n >= sizeof(parser->words) - length)
		problem(parser, "the section is too long: a rule has at most %u bytes", ASKED_RULE_MAX - 1);
}

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (streq(word, *words))
			return true;
	return false;
}

static void take_flag(struct parser *parser, const char *key, const char *value)
{
	bool yes = streq(value, "yes");

	if (!yes && !streq(value, "no"))
		problem(parser, "'%.*s' is neither 'yes' nor 'no'", SHOWN_MAX, value);
	else if (streq(key, "host"))
		parser->is_host = yes;
	else if (yes)
		add_word(parser, key, NULL);
}

static void take_key(struct parser *parser, const char *key, const char *value)
{
	static const char *const operands[] = {"file", "word", "text", "command", "skip", NULL};
	static const char *const options[] = {
		"file", "word", "text", "command", "also", "skip", "in", "operand", "never", NULL};
	static const char *const flags[] = {"host", "joined", "assignments", NULL};

	if (strpbrk(value, " \t") || strpbrk(key, " \t="))
		problem(parser, "'%.*s = %.*s': there is a blank too many", SHOWN_MAX, key, SHOWN_MAX, value);
	else if (is_one_of(key, flags))
		take_flag(parser, key, value);
	else if (streq(key, "called") || streq(key, "near"))
		add_word(parser, key, value);
	else if (streq(key, "operand") && !is_one_of(value, operands))
		problem(parser, "unknown operand '%.*s': use file, word, text, command or skip", SHOWN_MAX,
			value);
	else if (key[0] == '-' && !is_one_of(value, options))
		problem(parser,
			"unknown role '%.*s': use file, word, text, command, also, skip, in, operand or never",
			SHOWN_MAX, value);
	else if (streq(key, "operand") || key[0] == '-')
		add_word(parser, key, value);
	else
		problem(parser,
			"unknown key '%.*s': use operand, an option, joined, assignments, called, near or host",
			SHOWN_MAX, key);
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
	else if (!parser->any)
		problem(parser, "'%.*s' stands before any [section]", SHOWN_MAX, key);
	else
		take_key(parser, key, value);
}

unsigned hosts_parse(const char *file, char *text, size_t size, const char *program,
	char rule[ASKED_RULE_MAX], bool *ret_host, config_problem *tell, void *context)
{
	struct parser parser = {.file = file,
		.program = program,
		.rule = rule,
		.host = ret_host,
		.tell = tell,
		.context = context};

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
	end_section(&parser);
	return parser.problems;
}

/* What is being asked, of all files. */
struct question {
	const char *program;
	char *rule;
	bool host;
	config_problem *tell;
	void *context;
	unsigned problems;
};

static void complain(struct question *question, const char *file, const char *what)
{
	question->problems++;
	if (question->tell)
		question->tell(question->context, file, 0, what);
}

static void read_host_file(struct question *question, const char *path)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	const char *why = read_trusted(path, false, &text, &size);

	if (why)
		complain(question, path, why);
	else if (text)
		question->problems += hosts_parse(path, text, size, question->program, question->rule,
			&question->host, question->tell, question->context);
}

static int is_conf(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && ends_with(entry->d_name, ".conf");
}

/* Reads the files NAME.conf of a folder, in the order of their names. */
static void read_folder(struct question *question, const char *folder)
{
	struct dirent **entries = NULL;
	int n = scandir(folder, &entries, is_conf, alphasort);

	if (n < 0 && errno != ENOENT)
		complain(question, folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *path = NULL;

		if (asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0)
			complain(question, folder, strerror(ENOMEM));
		else
			read_host_file(question, path);
		free(entries[i]);
	}
	free(entries);
}

static void ask(struct question *question)
{
	const char *named = path_variable("HEADSTART_HOSTS");
	struct stranger stranger;

	strcpy(question->rule, ASKED_RULE_ALL);
	if (named && stranger_to_us(named, &stranger) == -EPERM) {
		complain(question, named,
			"others could have written it: it and the folders above it must belong to root, and "
			"nobody else may write to them");
		named = NULL;
	}
	if (named) {
		read_folder(question, named);
		return;
	}
	read_folder(question, HEADSTART_HOSTS_DIR);
	read_folder(question, HOSTS_SYSTEM);
}

bool hosts_rule(const char *program, char rule[ASKED_RULE_MAX], config_problem *tell, void *context)
{
	struct question question = {.program = program, .rule = rule, .tell = tell, .context = context};

	ask(&question);
	return question.host;
}

unsigned hosts_check(config_problem *tell, void *context)
{
	char rule[ASKED_RULE_MAX];
	struct question question = {.program = "/", .rule = rule, .tell = tell, .context = context};

	ask(&question);
	return question.problems;
}
