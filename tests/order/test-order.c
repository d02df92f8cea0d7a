/* SPDX-License-Identifier: MIT */
/* Unit tests: pages to addresses, addresses to functions, functions to the languages of linkers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "order/choose.h"
#include "order/match.h"
#include "order/touched.h"
#include "order/write.h"

#define PAGE 4096u

/* A function for the tables below, with its name. */
#define FUNCTION(at, bytes, text)                                                                            \
	{                                                                                                    \
		.name = (text), .name_length = sizeof(text) - 1, .address = (at), .size = (bytes)            \
	}

/* Borrows its arguments; nothing of it is released. */
static struct order_image image_of(struct order_function *functions, size_t n)
{
	static struct order_segment segment = {.offset = 0x1000, .size = 0x5000, .address = 0x401000};
	static struct order_section section = {.address = 0x401000, .size = 0x4800};

	return (struct order_image){.segments = &segment,
		.n_segments = 1,
		.sections = &section,
		.n_sections = 1,
		.functions = functions,
		.n_functions = n};
}

static struct profile_file file_of(struct profile_range *ranges, size_t n)
{
	return (struct profile_file){.ranges = ranges, .n_ranges = n};
}

static void touch(struct order_touched *touched, const struct order_image *image,
	struct profile_range *ranges, size_t n)
{
	struct profile_file file = file_of(ranges, n);

	assert_int_equal(order_touched_pages(touched, &file, PAGE, image), 0);
}

static void assert_names(const struct order_list *list, const char *const *names)
{
	size_t n = 0;

	for (; names[n]; n++) {
		assert_true(n < list->n);
		assert_int_equal(list->items[n].function->name_length, strlen(names[n]));
		assert_memory_equal(list->items[n].function->name, names[n], strlen(names[n]));
	}
	assert_int_equal(list->n, n);
}

static void pages_become_addresses(void **state)
{
	struct order_segment segments[] = {
		{.offset = 0x1800, .size = 0x1000, .address = 0x402800},
		{.offset = 0x2800, .size = 0x3800, .address = 0x300800},
	};
	struct order_image image = {.segments = segments, .n_segments = 2};
	struct profile_range ranges[] = {{0, 1, 9, 1}, {1, 2, 5, 1}, {5, 3, 1, 1}};
	_cleanup_(order_touched_releasep) struct order_touched touched = {0};
	static const struct order_span expected[] = {
		{.address = 0x300800, .size = 0x800, .page = 2, .order = 6},
		{.address = 0x303000, .size = 0x1000, .page = 5, .order = 1},
		{.address = 0x402800, .size = 0x800, .page = 1, .order = 5},
		{.address = 0x403000, .size = 0x800, .page = 2, .order = 6},
	};

	touch(&touched, &image, ranges, 3);
	assert_int_equal(touched.n, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(touched.spans[i].address, expected[i].address);
		assert_int_equal(touched.spans[i].size, expected[i].size);
		assert_int_equal(touched.spans[i].page, expected[i].page);
		assert_int_equal(touched.spans[i].order, expected[i].order);
	}
}

static void pages_beyond_code_are_none(void **state)
{
	struct order_image image = image_of(NULL, 0);
	struct profile_range ranges[] = {{0, 1, 0, 1}, {6, UINT32_MAX - 6, 1, 1}};
	_cleanup_(order_touched_releasep) struct order_touched touched = {0};

	touch(&touched, &image, ranges, 2);
	assert_int_equal(touched.n, 0);
}

static void functions_come_in_order_of_touch(void **state)
{
	struct order_function functions[] = {
		FUNCTION(0x401000, 0x800, "first"),
		FUNCTION(0x401ff0, 0x20, "across"),
		FUNCTION(0x402010, 0x10, "beside"),
		FUNCTION(0x403000, 0x1000, "untouched"),
		FUNCTION(0x404000, 0x10, "alias"),
		FUNCTION(0x404000, 0x10, "aliased"),
		FUNCTION(0x404fff, 1, "last_byte"),
		FUNCTION(0x405000, 0x10, "next_page"),
	};
	static const char *const names[] = {
		"alias", "aliased", "last_byte", "across", "beside", "first", NULL};
	struct order_image image = image_of(functions, 8);
	struct profile_range ranges[] = {{1, 1, 3, 1}, {2, 1, 2, 1}, {4, 1, 1, 1}};
	_cleanup_(order_touched_releasep) struct order_touched touched = {0};
	_cleanup_(order_list_releasep) struct order_list list = {0};

	touch(&touched, &image, ranges, 3);
	assert_int_equal(order_choose(&image, &touched, &list), 0);
	assert_names(&list, names);
}

