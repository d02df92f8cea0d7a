/* SPDX-License-Identifier: MIT */
/* The functions on a page, and when they were called. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/functions.h"
#include "report/json-text.h"
#include "report/table.h"
#include "report/words.h"
#include "verbs/explain/explain.h"

#define FUNCTIONS_SHOWN 12u

/* What is known of calls of the file; NULL: nothing. */
static const struct profile_object *calls_of(const struct explanation *explanation)
{
	return explanation->file ? profile_functions_of(explanation->all.functions, explanation->file) : NULL;
}

/* Returns whether the functions of the page are known. */
static bool find_functions(
	const struct explanation *explanation, uint64_t page, struct explain_functions *ret)
{
	return explanation->has_image &&
		explain_functions_on(&explanation->image, page, explanation->all.page_size, ret) == 0;
}

/* Functions that were called come alone, if that is known. */
void explanation_print_functions(
	const struct explanation *explanation, uint64_t page, const struct report_style *style)
{
	_cleanup_(explain_functions_releasep) struct explain_functions functions = {0};
	const struct profile_object *calls = calls_of(explanation);
	size_t shown = 0, more = 0;
	char order[WORDS_MAX];

	if (!find_functions(explanation, page, &functions))
		return;
	for (size_t i = 0; i < functions.n; i++) {
		const struct order_function *function = functions.items[i];
		const struct profile_call *call =
			calls ? profile_object_find(calls, function->address) : NULL;

		if (shown == FUNCTIONS_SHOWN || (calls && !call)) {
			more++;
			continue;
		}
		table_line(stdout, style, shown++ ? "" : "functions", "%.*s%s%s", (int)function->name_length,
			function->name, call ? ", call " : "", call ? words_count(call->order, order) : "");
	}
	if (more > 0)
		table_line(stdout, style, shown ? "" : "functions", "%s%zu %s", shown ? "and " : "", more,
			calls && shown < FUNCTIONS_SHOWN ? "that were not called" : "more");
}

static struct json_object *call_json(const struct order_function *function, const struct profile_call *call)
{
	_cleanup_free_ char *name = strndup(function->name, function->name_length);
	struct json_object *json = json_object_new_object();

	json_object_object_add(json, "function", json_text(name));
	json_object_object_add(json, "order", json_object_new_uint64(call->order));
	return json;
}

void explanation_put_functions(struct json_object *json, const struct explanation *explanation, uint64_t page)
{
	_cleanup_(explain_functions_releasep) struct explain_functions functions = {0};
	struct json_object *names = json_object_new_array(), *called = NULL;
	const struct profile_object *calls = calls_of(explanation);

	(void)find_functions(explanation, page, &functions);
	if (calls)
		called = json_object_new_array();
	for (size_t i = 0; i < functions.n; i++) {
		const struct order_function *function = functions.items[i];
		const struct profile_call *call =
			calls ? profile_object_find(calls, function->address) : NULL;
		_cleanup_free_ char *name = strndup(function->name, function->name_length);

		json_object_array_add(names, json_text(name));
		if (call)
			json_object_array_add(called, call_json(function, call));
	}
	json_object_object_add(json, "functions", names);
	json_object_object_add(json, "calls", called);
}
