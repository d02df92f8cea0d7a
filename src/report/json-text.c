/* SPDX-License-Identifier: MIT */
#include "report/json-text.h"

#include <errno.h>
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

int json_text_write(FILE *out, const char *text)
{
	struct json_object *value = json_text(text);
	const char *json =
		value ? json_object_to_json_string_ext(value, JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;

	for (const char *at = json; at && *at; at++)
		if (*at == '<' || *at == '>' || *at == '&')
			fprintf(out, "\\u%04x", *at);
		else
			fputc(*at, out);
	json_object_put(value);
	return json ? 0 : -ENOMEM;
}

int json_print(FILE *out, struct json_object *value, int flags, const char *end)
{
	const char *text =
		value ? json_object_to_json_string_ext(value, flags | JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;

	if (text)
		fprintf(out, "%s%s", text, end);
	json_object_put(value);
	return text ? 0 : -ENOMEM;
}
