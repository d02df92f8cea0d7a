/* SPDX-License-Identifier: MIT */
#include "report/json-text.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <string.h>

#include "report/utf8.h"

struct json_object *json_text(const char *text)
{
	return json_object_new_string(text ? text : "");
}

/* A control character that JSON has no need to escape, though terminals act on it: DEL, and U+0080 to U+009F. Returns it, or 0. */
static unsigned control_at(const char *at)
{
	const unsigned char *c = (const unsigned char *)at;

	return c[0] == 0x7f ? c[0] : c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0 ? c[1] : 0;
}

static bool is_as_it_is(const char *at, bool in_html)
{
	return utf8_length(at) > 0 && !control_at(at) && !(in_html && strchr("<>&", *at));
}

/* Only strings can have bytes that are not UTF-8, or what HTML would take for its own. */
static void write_clean(FILE *out, const char *json, bool in_html)
{
	while (*json) {
		const char *from = json;

		while (*json && is_as_it_is(json, in_html))
			json += utf8_length(json);
		fwrite(from, 1, (size_t)(json - from), out);
		if (!*json)
			return;
		if (utf8_length(json) > 0)
			fprintf(out, "\\u%04x", control_at(json) ? control_at(json) : (unsigned)*json);
		else
			fputs("\xef\xbf\xbd", out);
		json += utf8_length(json) > 0 ? utf8_length(json) : 1;
	}
}

int json_text_write(FILE *out, const char *text)
{
	struct json_object *value = json_text(text);
	const char *json =
		value ? json_object_to_json_string_ext(value, JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;

	if (json)
		write_clean(out, json, true);
	json_object_put(value);
	return json ? 0 : -ENOMEM;
}

int json_print(FILE *out, struct json_object *value, int flags, const char *end)
{
	const char *text =
		value ? json_object_to_json_string_ext(value, flags | JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;

	if (text) {
		write_clean(out, text, false);
		fputs(end, out);
	}
	json_object_put(value);
	return text ? 0 : -ENOMEM;
}
