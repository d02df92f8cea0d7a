/* SPDX-License-Identifier: MIT */
/* Paths as words of a shell and of systemd. Internal to src/package. */
#pragma once

#include <stdio.h>

/* Writes `word` so that sh(1) reads it back, in quotes only where it needs them. */
void quote_shell(FILE *file, const char *word);

/* The same for an argument in a unit file: quotes and specifiers (systemd.syntax(7), systemd.unit(5)). */
void quote_unit(FILE *file, const char *word);
