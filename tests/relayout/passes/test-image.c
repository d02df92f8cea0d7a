/* SPDX-License-Identifier: MIT */
/* Unit tests of the image on which passes work: pages, their changed copies, tables, dynamic entries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "handmade.h"
#include "relayout/passes/image.h"

struct fixture {
	struct handmade elf;
	struct elf_view view;
	struct relayout_image image;
};

/* Makes the image of `elf` as it is now. Returns 0, or the error of relayout_image_init(). */
static int make(struct fixture *fixture, const char **ret_problem)
{
	assert_int_equal(
		elf_view_init(&fixture->view, (uint8_t *)&fixture->elf, sizeof(fixture->elf), ret_problem),
		0);
	return relayout_image_init(&fixture->image, &fixture->view, ret_problem);
}

static void fixture_release(struct fixture *fixture)
{
	relayout_image_release(&fixture->image);
	elf_view_release(&fixture->view);
}

static void init_good(struct fixture *fixture)
{
	const char *problem;

	*fixture = (struct fixture){0};
	handmade_init(&fixture->elf);
	assert_int_equal(make(fixture, &problem), 0);
}

static void pages_are_those_with_content(void **state)
{
	_cleanup_(fixture_release) struct fixture fixture;
	const struct relayout_image *image = &fixture.image;

	init_good(&fixture);
	assert_int_equal(image->granule, 4096);
	assert_int_equal(image->n_segments, 2);
	assert_int_equal(image->segments[0].n_pages, 2);
	assert_int_equal(image->segments[1].address, 0x3000);
	assert_int_equal(image->segments[1].offset, 0x2000);
	assert_int_equal(image->segments[1].n_pages, 2); /* 0x3e00 to 0x4100 */
	assert_true(image->segments[0].pages[0].pinned);
	assert_false(image->segments[0].pages[1].pinned);
	assert_int_equal(image->segments[1].pages[1].order, RELAYOUT_COLD);
	assert_ptr_equal(relayout_page_at(image, 0x4000), &image->segments[1].pages[1]);
	assert_null(relayout_page_at(image, 0x4100));
	assert_null(relayout_page_at(image, 0x3000)); /* below the content of its page */
	/* Above 0x5e00, the end of the BSS. */
	assert_int_equal(image->tables_address, 0x6000);
	assert_int_equal(image->tables_offset, 0x6000);
}

static void executables_keep_their_bias(void **state)
{
	struct fixture fixture = {0};
	const char *problem;

	handmade_init(&fixture.elf);
	fixture.elf.header.e_type = ET_EXEC;
	assert_int_equal(make(&fixture, &problem), 0);
	assert_int_equal(fixture.image.tables_address, 0x6000);
	assert_int_equal(fixture.image.tables_offset, 0x6000); /* a hole from 0x4000 */
	fixture_release(&fixture);

	fixture.elf.text.p_vaddr = 0x400000; /* less memory than file: no hole, but addresses left out */
	fixture.elf.data.p_vaddr = 0x401e00;
	fixture.elf.text.p_memsz = fixture.elf.text.p_filesz = 0x1000;
	fixture.elf.data.p_memsz = fixture.elf.data.p_filesz;
	fixture.elf.dynamic.p_vaddr = 0x401e00;
	assert_int_equal(make(&fixture, &problem), 0);
	assert_int_equal(fixture.image.tables_offset, 0x4000);
	assert_int_equal(fixture.image.tables_address, 0x404000);
	fixture_release(&fixture);
}

static void libraries_keep_their_bias_where_it_costs_little(void **state)
{
	struct fixture fixture = {0};
	const char *problem;

	handmade_init(&fixture.elf);
	fixture.elf.data.p_memsz = 8 << 20;
	assert_int_equal(make(&fixture, &problem), 0);
	assert_int_equal(fixture.image.tables_address, 0x804000);
	assert_int_equal(fixture.image.tables_offset, 0x4000); /* no hole */
	fixture_release(&fixture);

	handmade_init(&fixture.elf);
	fixture.elf.text.p_offset = 0x1000; /* begins below the beginning of the file */
	assert_int_equal(make(&fixture, &problem), 0);
	assert_int_equal(fixture.image.tables_address, 0x6000);
	assert_int_equal(fixture.image.tables_offset, 0x4000);
	fixture_release(&fixture);

	fixture.elf.header.e_type = ET_EXEC;
	assert_int_equal(make(&fixture, &problem), -EOPNOTSUPP);
	assert_string_equal(problem, "has a first segment that begins below the beginning of the file");
	fixture_release(&fixture);
}

