/* SPDX-License-Identifier: MIT */
/* Paths as words of a shell and of systemd. Internal to src/package. */
#pragma once

#include <stdio.h>

/* Writes `word` so that sh(1) reads it back, in quotes only where it needs them. */
void quote_shell(FILE *file, const char *word);

/*
 * The same for a word in a unit file: quotes and specifiers (systemd.syntax(7), systemd.unit(5)). In an Exec
 * line the program needs the prefix ":" against variables.
 */
void quote_unit(FILE *file, const char *word);
