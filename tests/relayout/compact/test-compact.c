/* SPDX-License-Identifier: MIT */
/* Unit tests of compacting files that somebody has tampered with. test-compact FILE, an original. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "relayout/compact/compact.h"

static const char *sample;
static const char *const unknown_versions = "has version requirements of an unknown kind";
static const char *const too_much_room = "has sections that would more than double its size";

struct fixture {
	uint8_t *original;
	struct elf_view view;
	struct relayout_image image; /* with relocations packed, before the layout */
	struct compaction *compaction;
};

/* Takes over f->original, of `size` bytes. */
static void begin(struct fixture *f, size_t size)
{
	struct pass_options options = {.max_segments = 40, .loader_knows_relr = true};
	struct pass_outcome outcome;
	const char *problem;

	assert_int_equal(elf_view_init(&f->view, f->original, size, &problem), 0);
	assert_int_equal(relayout_image_init(&f->image, &f->view, &problem), 0);
	assert_int_equal(compaction_begin(&f->compaction, &f->image, &options, &problem), 0);
	assert_int_equal(pass_relr(&f->image, &options, &outcome), 0);
	assert_true(outcome.done);
}

static int set_up_empty(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){0};
	*state = &fixture;
	return 0;
}

static int set_up(void **state)
{
	struct fixture *f;
	size_t size;

	set_up_empty(state);
	f = *state;
	assert_int_equal(read_file(sample, 1 << 24, (char **)&f->original, &size), 0);
	begin(f, size);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	compaction_free(f->compaction);
	relayout_image_release(&f->image);
	elf_view_release(&f->view);
	free(f->original);
	return 0;
}

static uint64_t dynamic(const struct fixture *f, int64_t tag)
{
	uint64_t value = 0;

	assert_true(relayout_dynamic_get(&f->image, tag, &value));
	return value;
}

/* The first required version, in the tables that the pass has written. */
static Elf64_Vernaux *first_version(const struct fixture *f)
{
	uint64_t at = dynamic(f, DT_VERNEED);
	const Elf64_Verneed *library;

	assert_in_range(at, f->image.tables_address, f->image.tables_address + f->image.tables_size);
	library = (const Elf64_Verneed *)(f->image.tables + (at - f->image.tables_address));
	return (Elf64_Vernaux *)((uint8_t *)library + library->vn_aux);
}

static void assert_refused(const struct fixture *f, const char *why)
{
	_cleanup_(compacted_release) struct compacted compact = {0};
	const char *problem = "";

	assert_int_equal(compaction_finish(f->compaction, 1, &compact, &problem), -EOPNOTSUPP);
	assert_string_equal(problem, why);
}

static void a_version_name_without_an_end_is_refused(void **state)
{
	struct fixture *f = *state;
	uint64_t last = f->image.tables_size - 1;

	f->image.tables[last] = 'x';
	first_version(f)->vna_name = (Elf64_Word)(f->image.tables_address + last - dynamic(f, DT_STRTAB));
	assert_refused(f, unknown_versions);
}

static void a_version_name_that_is_nowhere_is_refused(void **state)
{
	struct fixture *f = *state;

	first_version(f)->vna_name = UINT32_MAX;
	assert_refused(f, unknown_versions);
}

/* The sample with `n` more sections, which are not in memory and have the same bytes. */
static void begin_with_sections(struct fixture *f, size_t n, uint64_t bytes, uint64_t alignment)
{
	_cleanup_free_ uint8_t *original = NULL;
	Elf64_Ehdr header;
	Elf64_Shdr *table;
	size_t size, begins;

	assert_int_equal(read_file(sample, 1 << 24, (char **)&original, &size), 0);
	memcpy(&header, original, sizeof(header));
	begins = (size + 7) & ~(size_t)7;
	f->original = calloc(1, begins + (header.e_shnum + n) * sizeof(*table));
	assert_non_null(f->original);
	table = (Elf64_Shdr *)(f->original + begins);
	memcpy(f->original, original, size);
	memcpy(table, original + header.e_shoff, header.e_shnum * sizeof(*table));
	for (size_t i = 0; i < n; i++)
		table[header.e_shnum++] =
			(Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_size = bytes, .sh_addralign = alignment};
	header.e_shoff = begins;
	memcpy(f->original, &header, sizeof(header));
	begin(f, begins + header.e_shnum * sizeof(*table));
}

/* Otherwise 20,000 sections of a file of 2 MB become 40 GB. */
static void sections_of_the_same_bytes_are_refused(void **state)
{
	struct fixture *f = *state;

	begin_with_sections(f, 200, 4096, 1);
	assert_refused(f, too_much_room);
}

static void small_sections_of_large_alignment_are_refused(void **state)
{
	struct fixture *f = *state;

	begin_with_sections(f, 200, 1, 1 << 16);
	assert_refused(f, too_much_room);
}

static void a_section_of_large_alignment_is_accepted(void **state)
{
	_cleanup_(compacted_release) struct compacted compact = {0};
	struct fixture *f = *state;
	const char *problem = "";

	begin_with_sections(f, 1, 1, 1 << 16);
	assert_int_equal(compaction_finish(f->compaction, 1, &compact, &problem), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_version_name_without_an_end_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_version_name_that_is_nowhere_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			sections_of_the_same_bytes_are_refused, set_up_empty, tear_down),
		cmocka_unit_test_setup_teardown(
			small_sections_of_large_alignment_are_refused, set_up_empty, tear_down),
		cmocka_unit_test_setup_teardown(
			a_section_of_large_alignment_is_accepted, set_up_empty, tear_down),
	};

	if (argc != 2)
		return 2;
	sample = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
