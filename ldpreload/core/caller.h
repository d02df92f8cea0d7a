/* SPDX-License-Identifier: MIT */
/* The arguments of a function that a hook was called in place of, as words. */
#pragma once

#include <stdint.h>

#include "entry.h"

/* An argument by its number, variadic ones included. */
static inline uintptr_t caller_argument(const uintptr_t *words, unsigned int number)
{
	return words[number < ARGUMENT_REGISTERS ? number : number + ARGUMENT_GAP];
}
