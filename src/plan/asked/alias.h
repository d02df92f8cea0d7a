/* SPDX-License-Identifier: MIT */
/*
 * Aliases: scripts that do nothing but execute another program, with arguments of their own in front of those that they
 * are given. LibreOffice's `localc` is one. Their starts are starts of that program.
 */
#pragma once

struct alias {
	char *program; /* owned: canonical path of what is executed */
	char **argv;   /* owned: how it is executed; its strings are of `text` and of the given arguments */
	char *text;    /* owned: private */
};

void alias_release(struct alias *alias);

static inline void alias_releasep(struct alias *alias)
{
	alias_release(alias);
}

/*
 * What a start of the script at `path` with these arguments executes. Only a script of sh is taken for an alias whose one
 * command is an absolute path, plain words and "$@", with or without `exec` in front. Returns 0, -ENOENT if it is none, or
 * negative errno.
 */
int alias_of(const char *path, const char *const *argv, struct alias *ret);
