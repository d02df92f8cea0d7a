/* SPDX-License-Identifier: MIT */
/* Reads a script as far as an alias needs it, and no further: every word that sh might change makes it another script. */
#include "plan/asked/alias.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"

#define SCRIPT_MAX 4096u /* bytes */
#define WORDS_MAX  32u   /* of the command */

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+,%@-"

void alias_release(struct alias *alias)
{
	free(alias->program);
	free(alias->argv);
	free(alias->text);
	*alias = (struct alias){0};
}

static bool is_script_of_sh(const char *text)
{
	static const char *const lines[] = {"#!/bin/sh\n", "#! /bin/sh\n", "#!/bin/bash\n",
		"#!/usr/bin/bash\n", "#!/usr/bin/sh\n", "#!/bin/dash\n"};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (after_prefix(text, lines[i]))
			return true;
	return false;
}

/* The only line that is neither empty nor a comment; NULL if there is none, or another. Changes the text. */
static char *only_command(char *text)
{
	char *rest = text, *line, *command = NULL;

	while ((line = strsep(&rest, "\n"))) {
		line += strspn(line, " \t");
		if (*line == '\0' || *line == '#')
			continue;
		if (command)
			return NULL;
		command = line;
	}
	return command;
}

/* Splits the command into words, up to "$@", which must be the last. Returns how many, 0 if it is no alias. */
static size_t split(char *command, char *words[WORDS_MAX])
{
	char *rest = command, *word;
	size_t n = 0;

	while ((word = strsep(&rest, " \t"))) {
		if (*word == '\0')
			continue;
		if (streq(word, "\"$@\""))
			return rest && rest[strspn(rest, " \t")] ? 0 : n;
		if (n == 0 && streq(word, "exec"))
			continue;
		if (n == WORDS_MAX || word[strspn(word, PLAIN)] != '\0')
			return 0;
		words[n++] = word;
	}
	return 0;
}

int alias_of(const char *path, const char *const *argv, struct alias *ret)
{
	_cleanup_(alias_releasep) struct alias alias = {0};
	char *words[WORDS_MAX], *command;
	size_t size, n, given = 0;
	int r = read_file(path, SCRIPT_MAX, &alias.text, &size);

	if (r < 0)
		return r == -ENOMEM ? r : -ENOENT;
	command = is_script_of_sh(alias.text) && strlen(alias.text) == size ? only_command(alias.text) : NULL;
	n = command ? split(command, words) : 0;
	if (n == 0 || words[0][0] != '/')
		return -ENOENT;
	alias.program = realpath(words[0], NULL);
	if (!alias.program)
		return -ENOENT;
	while (argv[given])
		given++;
	alias.argv = calloc(n + given + 1, sizeof(*alias.argv));
	if (!alias.argv)
		return -ENOMEM;
	memcpy(alias.argv, words, n * sizeof(*words));
	for (size_t i = 1; i < given; i++)
		alias.argv[n + i - 1] = (char *)argv[i];
	*ret = alias;
	alias = (struct alias){0};
	return 0;
}
