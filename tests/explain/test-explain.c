/* SPDX-License-Identifier: MIT */
/* Unit tests: what profiles, plans and symbols say of a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "explain/code.h"
#include "explain/planned.h"
#include "explain/touch.h"

#define PAGE 4096u

static struct profile_range ranges[] = {{2, 3, 10, 2}, {5, 1, 1, 1}, {9, 2, 4, 3}};
static const struct profile_file file = {.path = (char *)"/lib/a", .ranges = ranges, .n_ranges = 3};

static void range_of_a_page_is_found(void **state)
{
	assert_null(explain_find_range(&file, 0));
	assert_ptr_equal(explain_find_range(&file, 2), &ranges[0]);
	assert_ptr_equal(explain_find_range(&file, 4), &ranges[0]);
	assert_ptr_equal(explain_find_range(&file, 5), &ranges[1]);
	assert_null(explain_find_range(&file, 6));
	assert_ptr_equal(explain_find_range(&file, 10), &ranges[2]);
	assert_null(explain_find_range(&file, 11));
	assert_null(explain_find_range(&file, UINT64_MAX));
}

static void last_exec_before_a_touch_counts(void **state)
{
	struct profile_exec execs[] = {{(char *)"/one", 0}, {(char *)"/two", 5}};
	struct profile profile = {.execs = execs, .n_execs = 2};

	assert_string_equal(explain_find_exec(&profile, 4)->path, "/one");
	assert_string_equal(explain_find_exec(&profile, 5)->path, "/two");
	profile.n_execs = 0;
	assert_null(explain_find_exec(&profile, 5));
}

static void file_is_found_by_path_or_last_part(void **state)
{
	struct profile_file files[] = {
		{.path = (char *)"/usr/a"}, {.path = (char *)"/lib/a"}, {.path = (char *)"/"}};
	struct profile profile = {.files = files, .n_files = 3};

	assert_ptr_equal(explain_find_file(&profile, "/lib/a"), &files[1]);
	assert_ptr_equal(explain_find_file(&profile, "a"), &files[0]);
	assert_null(explain_find_file(&profile, "lib/a"));
	assert_null(explain_find_file(&profile, "/a"));
}

static void plan_says_why_it_reads_a_page(void **state)
{
	static const char strings[] = "/lib/a\0/lib/b";
	static const struct plan_file files[] = {{.path = 0}, {.path = 7}};
	static const struct plan_extent extents[] = {{.file = 0, .page = 2, .pages = 6, .gap = 2},
		{.file = 1, .page = 0, .pages = 4, .guessed = 1}};
	const struct plan_view plan = {
		.files = files, .extents = extents, .strings = strings, .file_count = 2, .extent_count = 2};
	struct explain_planned planned = explain_planned_of(&plan, "/lib/a");

	assert_int_equal(explain_page_of(&plan, "/lib/a", &file, 2), EXPLAIN_TOUCHED);
	assert_int_equal(explain_page_of(&plan, "/lib/a", &file, 6), EXPLAIN_GAP);
	assert_int_equal(explain_page_of(&plan, "/lib/a", &file, 8), EXPLAIN_NOT_PLANNED);
	assert_int_equal(explain_page_of(&plan, "/lib/a", &file, 1), EXPLAIN_NOT_PLANNED);
	assert_int_equal(explain_page_of(&plan, "/lib/b", NULL, 3), EXPLAIN_GUESSED);
	assert_int_equal(explain_page_of(&plan, "/lib/c", NULL, 3), EXPLAIN_NOT_PLANNED);
	assert_true(planned.file && !planned.guessed);
	assert_int_equal(planned.pages, 6);
	assert_int_equal(planned.gaps, 2);
	assert_true(explain_planned_of(&plan, "/lib/b").guessed);
	assert_false(explain_planned_of(&plan, "/lib/c").file);
}

#define FUNCTION(at, bytes, text)                                                                            \
	{                                                                                                    \
		.name = (text), .name_length = sizeof(text) - 1, .address = (at), .size = (bytes)            \
	}

static void functions_and_pages_lead_to_each_other(void **state)
{
	struct order_function functions[] = {FUNCTION(0x401000, 0x10, "first"),
		FUNCTION(0x401ff8, 0x1010, "long"), FUNCTION(0x403020, 8, "last"),
		FUNCTION(0x500000, 8, "elsewhere")};
	struct order_segment segment = {.offset = 0x2000, .size = 0x3000, .address = 0x401000};
	const struct order_image image = {
		.segments = &segment, .n_segments = 1, .functions = functions, .n_functions = 4};
	struct explain_functions on = {0};
	struct explain_place place;

	assert_int_equal(explain_find_function(&image, "long", 0, PAGE, &place), 1);
	assert_int_equal(place.first, 2);
	assert_int_equal(place.last, 4);
	assert_int_equal(explain_find_function(&image, "lon", 0, PAGE, &place), 4);
	assert_int_equal(explain_find_function(&image, "elsewhere", 0, PAGE, &place), 4);
	assert_int_equal(explain_find_function(&image, "long", 2, PAGE, &place), 4);
	assert_int_equal(explain_functions_on(&image, 4, PAGE, &on), 0);
	assert_int_equal(on.n, 2);
	assert_ptr_equal(on.items[0], &functions[1]);
	assert_ptr_equal(on.items[1], &functions[2]);
	explain_functions_release(&on);
	assert_int_equal(explain_functions_on(&image, UINT64_MAX - 1, PAGE, &on), 0);
	assert_int_equal(on.n, 0);
	explain_functions_release(&on);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(range_of_a_page_is_found),
		cmocka_unit_test(last_exec_before_a_touch_counts),
		cmocka_unit_test(file_is_found_by_path_or_last_part),
		cmocka_unit_test(plan_says_why_it_reads_a_page),
		cmocka_unit_test(functions_and_pages_lead_to_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
