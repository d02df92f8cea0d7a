/* SPDX-License-Identifier: MIT */
#include "order/callgrind.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/inode-map.h"
#include "base/strings.h"

/* Names of objects by their numbers. */
struct names {
	const char **items; /* owned; the names borrowed */
	size_t n, capacity;
	struct inode_map by_number; /* numbers, as inodes */
};

struct parser {
	struct callgrind *to;
	struct names objects;
	const char *object;        /* of the functions that follow */
	const char *called_object; /* of the next called function; NULL: the same */
	bool has_events;
};

/* "(NUMBER) NAME", "(NUMBER)" or "NAME". Without a number *ret_number stays. Returns whether it is well-formed. */
static bool split(char *value, uint64_t *ret_number, const char **ret_name)
{
	char *end;

	*ret_name = *value ? value : NULL;
	if (*value != '(' || !isdigit((unsigned char)value[1]))
		return true; /* also "(below main)" */
	errno = 0;
	*ret_number = strtoull(value + 1, &end, 10);
	if (errno || *end != ')')
		return false;
	end += 1 + (end[1] == ' ');
	*ret_name = *end ? end : NULL;
	return true;
}

static int take_object(struct parser *parser, char *value, const char **ret)
{
	struct names *objects = &parser->objects;
	uint64_t number = UINT64_MAX;
	const char *name;
	size_t known;
	int r;

	if (!split(value, &number, &name))
		return -EBADMSG;
	known = inode_map_find(&objects->by_number, 0, number);
	*ret = name ? name : known != INODE_MAP_NONE ? objects->items[known] : "???";
	if (!name || number == UINT64_MAX || known != INODE_MAP_NONE)
		return 0;
	r = ARRAY_RESERVE(objects->items, objects->capacity, objects->n + 1);
	if (r == 0)
		r = inode_map_add(&objects->by_number, 0, number, objects->n);
	if (r == 0)
		objects->items[objects->n++] = name;
	return r;
}

static int take_function(struct parser *parser, char *value, const char *object)
{
	struct callgrind *to = parser->to;
	struct callgrind_function function = {.number = to->n_functions, .object = object};
	int r;

	if (!split(value, &function.number, &function.name))
		return -EBADMSG;
	r = ARRAY_RESERVE(to->functions, to->capacity, to->n_functions + 1);
	if (r == 0)
		to->functions[to->n_functions++] = function;
	return r;
}

static int take_called(struct parser *parser, char *value)
{
	int r = take_function(parser, value, parser->called_object ? parser->called_object : parser->object);

	parser->called_object = NULL;
	return r;
}

/* Lines that say nothing of functions: places in sources, calls and jumps. */
static bool is_ignored(const char *line)
{
	static const char *const keys[] = {
		"fl=", "fi=", "fe=", "cfi=", "cfl=", "calls=", "jump=", "jcnd=", "jfi=", "jfn=", "frfn="};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (after_prefix(line, keys[i]))
			return true;
	return *line == 0 || *line == '#' || *line == '+' || *line == '-' || *line == '*' ||
		isdigit((unsigned char)*line);
}

static int take_header(struct parser *parser, char *line)
{
	const char *value;

	if (strspn(line, "abcdefghijklmnopqrstuvwxyz") == 0 ||
		line[strspn(line, "abcdefghijklmnopqrstuvwxyz")] != ':')
		return -EBADMSG;
	parser->has_events |= after_prefix(line, "events:") != NULL;
	value = after_prefix(line, "cmd:");
	if (value)
		parser->to->command = value + strspn(value, " ");
	return 0;
}

static int take_line(struct parser *parser, char *line)
{
	if (is_ignored(line))
		return 0;
	if (after_prefix(line, "ob="))
		return take_object(parser, line + 3, &parser->object);
	if (after_prefix(line, "cob="))
		return take_object(parser, line + 4, &parser->called_object);
	if (after_prefix(line, "fn="))
		return parser->has_events ? take_function(parser, line + 3, parser->object) : -EBADMSG;
	if (after_prefix(line, "cfn="))
		return parser->has_events ? take_called(parser, line + 4) : -EBADMSG;
	return take_header(parser, line);
}

static int compare_numbers(const void *a, const void *b)
{
	const struct callgrind_function *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->name == NULL) - (y->name == NULL);
}

/* A function is named where it is first mentioned, and mentioned often. */
static void keep_each_once(struct callgrind *callgrind)
{
	struct callgrind_function *functions = callgrind->functions;
	size_t kept = 0;

	if (callgrind->n_functions > 0)
		qsort(functions, callgrind->n_functions, sizeof(*functions), compare_numbers);
	for (size_t i = 0; i < callgrind->n_functions; i++)
		if (kept == 0 || functions[i].number != functions[kept - 1].number)
			functions[kept++] = functions[i];
	callgrind->n_functions = kept;
}

int callgrind_parse(char *text, struct callgrind *ret, size_t *ret_line)
{
	struct parser parser = {.to = ret, .object = "???"};
	char *rest = text, *line;
	int r = 0;

	*ret = (struct callgrind){.text = text, .command = ""};
	*ret_line = 0;
	while (r == 0 && (line = strsep(&rest, "\n"))) {
		++*ret_line;
		r = take_line(&parser, line);
	}
	if (r == 0 && !parser.has_events)
		r = -EBADMSG;
	free(parser.objects.items);
	inode_map_release(&parser.objects.by_number);
	keep_each_once(ret);
	return r;
}

void callgrind_release(struct callgrind *callgrind)
{
	free(callgrind->text);
	free(callgrind->functions);
	*callgrind = (struct callgrind){0};
}
