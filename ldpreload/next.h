/* SPDX-License-Identifier: MIT */
/* The function that a caller would have reached without us. */
#pragma once

#include <stdint.h>

/* Once, before any other code of the program runs, if at all: what can be found out for good is. */
void next_begin(void);

/*
 * The address of the first definition of a function after ours, in the order in which ld.so looks for it: of
 * that version, or of the default one where nobody has that version; 0 if there is none. Writes to no memory
 * but the stack.
 */
uintptr_t next_function(const char *name, const char *version);

/* The address of the first definition of a variable, in the order in which ld.so looks for it: of the program's own copy,
 * where it has one; 0 if there is none. */
uintptr_t next_variable(const char *name);
