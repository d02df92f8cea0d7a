/* SPDX-License-Identifier: MIT */
#include "report/json-text.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/utf8.h"

struct json_object *json_text(const char *text)
{
	_cleanup_free_ char *clean = NULL;
	size_t n = 0, length;

	if (!text)
		text = "";
	clean = malloc(3 * strlen(text) + 1);
	if (!clean)
		return NULL;
	for (; *text; text += length ? length : 1) {
		length = utf8_length(text);
		memcpy(clean + n, length ? text : "\xef\xbf\xbd", length ? length : 3);
		n += length ? length : 3;
	}
	return json_object_new_string_len(clean, (int)n);
}
