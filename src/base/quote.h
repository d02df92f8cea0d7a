/* SPDX-License-Identifier: MIT */
/* Any string as one word of a shell. */
#pragma once

#include <stdio.h>

/* Writes `word` so that sh(1) reads it back, quoted only if necessary. */
void quote_shell(FILE *file, const char *word);

/* The same as a string: the caller frees it. NULL without memory. */
char *quoted_shell(const char *word);