static void a_long_function_has_its_earliest_touch(void **state)
{
	struct order_function functions[] = {
		FUNCTION(0x401000, 0x3000, "long"), FUNCTION(0x404000, 8, "short")};
	static const char *const names[] = {"long", "short", NULL};
	struct order_image image = image_of(functions, 2);
	struct profile_range ranges[] = {{1, 1, 7, 1}, {3, 1, 2, 1}, {4, 1, 4, 1}};
	_cleanup_(order_touched_releasep) struct order_touched touched = {0};
	_cleanup_(order_list_releasep) struct order_list list = {0};

	touch(&touched, &image, ranges, 3);
	assert_int_equal(order_choose(&image, &touched, &list), 0);
	assert_names(&list, names);
	assert_int_equal(list.items[0].order, 2);
}

static void nothing_touched_is_nothing_chosen(void **state)
{
	struct order_function functions[] = {FUNCTION(0x401000, 0x10, "one")};
	struct order_image image = image_of(functions, 1);
	struct order_touched touched = {.page_size = PAGE};
	_cleanup_(order_list_releasep) struct order_list list = {0};
	struct order_summary summary;

	assert_int_equal(order_choose(&image, &touched, &list), 0);
	assert_int_equal(list.n, 0);
	assert_int_equal(order_summarize(&list, &image, &touched, &summary), 0);
	assert_int_equal(summary.functions + summary.bytes + summary.pages_after + summary.runs_after, 0);
}

/* A list of all functions, each touched after the one before. */
static struct order_list list_of(const struct order_function *functions, size_t n)
{
	struct order_list list = {.items = calloc(n, sizeof(*list.items)), .n = n, .capacity = n};

	assert_non_null(list.items);
	for (size_t i = 0; i < n; i++)
		list.items[i] = (struct order_choice){&functions[i], (uint32_t)i};
	return list;
}

static void narrowing_keeps_what_both_have(void **state)
{
	struct order_function mine[] = {
		FUNCTION(0x401000, 8, "both"),
		FUNCTION(0x401010, 8, "only_here"),
		FUNCTION(0x401020, 8, "alias"),
		FUNCTION(0x401020, 8, "name"),
	};
	struct order_function other[] = {FUNCTION(0x900000, 8, "name"), FUNCTION(0x900010, 8, "elsewhere"),
		FUNCTION(0x900020, 8, "both"), FUNCTION(0x900030, 8, "only_her")};
	static const char *const names[] = {"both", "alias", "name", NULL};
	static const char *const none[] = {NULL};
	_cleanup_(order_list_releasep) struct order_list list = list_of(mine, 4), others = list_of(other, 4),
							 empty = {0};

	assert_int_equal(order_narrow(&list, &others), 0);
	assert_names(&list, names);
	assert_int_equal(order_narrow(&list, &empty), 0);
	assert_names(&list, none);
}

static void the_summary_counts(void **state)
{
	struct order_function functions[] = {
		FUNCTION(0x401000, 0x11, "one"),
		FUNCTION(0x402000, 0x10, "same"),
		FUNCTION(0x402000, 0x10, "other_name"),
		FUNCTION(0x404000, 0x1000, "same"),
		FUNCTION(0x405000, 0x10, "no"),
	};
	struct order_image image = image_of(functions, 5);
	struct profile_range ranges[] = {{1, 2, 0, 1}, {5, 1, 2, 1}}; /* page 5 has more than .text */
	_cleanup_(order_touched_releasep) struct order_touched touched = {0};
	_cleanup_(order_list_releasep) struct order_list list = {0};
	struct order_summary summary;

	touch(&touched, &image, ranges, 2);
	assert_int_equal(order_choose(&image, &touched, &list), 0);
	list.n--; /* "no", at the end */
	assert_int_equal(order_summarize(&list, &image, &touched, &summary), 0);
	assert_int_equal(summary.functions, 2);
	assert_int_equal(summary.namesakes, 1);
	assert_int_equal(summary.bytes, 0x20 + 0x10 + 0x1000);
	assert_int_equal(summary.pages_before, 3);
	assert_int_equal(summary.runs_before, 2);
	assert_int_equal(summary.pages_after, 3); /* not 4: 2, 1 for the edges, and 1 that stays */
	assert_int_equal(summary.runs_after, 2);
}

static void the_prediction_counts_what_stays(void **state)
{
	struct order_function functions[] = {
		FUNCTION(0x401000, 0x11, "one"), FUNCTION(0x402000, 0x10, "two")};
	struct order_image image = image_of(functions, 2);
	struct profile_range all = {1, 5, 0, 1};
	_cleanup_(order_touched_releasep) struct order_touched touched = {0};
	_cleanup_(order_list_releasep) struct order_list list = list_of(functions, 1);
	struct order_summary summary;

	touch(&touched, &image, &all, 1);
	assert_int_equal(order_summarize(&list, &image, &touched, &summary), 0);
	assert_int_equal(summary.pages_before, 5);
	assert_int_equal(summary.pages_after,
		1 + 1 + 1); /* its bytes, not aligned, and the page that is not all .text */
	assert_int_equal(summary.runs_after, 1);
}

