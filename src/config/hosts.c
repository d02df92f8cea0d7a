/* SPDX-License-Identifier: MIT */
/*
 * Parses hosts.d and compiles the section of a program into its rule. The text of a file is checked whole, whichever
 * program is asked about, so that a mistake is found before it matters.
 */
#include "config/hosts.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/paths/stranger.h"
#include "base/strings.h"
#include "config/lines.h"
#include "config/trusted.h"

#define HOSTS_SYSTEM "/etc/headstart/hosts.d"

struct parser {
	struct config_lines lines;
	const char *program;
	char *rule;
	bool *host;
	/* Of the section that the lines belong to. */
	bool any, named, is_host;   /* there is one; it names the program; it has no `host = no` */
	unsigned before;            /* mistakes before it */
	char words[ASKED_RULE_MAX]; /* its rule so far */
};

static void end_section(struct parser *parser)
{
	if (parser->any && parser->lines.problems == parser->before && parser->is_host && !parser->words[0])
		config_lines_problem(&parser->lines,
			"the section before this line says nothing: give 'operand', options, or 'host = no'");
	if (!parser->any || !parser->named || parser->lines.problems != parser->before)
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

static void take_section(void *context, char *name)
{
	struct parser *parser = context;

	end_section(parser);
	parser->any = parser->is_host = true;
	parser->named = false;
	parser->before = parser->lines.problems;
	parser->words[0] = '\0';
	if (name && !*name)
		config_lines_problem(&parser->lines, "a section names no program");
	else if (name)
		parser->named = names_program(name, parser->program);
}

static void add_word(struct parser *parser, const char *key, const char *value)
{
	size_t length = strlen(parser->words);
	int n = snprintf(parser->words + length, sizeof(parser->words) - length, "%s%s%s%s",
		length ? " " : "", key, value ? "=" : "", value ? value : "");

	if (n < 0 || (size_t)n >= sizeof(parser->words) - length)
		config_lines_problem(&parser->lines, "the section is too long: a rule has at most %u bytes",
			ASKED_RULE_MAX - 1);
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
		config_lines_problem(
			&parser->lines, "'%.*s' is neither 'yes' nor 'no'", LINES_SHOWN_MAX, value);
	else if (streq(key, "host"))
		parser->is_host = yes;
	else if (yes)
		add_word(parser, key, NULL);
}

static void take_key(void *context, char *key, char *value)
{
	struct parser *parser = context;

	static const char *const operands[] = {"file", "word", "text", "command", "skip", NULL};
	static const char *const options[] = {
		"file", "word", "text", "command", "also", "skip", "in", "operand", "never", NULL};
	static const char *const flags[] = {"host", "joined", "assignments", NULL};

	if (strpbrk(value, " \t") || strpbrk(key, " \t="))
		config_lines_problem(&parser->lines, "'%.*s = %.*s': there is a blank too many",
			LINES_SHOWN_MAX, key, LINES_SHOWN_MAX, value);
	else if (is_one_of(key, flags))
		take_flag(parser, key, value);
	else if (streq(key, "called") || streq(key, "near") || streq(key, "own"))
		add_word(parser, key, value);
	else if (streq(key, "operand") && !is_one_of(value, operands))
		config_lines_problem(&parser->lines,
			"unknown operand '%.*s': use file, word, text, command or skip", LINES_SHOWN_MAX,
			value);
	else if (key[0] == '-' && !is_one_of(value, options))
		config_lines_problem(&parser->lines,
			"unknown role '%.*s': use file, word, text, command, also, skip, in, operand or never",
			LINES_SHOWN_MAX, value);
	else if (streq(key, "operand") || key[0] == '-')
		add_word(parser, key, value);
	else
		config_lines_problem(&parser->lines,
			"unknown key '%.*s': use operand, an option, joined, assignments, called, near, own or host",
			LINES_SHOWN_MAX, key);
}

unsigned hosts_parse(const char *file, char *text, size_t size, const char *program,
	char rule[ASKED_RULE_MAX], bool *ret_host, config_problem *tell, void *context)
{
	struct parser parser = {
		.lines = {.file = file,
			.tell = tell,
			.context = context,
			.parser = &parser,
			.section = take_section,
			.key = take_key},
		.program = program,
		.rule = rule,
		.host = ret_host,
	};

	config_lines_parse(&parser.lines, text, size);
	end_section(&parser);
	return parser.lines.problems;
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
