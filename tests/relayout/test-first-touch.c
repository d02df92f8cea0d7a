/* SPDX-License-Identifier: MIT */
/* Unit tests of converting pages of a file, which a profile has, to pages of its segments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "handmade.h"
#include "relayout/first-touch.h"

struct fixture {
	struct handmade elf;
	struct elf_view view;
	struct relayout_image image;
};

static void init(struct fixture *fixture)
{
	const char *problem;

	*fixture = (struct fixture){0};
	handmade_init(&fixture->elf);
	fixture->elf.text.p_filesz = fixture->elf.text.p_memsz =
		0x2e00; /* page 2 is mapped by both segments */
	assert_int_equal(
		elf_view_init(&fixture->view, (uint8_t *)&fixture->elf, sizeof(fixture->elf), &problem), 0);
	assert_int_equal(relayout_image_init(&fixture->image, &fixture->view, &problem), 0);
}

static void fixture_release(struct fixture *fixture)
{
	relayout_image_release(&fixture->image);
	elf_view_release(&fixture->view);
}

static void take(struct fixture *fixture, const struct elf_view *recorded, struct profile_range *ranges,
	size_t n, uint32_t page_size)
{
	struct profile_file file = {.ranges = ranges, .n_ranges = n};

	relayout_take_first_touches(&fixture->image, recorded, &file, page_size);
}

static void expect(const struct fixture *fixture, const uint32_t text[3], const uint32_t data[2])
{
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(fixture->image.segments[0].pages[i].order, text[i]);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(fixture->image.segments[1].pages[i].order, data[i]);
}

#define C RELAYOUT_COLD

static void a_page_mapped_twice_is_hot_twice(void **state)
{
	_cleanup_(fixture_release) struct fixture fixture;
	struct profile_range ranges[] = {{.page = 2, .pages = 1, .order = 5, .runs = 1}};

	init(&fixture);
	take(&fixture, &fixture.view, ranges, 1, 4096);
	expect(&fixture, (uint32_t[]){C, C, 5}, (uint32_t[]){5, C});
}

static void a_range_has_an_order_for_each_page(void **state)
{
	_cleanup_(fixture_release) struct fixture fixture;
	struct profile_range ranges[] = {
		{.page = 0, .pages = 2, .order = 20, .runs = 1},
		{.page = 3, .pages = 1000, .order = 7, .runs = 1}, /* past the end of the file */
	};

	init(&fixture);
	take(&fixture, &fixture.view, ranges, 2, 4096);
	expect(&fixture, (uint32_t[]){20, 21, C}, (uint32_t[]){C, 7});
}

static void ranges_elsewhere_touch_nothing(void **state)
{
	_cleanup_(fixture_release) struct fixture fixture;
	struct profile_range ranges[] = {{.page = 4, .pages = 10, .order = 1, .runs = 1},
		{.page = UINT32_MAX, .pages = 1, .order = 20, .runs = 1}};

	init(&fixture);
	take(&fixture, &fixture.view, ranges, 2, 4096);
	expect(&fixture, (uint32_t[]){C, C, C}, (uint32_t[]){C, C});
	take(&fixture, &fixture.view, NULL, 0, 4096);
	expect(&fixture, (uint32_t[]){C, C, C}, (uint32_t[]){C, C});
}

static void large_pages_of_a_profile_cover_several(void **state)
{
	_cleanup_(fixture_release) struct fixture fixture;
	struct profile_range ranges[] = {{.page = 0, .pages = 1, .order = 3, .runs = 1}};

	init(&fixture);
	take(&fixture, &fixture.view, ranges, 1, 65536);
	expect(&fixture, (uint32_t[]){3, 3, 3}, (uint32_t[]){3, 3});
}

/* A relaid file: its page 9 was mapped in the place of page 1 of the text, its page 10 in the place of the tables. */
static void pages_of_a_relaid_file_are_mapped_back(void **state)
{
	_cleanup_(fixture_release) struct fixture fixture;
	Elf64_Phdr loads[] = {
		{PT_LOAD, PF_R, 0x9000, 0x1000, 0x1000, 0x1000, 0x1000, 0x1000},
		{PT_LOAD, PF_R, 0xa000, 0x6000, 0x6000, 0x800, 0x800, 0x1000},
	};
	struct elf_view relaid = {.loads = loads, .n_loads = 2};
	struct profile_range ranges[] = {{.page = 9, .pages = 2, .order = 11, .runs = 1}};

	init(&fixture);
	take(&fixture, &relaid, ranges, 1, 4096);
	expect(&fixture, (uint32_t[]){C, 11, C}, (uint32_t[]){C, C});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_mapped_twice_is_hot_twice),
		cmocka_unit_test(a_range_has_an_order_for_each_page),
		cmocka_unit_test(ranges_elsewhere_touch_nothing),
		cmocka_unit_test(large_pages_of_a_profile_cover_several),
		cmocka_unit_test(pages_of_a_relaid_file_are_mapped_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