/* Returns what is written for the linker. The caller frees it. */
static char *written(enum order_linker linker, const struct order_list *list, size_t *ret_left_out)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(order_write(out, linker, list, ret_left_out), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void each_linker_has_its_language(void **state)
{
	static const char gold[] =
		".text.f\n.text.hot.f\n.text.startup.f\n.text.exit.f\n.text.unlikely.f\n"
		".text.g\n.text.hot.g\n.text.startup.g\n.text.exit.g\n"
		".text.unlikely.g\n.text.split.g\n"
		".text.unlikely.h\n.text.split.h\n";
	struct order_function functions[] = {FUNCTION(0x401000, 8, "f"), FUNCTION(0x401010, 8, "g"),
		FUNCTION(0x401020, 8, "g.cold"), FUNCTION(0x401030, 8, "h.cold.12"),
		FUNCTION(0x401040, 8, "f")};
	_cleanup_(order_list_releasep) struct order_list list = list_of(functions, 5);
	_cleanup_free_ char *lld = NULL, *as_gold = NULL, *ld = NULL, *script = NULL;
	size_t left_out;

	functions[1].has_cold = true;
	lld = written(ORDER_LLD, &list, &left_out);
	assert_string_equal(strchr(lld, '\n') + 1, "f\ng\ng.cold\nh.cold.12\n");
	assert_true(lld[0] == '#');
	as_gold = written(ORDER_GOLD, &list, &left_out);
	assert_string_equal(as_gold, gold);
	ld = written(ORDER_LD, &list, &left_out);
	assert_non_null(
		strstr(ld, "\n    *( \".text.g\" \".text.hot.g\" \".text.startup.g\" \".text.exit.g\" )\n"));
	assert_non_null(strstr(ld, "\n    *( \".text.unlikely.h\" \".text.split.h\" )\n"));
	assert_null(strstr(ld, "SECTIONS"));
	script = written(ORDER_LD_SCRIPT, &list, &left_out);
	assert_non_null(strstr(script, "}\nINSERT BEFORE .text;\n"));
	assert_int_equal(left_out, 0);
}

static void names_that_look_cold(void **state)
{
	struct order_function functions[] = {FUNCTION(0x401000, 8, ".cold"),
		FUNCTION(0x401010, 8, "f.cold.x"), FUNCTION(0x401020, 8, "f.1"), FUNCTION(0x401030, 8, "12")};
	_cleanup_(order_list_releasep) struct order_list list = list_of(functions, 4);
	_cleanup_free_ char *text = NULL;
	size_t left_out;

	text = written(ORDER_GOLD, &list, &left_out);
	assert_non_null(strstr(text, ".text..cold\n"));
	assert_non_null(strstr(text, ".text.f.cold.x\n"));
	assert_non_null(strstr(text, ".text.f.1\n"));
	assert_non_null(strstr(text, ".text.12\n"));
	assert_null(strstr(text, "split"));
}

static void names_that_cannot_be_said_are_left_out(void **state)
{
	struct order_function functions[] = {FUNCTION(0x401000, 8, "ok"), FUNCTION(0x401010, 8, "-[A b]"),
		FUNCTION(0x401020, 8, "glob*"), FUNCTION(0x401030, 8, "#comment"),
		FUNCTION(0x401040, 8, "new\nline"), FUNCTION(0x401050, 8, "quo\"te"),
		FUNCTION(0x401060, 8, "na\303\257ve")};
	_cleanup_(order_list_releasep) struct order_list list = list_of(functions, 7);
	_cleanup_free_ char *lld = NULL, *gold = NULL;
	size_t left_out;

	lld = written(ORDER_LLD, &list, &left_out);
	assert_string_equal(strchr(lld, '\n') + 1, "ok\nglob*\nquo\"te\nna\303\257ve\n");
	assert_int_equal(left_out, 3);
	gold = written(ORDER_GOLD, &list, &left_out);
	assert_non_null(strstr(gold, ".text.na\303\257ve\n"));
	assert_null(strpbrk(gold, "*[\"#"));
	assert_int_equal(left_out, 5);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_become_addresses),
		cmocka_unit_test(pages_beyond_code_are_none),
		cmocka_unit_test(functions_come_in_order_of_touch),
		cmocka_unit_test(a_long_function_has_its_earliest_touch),
		cmocka_unit_test(nothing_touched_is_nothing_chosen),
		cmocka_unit_test(narrowing_keeps_what_both_have),
		cmocka_unit_test(the_summary_counts),
		cmocka_unit_test(the_prediction_counts_what_stays),
		cmocka_unit_test(each_linker_has_its_language),
		cmocka_unit_test(names_that_look_cold),
		cmocka_unit_test(names_that_cannot_be_said_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