static void refuses_what_no_overlay_can_be_made_of(void **state)
{
	struct fixture fixture = {0};
	const char *problem;

	handmade_init(&fixture.elf);
	fixture.elf.data.p_align = 16;
	assert_int_equal(make(&fixture, &problem), -EOPNOTSUPP);
	assert_string_equal(problem, "has a segment that is not aligned to a page");
	fixture_release(&fixture);

	handmade_init(&fixture.elf);
	fixture.elf.text.p_memsz = 0x3100;
	assert_int_equal(make(&fixture, &problem), -EOPNOTSUPP);
	assert_string_equal(problem, "has segments that share a page of memory");
	fixture_release(&fixture);

	handmade_init(&fixture.elf);
	fixture.elf.data.p_memsz = 1ull << 47;
	assert_int_equal(make(&fixture, &problem), -EOPNOTSUPP);
	assert_string_equal(problem, "has a segment at an address that no program can use");
	fixture_release(&fixture);

	handmade_init(&fixture.elf);
	fixture.elf.text.p_filesz = fixture.elf.text.p_memsz = 0x3000;
	fixture.elf.stack = (Elf64_Phdr){PT_LOAD, PF_R, 0, 0x10000, 0x10000, 0x3100, 0x3100, 0x1000};
	assert_int_equal(make(&fixture, &problem), -EOPNOTSUPP);
	assert_string_equal(problem, "maps the same part of the file more than once");
	fixture_release(&fixture);

	handmade_init(&fixture.elf);
	fixture.elf.header.e_type = ET_EXEC;
	fixture.elf.data.p_memsz = 65u << 20;
	assert_int_equal(make(&fixture, &problem), -EOPNOTSUPP);
	assert_non_null(strstr(problem, "a hole of more than 64 MiB"));
	fixture_release(&fixture);
}

static void large_pages_of_aarch64(void **state)
{
	struct fixture fixture = {0};
	const char *problem;

	handmade_init(&fixture.elf);
	fixture.elf.header.e_machine = EM_AARCH64;
	fixture.elf.text.p_align = fixture.elf.data.p_align = 0x200000;
	fixture.elf.data.p_vaddr = fixture.elf.dynamic.p_vaddr = 0x202e00;
	assert_int_equal(make(&fixture, &problem), 0);
	assert_int_equal(fixture.image.granule, 0x10000);
	assert_int_equal(fixture.image.segments[1].address, 0x200000);
	assert_int_equal(fixture.image.segments[1].offset, 0);
	assert_true(fixture.image.segments[0].pages[0].pinned);
	assert_false(
		fixture.image.segments[1].pages[0].pinned); /* the second that maps the file's first page */
	assert_int_equal(fixture.image.tables_address, 0x210000);
	fixture_release(&fixture);
}

static void writes_go_to_copies(void **state)
{
	_cleanup_(fixture_release) struct fixture fixture;
	struct relayout_image *image = &fixture.image;
	uint8_t bytes[8], changed[8] = {1, 2, 3, 4, 5, 6, 7, 8};

	init_good(&fixture);
	/* Writing bytes that are there already is no change. */
	assert_int_equal(relayout_image_read(image, 0x3ffc, bytes, 8), 0);
	assert_memory_equal(bytes, "\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa", 8);
	assert_int_equal(relayout_image_write(image, 0x3ffc, bytes, 8), 0);
	assert_null(image->segments[1].pages[0].bytes);
	/* Across two pages. */
	assert_int_equal(relayout_image_write(image, 0x3ffc, changed, 8), 0);
	assert_int_equal(relayout_image_read(image, 0x3ffc, bytes, 8), 0);
	assert_memory_equal(bytes, changed, 8);
	assert_memory_equal(image->segments[1].pages[0].bytes + 0xffc, changed, 4);
	assert_memory_equal(image->segments[1].pages[1].bytes, changed + 4, 4);
	/* The rest of a copy is the page of the file, with zeros behind the end of the file. */
	assert_memory_equal(image->segments[1].pages[0].bytes, (uint8_t *)&fixture.elf + 0x2000, 0xffc);
	assert_int_equal(image->segments[1].pages[1].bytes[0xff], 0xaa);
	assert_int_equal(image->segments[1].pages[1].bytes[0x100], 0);
	assert_int_equal(fixture.elf.rest[0x3ffc - 0x3e00 - sizeof(fixture.elf.entries)], 0xaa);
}

