/* SPDX-License-Identifier: MIT */
/* Finds and replaces commands in .desktop files, line by line. */
#include "setup/desktop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"

/* One line, without its end. */
struct line {
	const char *start, *end;
};

static const char *next_line(const char *at, struct line *ret)
{
	ret->start = at;
	ret->end = at + strcspn(at, "\n");
	return *ret->end ? ret->end + 1 : ret->end;
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* Where the value begins if the line is `key = …`; else NULL. */
static const char *value_of(const struct line *line, const char *key)
{
	size_t length = strlen(key);
	const char *at;

	if ((size_t)(line->end - line->start) <= length || strncmp(line->start, key, length) != 0)
		return NULL;
	at = skip_blanks(line->start + length, line->end);
	return at < line->end && *at == '=' ? skip_blanks(at + 1, line->end) : NULL;
}

/*
 * Whether the lines after this one belong to a group that has commands; `before` says so for the lines before. Only
 * headings change it.
 */
static bool group_has_commands(const struct line *line, bool before)
{
	size_t length = (size_t)(line->end - line->start);

	if (line->start == line->end || *line->start != '[')
		return before;
	return (length >= 15 && strncmp(line->start, "[Desktop Entry]", 15) == 0) ||
		(length >= 16 && strncmp(line->start, "[Desktop Action ", 16) == 0);
}

/*
 * Within quotes a backslash escapes the next character, and is itself escaped by the rule for values of type string.
 * Returns the place of the character that they stand for.
 */
static const char *skip_escapes(const char *at, const char *end)
{
	for (int i = 0; i < 3 && *at == '\\' && at + 1 < end; i++)
		at++;
	return at;
}

/*
 * Parses one argument of an Exec line, which begins at `at`. *ret_end is its end; *ret is the argument without quotes.
 */
static int take_argument(const char *at, const char *end, const char **ret_end, char **ret)
{
	char *text = malloc((size_t)(end - at) + 1);
	bool quoted = false;
	size_t n = 0;

	if (!text)
		return -ENOMEM;
	for (; at < end && (quoted || (*at != ' ' && *at != '\t' && *at != '\r')); at++) {
		if (*at == '"') {
			quoted = !quoted;
			continue;
		}
		at = skip_escapes(at, end);
		if (*at == '%' && at + 1 < end && at[1] == '%')
			at++;
		text[n++] = *at;
	}
	text[n] = '\0';
	*ret_end = at;
	*ret = text;
	return 0;
}

/*
 * Finds the command among the arguments: the first that is neither `env` nor, after it, an option or VARIABLE=VALUE.
 * *ret_at is its place. Returns 0, -ENOENT or -ENOMEM.
 */
static int find_command(const char *value, const char *end, struct line *ret_at, char **ret)
{
	bool after_env = false, value_follows = false;

	for (const char *at = skip_blanks(value, end); at < end; at = skip_blanks(at, end)) {
		_cleanup_free_ char *argument = NULL;
		const char *start = at, *base;
		int r = take_argument(at, end, &at, &argument);

		if (r < 0)
			return r;
		if (at == start) /* only a carriage return */
			return -ENOENT;
		base = strrchr(argument, '/');
		if (!after_env && streq(base ? base + 1 : argument, "env")) {
			after_env = true;
			continue;
		}
		if (value_follows || (after_env && (argument[0] == '-' || strchr(argument, '=')))) {
			value_follows = !value_follows && (streq(argument, "-u") || streq(argument, "-C"));
			continue;
		}
		*ret_at = (struct line){start, at};
		*ret = TAKE_PTR(argument);
		return 0;
	}
	return -ENOENT;
}

int desktop_command(const char *text, char **ret)
{
	bool inside = false;
	struct line line, place;

	for (const char *at = text; *at;) {
		const char *value;

		at = next_line(at, &line);
		inside = group_has_commands(&line, inside);
		value = inside ? value_of(&line, "Exec") : NULL;
		if (value)
			return find_command(value, line.end, &place, ret);
	}
	return -ENOENT;
}

/* Quotes a text as one argument of an Exec line, if any character of it is reserved ("The Exec key"). */
static void print_argument(FILE *out, const char *argument)
{
	bool quote = strpbrk(argument, " \t\n\"'\\><~|&;$*?#()`") != NULL;

	if (quote)
		putc('"', out);
	for (; *argument; argument++) {
		if (strchr("\"`$", *argument))
			fputs("\\\\", out);
		if (*argument == '\\')
			fputs("\\\\\\", out);
		if (*argument == '%')
			putc('%', out);
		fputs(*argument == '\n' ? "\\n" : (const char[]){*argument, '\0'}, out);
	}
	if (quote)
		putc('"', out);
}

/* Prints the line with its command replaced. Returns 1, 0 (not replaced, nothing printed), or -ENOMEM. */
static int print_replaced(
	FILE *out, const struct line *line, const char *value, desktop_replace *replace, void *context)
{
	_cleanup_free_ char *command = NULL;
	const char *instead;
	struct line place;
	int r = find_command(value, line->end, &place, &command);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	instead = replace(context, command);
	if (!instead)
		return 0;
	fwrite(line->start, 1, (size_t)(place.start - line->start), out);
	print_argument(out, instead);
	fwrite(place.end, 1, (size_t)(line->end - place.end), out);
	return 1;
}

static int rewrite(FILE *out, const char *text, desktop_replace *replace, void *context)
{
	bool inside = false;
	int replaced = 0;
	struct line line;

	for (const char *at = text; *at;) {
		const char *value;
		int r = 0;

		at = next_line(at, &line);
		inside = group_has_commands(&line, inside);
		value = inside ? value_of(&line, "Exec") : NULL;
		if (value)
			r = print_replaced(out, &line, value, replace, context);
		if (r < 0)
			return r;
		replaced += r;
		if (inside && value_of(&line, "DBusActivatable"))
			fputs("DBusActivatable=false", out);
		else if (r == 0)
			fwrite(line.start, 1, (size_t)(line.end - line.start), out);
		if (*line.end)
			putc('\n', out);
	}
	return replaced;
}

int desktop_rewrite(const char *text, desktop_replace *replace, void *context, char **ret)
{
	_cleanup_free_ char *copy = NULL;
	size_t size;
	FILE *out = open_memstream(&copy, &size);
	int replaced;

	if (!out)
		return -ENOMEM;
	replaced = rewrite(out, text, replace, context);
	if (fclose(out) < 0)
		return -ENOMEM;
	if (replaced >= 0)
		*ret = TAKE_PTR(copy);
	return replaced;
}
