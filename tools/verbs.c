/* SPDX-License-Identifier: MIT */
/* The table of verbs, in both programs. */
#include <stddef.h>
#include <string.h>

#include "verb.h"

/* Weak, so that a function which is not linked into this program is NULL. */
#define WEAK(name, help) extern __typeof__(cmd_##name) cmd_##name __attribute__((weak));
VERBS(WEAK)

#define ROW(name, help) {#name, help, cmd_##name},
const struct verb verbs[] = {VERBS(ROW){NULL, NULL, NULL}};

const struct verb *verb_find(const char *name)
{
	for (const struct verb *verb = verbs; verb->name; verb++)
		if (strcmp(name, verb->name) == 0)
			return verb;
	return NULL;
}
