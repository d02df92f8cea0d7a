/* SPDX-License-Identifier: MIT */
#include "lib/print/print-json.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>

#include "report/json-text.h"
#include "verb.h"

int print_json(struct json_object *json, int flags)
{
	int r = json_print(stdout, json, flags, "\n");

	if (r == 0 && (ferror(stdout) || fflush(stdout) != 0))
		r = -errno;
	return r < 0 ? verb_fail_errno(r, "cannot write to standard output") : 0;
}
