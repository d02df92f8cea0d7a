/* SPDX-License-Identifier: MIT */
#include "print-json.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>

#include "verb.h"

int print_json(struct json_object *json, int flags)
{
	const char *text = json_object_to_json_string_ext(json, flags | JSON_C_TO_STRING_NOSLASHESCAPE);
	int r = !text ? -ENOMEM : puts(text) < 0 || fflush(stdout) != 0 ? -errno : 0;

	json_object_put(json);
	return r < 0 ? verb_fail_errno(r, "cannot write to standard output") : 0;
}
