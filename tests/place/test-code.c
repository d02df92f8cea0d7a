/* SPDX-License-Identifier: MIT */
/* Unit tests of what is code in a file, and of what a fault in it reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "memory-file.h"
#include "place/code.h"

#define PAGE 4096u

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segments[4];
	char rest[3 * PAGE];
};

static struct image make_image(void)
{
	struct image image = {
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				   EV_CURRENT},
			.e_type = ET_DYN,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phoff = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 4},
		.segments = {{.p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = PAGE},
			{.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = PAGE + 16, .p_filesz = PAGE},
			{.p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_offset = UINT64_MAX - 1,
				.p_filesz = 16},
			{.p_type = PT_NOTE, .p_flags = PF_X, .p_filesz = PAGE}},
	};

	return image;
}

static size_t find(const void *data, size_t size, struct place_runs *code)
{
	_cleanup_close_ int fd = memory_file(data, size);

	assert_true(fd >= 0);
	assert_int_equal(place_code_find(fd, PAGE, code), 0);
	return code->n;
}

/* Whole pages of each executable segment that lies in the file; of files that are none or damaged, nothing. */
static void code_is_what_is_mapped_as_such(void **state)
{
	_cleanup_(place_runs_releasep) struct place_runs code = {0}, none = {0};
	struct image image = make_image();

	assert_int_equal(find(&image, sizeof(image), &code), 1);
	assert_int_equal(code.items[0].page, 1);
	assert_int_equal(code.items[0].pages, 2);
	assert_int_equal(find(&image, sizeof(image.header) + 10, &none), 0);
	assert_int_equal(find("#!/bin/sh\n", 10, &none), 0);
	image.header.e_phoff = UINT64_MAX - 8;
	assert_int_equal(find(&image, sizeof(image), &none), 0);
}

static void a_window_stays_in_its_segment(void **state)
{
	struct place_run items[] = {{20, 100}, {200, 3}};
	const struct place_runs code = {.items = items, .n = 2};
	uint64_t from, end;

	assert_null(place_code_at(&code, 19));
	assert_null(place_code_at(&code, 120));
	assert_ptr_equal(place_code_at(&code, 20), &items[0]);
	assert_ptr_equal(place_code_at(&code, 202), &items[1]);
	place_code_window(&items[1], 201, 32, 1, &from, &end);
	assert_int_equal(end, 203);
	place_code_window(&items[0], 55, 32, 1, &from, &end);
	assert_int_equal(from, 55);
	assert_int_equal(end, 87);
	place_code_window(&items[0], 55, 32, 16, &from, &end);
	assert_int_equal(from, 48);
	assert_int_equal(end, 80);
	place_code_window(&items[0], 21, 32, 16, &from, &end);
	assert_int_equal(from, 20);
	assert_int_equal(end, 48);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_what_is_mapped_as_such),
		cmocka_unit_test(a_window_stays_in_its_segment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
