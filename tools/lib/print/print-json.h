/* SPDX-License-Identifier: MIT */
/* Prints results for programs on standard output. */
#pragma once

struct json_object;

/*
 * Prints an object and a newline, in the style of these JSON_C_TO_STRING_ flags (paths keep their slashes), and
 * releases it. Returns 0, or an exit status after printing the reason.
 */
int print_json(struct json_object *json, int flags);
