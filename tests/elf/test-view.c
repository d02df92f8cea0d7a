/* SPDX-License-Identifier: MIT */
/* Unit tests of the view of an ELF file: what it finds, and everything that it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/view.h"
#include "handmade.h"

static void finds_what_is_there(void **state)
{
	_cleanup_(elf_view_releasep) struct elf_view view = {0};
	const char *problem = NULL;
	struct handmade elf;
	uint64_t value;

	handmade_init(&elf);
	assert_int_equal(elf_view_init(&view, (uint8_t *)&elf, sizeof(elf), &problem), 0);
	assert_null(problem);
	assert_int_equal(view.n_phdrs, 4);
	assert_int_equal(view.n_loads, 2);
	assert_int_equal(view.n_dynamic, 6);
	assert_int_equal(view.n_used, 3);
	assert_int_equal(view.dynamic_address, HANDMADE_DYNAMIC);
	assert_true(elf_view_dynamic(&view, DT_STRSZ, &value));
	assert_int_equal(value, 0x100);
	assert_false(elf_view_dynamic(&view, DT_NEEDED, &value));
	assert_false(elf_view_dynamic(&view, DT_NULL, &value));
	assert_int_equal(elf_view_phdr(&view, PT_GNU_STACK)->p_align, 16);
	assert_null(elf_view_phdr(&view, PT_INTERP));
	assert_string_equal(elf_view_string(&view, 1), "libhand.so.1");
	assert_int_equal(elf_view_relative_type(&view), R_X86_64_RELATIVE);
}

static void addresses_lead_to_bytes_of_the_file(void **state)
{
	_cleanup_(elf_view_releasep) struct elf_view view = {0};
	const char *problem;
	struct handmade elf;

	handmade_init(&elf);
	assert_int_equal(elf_view_init(&view, (uint8_t *)&elf, sizeof(elf), &problem), 0);
	assert_ptr_equal(elf_view_at(&view, 0, 0x2000), &elf);
	assert_ptr_equal(elf_view_at(&view, HANDMADE_DYNAMIC, 16), &elf.entries[0]);
	assert_ptr_equal(elf_view_load_at(&view, 0x3e00, 0x300), &view.loads[1]);
	assert_ptr_equal(elf_view_load_at(&view, 0x4100, 0), &view.loads[1]);
	assert_null(elf_view_at(&view, 0x1fff, 2));      /* past the end of a segment */
	assert_null(elf_view_at(&view, 0x2800, 1));      /* between two */
	assert_null(elf_view_at(&view, 0x3dff, 1));      /* on the page of one, below it */
	assert_null(elf_view_at(&view, 0x40ff, 2));      /* into the BSS */
	assert_null(elf_view_at(&view, 16, UINT64_MAX)); /* overflows */
}

static void strings_end_inside_a_segment(void **state)
{
	_cleanup_(elf_view_releasep) struct elf_view view = {0};
	const char *problem;
	struct handmade elf;

	handmade_init(&elf);
	memset(elf.strings + 0x80, 'x', 0x80); /* the table ends without a NUL, but the segment goes on */
	memset(elf.code, 'y', sizeof(elf.code));
	assert_int_equal(elf_view_init(&view, (uint8_t *)&elf, sizeof(elf), &problem), 0);
	assert_string_equal(elf_view_string(&view, 1), "libhand.so.1");
	assert_null(elf_view_string(&view, 0x80));
	assert_null(elf_view_string(&view, 0x100));
	assert_null(elf_view_string(&view, UINT64_MAX));
}

/* One change to the good file, and the error that it must cause. */
struct refusal {
	size_t offset;
	size_t size;
	uint64_t value;
	const char *problem;
};

#define FIELD(member) offsetof(struct handmade, member), sizeof(((struct handmade *)NULL)->member)

