/* SPDX-License-Identifier: MIT */
/* The function that a caller would have reached without us. */
#pragma once

#include <stdint.h>

/* Looks up what will not change. Call it at most once, before any other code of the program runs. */
void next_begin(void);

/*
 * The address of the first definition of a function after ours, in ld.so's search order: of that version, or of the
 * default one where no object has that version; 0 if there is none. Writes only to the stack.
 */
uintptr_t next_function(const char *name, const char *version);

/*
 * The same among all objects that are mapped now, under ld.so's lock: not in a signal handler, nor in a child of a program with threads.
 */
uintptr_t next_function_later(const char *name, const char *version);

/* The address of the first definition of a variable, in ld.so's search order (the program's own copy, where it has
 * one); 0 if there is none. */
uintptr_t next_variable(const char *name);
