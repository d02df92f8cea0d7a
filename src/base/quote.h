/* SPDX-License-Identifier: MIT */
/* Any string as one word: of a shell, and of a systemd unit file. */
#pragma once

#include <stdio.h>

/* Writes `word` so that sh(1) reads it back, in quotes only where it needs them. */
void quote_shell(FILE *file, const char *word);

/* The same as a string: the caller frees it. NULL without memory. */
char *quoted_shell(const char *word);

/*
 * The same for a word in a unit file: quotes and specifiers (systemd.syntax(7), systemd.unit(5)). In an Exec
 * line the program needs the prefix ":" against variables.
 */
void quote_unit(FILE *file, const char *word);
