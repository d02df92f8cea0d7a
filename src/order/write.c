/* SPDX-License-Identifier: MIT */
/*
 * The syntax of each linker.
 *
 * lld: ld.lld(1), and lld/test/ELF/symbol-ordering-file.s. One symbol a line; empty lines and lines that begin with '#'
 * are ignored. lld moves the section of a symbol to the front of its output section.
 *
 * gold: ld.gold(1), gold/layout.cc read_layout_from_file(). One name of an input section a line, which may be a glob
 * (*, ?, [); no comments. gold moves these sections behind those that are not named.
 *
 * ld: ld(1) of binutils 2.43 and later. Statements as within SECTIONS, but without that word around them; they put
 * input sections in front of the other content of an output section.
 *
 * ld-script: the manual of GNU ld, "INSERT". A script given with -T that has INSERT adds to the default script, and ld
 * tries its patterns first. The functions become an output section of their own in front of .text.
 *
 * mold: has no such option up to 2.37 (mold(1); github.com/rui314/mold/issues/1231); its --section-order is about
 * output sections. GNU ld -r with the script above makes one input section of the functions, and mold keeps that whole.
 * So the file is that script.
 *
 * All but lld use names of sections, into which -ffunction-sections puts functions. GCC (varasm.cc,
 * default_function_section()) and LLVM (TargetLoweringObjectFileImpl.cpp) call them .text.NAME, .text.hot.NAME,
 * .text.startup.NAME, .text.exit.NAME or .text.unlikely.NAME, depending on what they know of the function; the linked
 * file does not show which. If a function was split (-freorder-blocks-and-partition), its rest NAME.cold lies in
 * .text.unlikely.NAME (GCC) or .text.split.NAME (LLVM). Names that no section has do no harm.
 */
#include "order/write.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

struct name {
	const char *text;
	int length;
	bool has_cold;
};

struct format {
	const char *name;
	const char *head;
	void (*write)(FILE *out, struct name name);
	const char *tail;
	bool (*expresses)(unsigned char c); /* whether a name may have that character */
};

/* The name without .cold or .cold.N (GCC 8) at its end; empty if it has no such end. */
static struct name cold_stem(struct name name)
{
	int end = name.length;

	while (end > 0 && isdigit((unsigned char)name.text[end - 1]))
		end--;
	if (end < name.length && end > 0 && name.text[end - 1] == '.')
		end--;
	else
		end = name.length;
	if (end <= 5 || memcmp(name.text + end - 5, ".cold", 5) != 0)
		return (struct name){0};
	return (struct name){.text = name.text, .length = end - 5};
}

/* Calls `section` with the prefix of each section that the function may lie in. */
static void each_section(
	FILE *out, struct name name, void (*section)(FILE *out, const char *prefix, struct name name))
{
	struct name stem = cold_stem(name);

	if (stem.length > 0) {
		section(out, ".text.unlikely.", stem);
		section(out, ".text.split.", stem);
		return;
	}
	section(out, ".text.", name);
	section(out, ".text.hot.", name);
	section(out, ".text.startup.", name);
	section(out, ".text.exit.", name);
	if (!name.has_cold)
		section(out, ".text.unlikely.", name);
}

static void write_symbol(FILE *out, struct name name)
{
	fprintf(out, "%.*s\n", name.length, name.text);
}

static void glob_line(FILE *out, const char *prefix, struct name name)
{
	fprintf(out, "%s%.*s\n", prefix, name.length, name.text);
}

static void write_globs(FILE *out, struct name name)
{
	each_section(out, name, glob_line);
}

static void script_pattern(FILE *out, const char *prefix, struct name name)
{
	fprintf(out, " \"%s%.*s\"", prefix, name.length, name.text);
}

static void write_statement(FILE *out, struct name name)
{
	fputs("    *(", out);
	each_section(out, name, script_pattern);
	fputs(" )\n", out);
}

static bool in_line(unsigned char c)
{
	return c > ' ' && c != 0x7f;
}

/* Also excludes the characters of globs and quotes. */
static bool in_pattern(unsigned char c)
{
	return in_line(c) && !strchr("*?[]\\\"", c);
}

#define SCRIPT_HEAD                                                                                          \
	"SECTIONS\n"                                                                                         \
	"{\n"                                                                                                \
	"  .text.hot :\n"                                                                                    \
	"  {\n"
#define SCRIPT_TAIL                                                                                          \
	"  }\n"                                                                                              \
	"}\n"                                                                                                \
	"INSERT BEFORE .text;\n"

static const struct format formats[ORDER_LINKERS] = {
	[ORDER_LLD] = {"lld", "# by headstart, for ld.lld --symbol-ordering-file\n", write_symbol, "",
		in_line},
	[ORDER_GOLD] = {"gold", "", write_globs, "", in_pattern},
	[ORDER_LD] = {"ld",
		"/* by headstart, for GNU ld --section-ordering-file (2.43 or later) */\n.text :\n  {\n",
		write_statement, "  }\n", in_pattern},
	[ORDER_LD_SCRIPT] = {"ld-script", "/* by headstart, for GNU ld -T */\n" SCRIPT_HEAD, write_statement,
		SCRIPT_TAIL, in_pattern},
	[ORDER_MOLD] = {"mold", "/* by headstart, for GNU ld -r -T; mold links the result */\n" SCRIPT_HEAD,
		write_statement, SCRIPT_TAIL, in_pattern},
};

const char *order_linker_name(enum order_linker linker)
{
	return formats[linker].name;
}

static bool is_expressible(const struct format *format, const struct order_function *function)
{
	for (uint32_t i = 0; i < function->name_length; i++)
		if (!format->expresses((unsigned char)function->name[i]))
			return false;
	return function->name[0] != '#';
}

static int compare_items(const void *a, const void *b)
{
	const struct order_choice *const *left = a, *const *right = b;
	int by_name = order_name_compare((*left)->function, (*right)->function);

	return by_name ? by_name : (*left > *right) - (*left < *right);
}

/* Marks the items whose name an earlier one has, as static functions may: lld warns of those. Free *ret. */
static int mark_repeated(const struct order_list *list, bool **ret)
{
	_cleanup_free_ const struct order_choice **sorted = calloc(list->n + 1, sizeof(*sorted));
	bool *repeated = calloc(list->n + 1, sizeof(*repeated));

	if (!sorted || !repeated) {
		free(repeated);
		return -ENOMEM;
	}
	for (size_t i = 0; i < list->n; i++)
		sorted[i] = &list->items[i];
	qsort(sorted, list->n, sizeof(*sorted), compare_items);
	for (size_t i = 1; i < list->n; i++)
		if (order_name_compare(sorted[i - 1]->function, sorted[i]->function) == 0)
			repeated[sorted[i] - list->items] = true;
	*ret = repeated;
	return 0;
}

int order_write(FILE *out, enum order_linker linker, const struct order_list *list, size_t *ret_left_out)
{
	const struct format *format = &formats[linker];
	_cleanup_free_ bool *repeated = NULL;
	size_t left_out = 0;
	int r = mark_repeated(list, &repeated);

	if (r < 0)
		return r;
	fputs(format->head, out);
	for (size_t i = 0; i < list->n; i++) {
		const struct order_function *function = list->items[i].function;

		if (repeated[i])
			continue;
		if (is_expressible(format, function))
			format->write(out,
				(struct name){
					function->name, (int)function->name_length, function->has_cold});
		else
			left_out++;
	}
	fputs(format->tail, out);
	*ret_left_out = left_out;
	return 0;
}
