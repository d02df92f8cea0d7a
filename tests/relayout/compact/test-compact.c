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

struct fixture {
	uint8_t *original;
	struct elf_view view;
	struct relayout_image image; /* with relocations packed, before the layout */
	struct compaction *compaction;
};

static int set_up(void **state)
{
	static struct fixture fixture;
	struct fixture *f = &fixture;
	struct pass_options options = {.max_segments = 40, .loader_knows_relr = true};
	struct pass_outcome outcome;
	const char *problem;
	size_t size;

	*f = (struct fixture){0};
	assert_int_equal(read_file(sample, 1 << 24, (char **)&f->original, &size), 0);
	assert_int_equal(elf_view_init(&f->view, f->original, size, &problem), 0);
	assert_int_equal(relayout_image_init(&f->image, &f->view, &problem), 0);
	assert_int_equal(compaction_begin(&f->compaction, &f->image, &options, &problem), 0);
	assert_int_equal(pass_relr(&f->image, &options, &outcome), 0);
	assert_true(outcome.done);
	*state = f;
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

static void assert_refused(const struct fixture *f)
{
	_cleanup_(compacted_release) struct compacted compact = {0};
	const char *problem = "";

	assert_int_equal(compaction_finish(f->compaction, 1, &compact, &problem), -EOPNOTSUPP);
	assert_string_equal(problem, "has version requirements of an unknown kind");
}

static void a_version_name_without_an_end_is_refused(void **state)
{
	struct fixture *f = *state;
	uint64_t last = f->image.tables_size - 1;

	f->image.tables[last] = 'x';
	first_version(f)->vna_name = (Elf64_Word)(f->image.tables_address + last - dynamic(f, DT_STRTAB));
	assert_refused(f);
}

static void a_version_name_that_is_nowhere_is_refused(void **state)
{
	struct fixture *f = *state;

	first_version(f)->vna_name = UINT32_MAX;
	assert_refused(f);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_version_name_without_an_end_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_version_name_that_is_nowhere_is_refused, set_up, tear_down),
	};

	if (argc != 2)
		return 2;
	sample = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
