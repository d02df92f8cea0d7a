/* SPDX-License-Identifier: MIT */
/* What a start asks its program for (format/asked.h), read from arguments that may be anything. */
#pragma once

#include "core/shim.h"

#include "format/asked.h"

/* Where the arguments of a start are. */
struct start_arguments {
	const char *const *
		list; /* argv, which ends with NULL; may be a bad address. NULL: `words` has them, or nothing */
	const uintptr_t *words; /* the words that hold a caller's arguments; one of them is argv[0] */
	unsigned int
		first; /* list: how many stand before argv[0]. words: the number of the argument that is argv[0] */
};

/* Those of the program that we are in, which was executed by this path. Call it before the program's own code runs. Of a
 * script they are its own: what its interpreter got first is the interpreter and the script. */
struct start_arguments arguments_of_start(char **argv, const char *program);

/*
 * What the start asks for by the rule, which must not change meanwhile. Reads the arguments through the kernel, each byte
 * once. Call it only when shim_may_act().
 */
void asked_find(const char *rule, const struct start_arguments *arguments, struct asked *ret);
