/* SPDX-License-Identifier: MIT */
/* JSON: strings from a system, such as paths, and how values are printed. */
#pragma once

#include <stdio.h>

struct json_object;

/* A string; NULL becomes "". Returns NULL if memory runs out. */
struct json_object *json_text(const char *text);

/*
 * JSON is UTF-8, but paths need not be: both functions print U+FFFD for each byte that is not UTF-8. They print control characters as
 * escapes, those beyond ASCII too, as a terminal would act on them.
 *
 * Writes a string to a file. In HTML "<" must not stand in a script, since "</script>" would end it: "<", ">" and "&" become
 * escapes. Returns 0 or -ENOMEM.
 */
int json_text_write(FILE *out, const char *text);

/*
 * Prints a value in the style of these JSON_C_TO_STRING_ flags (paths keep their slashes), then `end`, and releases it. Returns
 * 0; or -ENOMEM, also for NULL. Check ferror() for write errors.
 */
int json_print(FILE *out, struct json_object *value, int flags, const char *end);