static void writes_stay_within_the_file_and_off_its_first_page(void **state)
{
	_cleanup_(fixture_release) struct fixture fixture;
	uint8_t bytes[8] = {1};

	init_good(&fixture);
	assert_int_equal(relayout_image_write(&fixture.image, 0x40fc, bytes, 8), -EFAULT);
	assert_int_equal(relayout_image_read(&fixture.image, 0x40fc, bytes, 8), -EFAULT);
	assert_int_equal(relayout_image_read(&fixture.image, 0x2ffc, bytes, 8), -EFAULT);
	assert_int_equal(relayout_image_write(&fixture.image, 0x800, bytes, 8), -EPERM);
	assert_int_equal(relayout_image_write(&fixture.image, 0, ELFMAG, SELFMAG), 0);
	assert_null(fixture.image.segments[0].pages[0].bytes);
}

static void cools_whole_pages_alone(void **state)
{
	_cleanup_(fixture_release) struct fixture fixture;
	struct relayout_segment *text;

	init_good(&fixture);
	text = &fixture.image.segments[0];
	text->pages[0].order = 1;
	text->pages[1].order = 2;
	relayout_image_cool(&fixture.image, 0x10, 0x1800);
	assert_int_equal(text->pages[0].order, 1);
	assert_int_equal(text->pages[1].order, 2);
	relayout_image_cool(&fixture.image, 0x10, 0x1ff0);
	assert_int_equal(text->pages[0].order, 1);
	assert_int_equal(text->pages[1].order, RELAYOUT_COLD);
	relayout_image_cool(&fixture.image, 0x1fff, 0x1000); /* not all in one segment: nothing */
}

static void tables_are_aligned(void **state)
{
	_cleanup_(fixture_release) struct fixture fixture;
	uint64_t first, second;

	init_good(&fixture);
	assert_int_equal(relayout_image_add_table(&fixture.image, "abc", 3, 1, &first), 0);
	assert_int_equal(relayout_image_add_table(&fixture.image, "defg", 4, 8, &second), 0);
	assert_int_equal(first, 0x6000);
	assert_int_equal(second, 0x6008);
	assert_int_equal(fixture.image.tables_size, 12);
	assert_memory_equal(fixture.image.tables, "abc\0\0\0\0\0defg", 12);
	assert_int_equal(relayout_image_add_table(&fixture.image, "", SIZE_MAX - 8, 8, &first), -EFBIG);
}

static void dynamic_entries_change_apart_from_the_file(void **state)
{
	_cleanup_(fixture_release) struct fixture fixture;
	struct relayout_image *image = &fixture.image;
	Elf64_Dyn entry;
	uint64_t value;

	init_good(&fixture);
	assert_int_equal(relayout_dynamic_spare(image), 2);
	assert_int_equal(relayout_dynamic_set(image, DT_STRSZ, 0x200), 0);
	assert_int_equal(relayout_dynamic_spare(image), 2);
	assert_int_equal(relayout_dynamic_set(image, DT_RELRSZ, 8), 0);
	assert_int_equal(relayout_dynamic_set(image, DT_RELRENT, 8), 0);
	assert_int_equal(relayout_dynamic_spare(image), 0);
	assert_int_equal(relayout_dynamic_set(image, DT_RELR, 0x6000), -ENOSPC);
	relayout_dynamic_drop(image, DT_SONAME);
	assert_false(relayout_dynamic_get(image, DT_SONAME, &value));
	assert_int_equal(relayout_dynamic_set(image, DT_RELR, 0x6000), 0);
	assert_int_equal(image->dynamic[5].d_tag, DT_NULL);
	relayout_dynamic_drop(image, DT_NEEDED); /* there is none */
	assert_int_equal(relayout_dynamic_spare(image), 0);
	assert_true(relayout_dynamic_get(image, DT_STRSZ, &value));
	assert_int_equal(value, 0x200);

	assert_true(relayout_dynamic_writable(image));
	assert_int_equal(relayout_dynamic_store(image), 0);
	assert_int_equal(relayout_image_read(image, HANDMADE_DYNAMIC, &entry, sizeof(entry)), 0);
	assert_int_equal(entry.d_tag, DT_STRTAB);
	assert_int_equal(fixture.elf.entries[0].d_tag, DT_SONAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_those_with_content),
		cmocka_unit_test(executables_keep_their_bias),
		cmocka_unit_test(libraries_keep_their_bias_where_it_costs_little),
		cmocka_unit_test(refuses_what_no_overlay_can_be_made_of),
		cmocka_unit_test(large_pages_of_aarch64),
		cmocka_unit_test(writes_go_to_copies),
		cmocka_unit_test(writes_stay_within_the_file_and_off_its_first_page),
		cmocka_unit_test(cools_whole_pages_alone),
		cmocka_unit_test(tables_are_aligned),
		cmocka_unit_test(dynamic_entries_change_apart_from_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