static const struct refusal refusals[] = {
	{FIELD(header.e_ident[0]), 0, "is not an ELF file"},
	{FIELD(header.e_ident[EI_CLASS]), ELFCLASS32, "is a 32-bit ELF file"},
	{FIELD(header.e_ident[EI_CLASS]), 9, "is an ELF file of an unknown class or byte order"},
	{FIELD(header.e_ident[EI_DATA]), ELFDATA2MSB, "is made for another machine than x86-64 or aarch64"},
	{FIELD(header.e_machine), EM_RISCV, "is made for another machine than x86-64 or aarch64"},
	{FIELD(header.e_version), 2, "is of an unknown version of ELF"},
	{FIELD(header.e_type), ET_REL, "is neither a program nor a shared library"},
	{FIELD(header.e_type), ET_CORE, "is neither a program nor a shared library"},
	{FIELD(header.e_phnum), 0, "has no program headers"},
	{FIELD(header.e_phnum), PN_XNUM, "has more program headers than can be loaded"},
	{FIELD(header.e_phentsize), 32, "has headers of an unknown size"},
	{FIELD(header.e_phoff), HANDMADE_SIZE - 100,
		"is truncated: the program headers lie beyond the end of the file"},
	{FIELD(header.e_phoff), UINT64_MAX - 8,
		"is truncated: the program headers lie beyond the end of the file"},
	{FIELD(data.p_filesz), 0x1000, "is truncated: a segment lies beyond the end of the file"},
	{FIELD(dynamic.p_offset), UINT64_MAX, "is truncated: a segment lies beyond the end of the file"},
	{FIELD(data.p_memsz), UINT64_MAX - 0x1000, "has a segment beyond the end of the address space"},
	{FIELD(data.p_memsz), 0x200, "has a segment that is larger in the file than in memory"},
	{FIELD(data.p_align), 0x1001, "has a segment whose alignment is not a power of two"},
	{FIELD(data.p_vaddr), 0x3e08,
		"has a segment whose address and file offset do not agree with its alignment"},
	{FIELD(data.p_align), 0x2000,
		"has a segment whose address and file offset do not agree with its alignment"},
	{FIELD(text.p_memsz), 0x3e01, "has segments that overlap or do not ascend by address"},
	{FIELD(text.p_vaddr), 0x10000, "has segments that overlap or do not ascend by address"},
	{FIELD(stack.p_type), PT_DYNAMIC, "has more than one dynamic section"},
	{FIELD(dynamic.p_vaddr), 0x4100, "has a dynamic section outside its segments"},
	{FIELD(dynamic.p_filesz), 3 * sizeof(Elf64_Dyn), "has a dynamic section without an end"},
};

static void refuses_each_thing_that_makes_no_sense(void **state)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *refusal = &refusals[i];
		struct elf_view view;
		const char *problem = "nothing was said";
		struct handmade elf;

		handmade_init(&elf);
		memcpy((uint8_t *)&elf + refusal->offset, &refusal->value, refusal->size);
		assert_int_equal(elf_view_init(&view, (uint8_t *)&elf, sizeof(elf), &problem), -ENOEXEC);
		assert_string_equal(problem, refusal->problem);
	}
}

static void refuses_files_without_anything_to_load(void **state)
{
	struct elf_view view;
	const char *problem;
	struct handmade elf;

	handmade_init(&elf);
	elf.text.p_type = elf.data.p_type = PT_NULL;
	assert_int_equal(elf_view_init(&view, (uint8_t *)&elf, sizeof(elf), &problem), -ENOEXEC);
	assert_string_equal(problem, "has no segment to load");
}

static void refuses_every_truncated_file(void **state)
{
	struct elf_view view;
	const char *problem;
	struct handmade elf;

	handmade_init(&elf);
	for (size_t size = 0; size < sizeof(elf); size += size < 512 ? 1 : 101)
		assert_int_equal(elf_view_init(&view, (uint8_t *)&elf, size, &problem), -ENOEXEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_is_there),
		cmocka_unit_test(addresses_lead_to_bytes_of_the_file),
		cmocka_unit_test(strings_end_inside_a_segment),
		cmocka_unit_test(refuses_each_thing_that_makes_no_sense),
		cmocka_unit_test(refuses_files_without_anything_to_load),
		cmocka_unit_test(refuses_every_truncated_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
