/* SPDX-License-Identifier: MIT */
/* Strings that come from a system, such as paths, in JSON. */
#pragma once

struct json_object;

/* JSON is UTF-8, paths need not be: each byte that is not becomes U+FFFD. NULL is "". Returns NULL for
 * ENOMEM. */
struct json_object *json_text(const char *text);
