/* SPDX-License-Identifier: MIT */
#include "lib/print/print-json.h"

#include <json-c/json.h>
#include <stdio.h>

#include "report/json-text.h"
#include "verb.h"

int print_json(struct json_object *json, int flags)
{
	int r = json_print(stdout, json, flags, "\n");

	return r < 0 ? verb_fail_errno(r, "cannot write to standard output") : verb_flush();
}
