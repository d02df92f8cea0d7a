/* SPDX-License-Identifier: MIT */
/* JSON: strings from a system, such as paths, and how values are printed. */
#pragma once

#include <stdio.h>

struct json_object;

/*
 * JSON is UTF-8, but paths need not be: each byte that is not UTF-8 becomes U+FFFD. NULL becomes "". Returns NULL if
 * memory runs out.
 */
struct json_object *json_text(const char *text);

/*
 * Writes the same to a file. In HTML "<" must not stand in a script, since "</script>" would end it: "<", ">" and "&" become
 * escapes. Returns 0 or -ENOMEM.
 */
int json_text_write(FILE *out, const char *text);

/*
 * Prints the value in the style of these JSON_C_TO_STRING_ flags (paths keep their slashes), then `end`, and releases it. Returns
 * 0; or -ENOMEM, also for NULL. Check ferror() for write errors.
 */
int json_print(FILE *out, struct json_object *value, int flags, const char *end);
