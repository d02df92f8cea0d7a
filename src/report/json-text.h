/* SPDX-License-Identifier: MIT */
/* Writes strings from a system, such as paths, as JSON. */
#pragma once

struct json_object;

/*
 * JSON is UTF-8, but paths need not be: each byte that is not UTF-8 becomes U+FFFD. NULL becomes "". Returns NULL if
 * memory runs out.
 */
struct json_object *json_text(const char *text);
