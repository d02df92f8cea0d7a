/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of the pass that moves the rest of DT_RELA. Also of both passes together: with every allocation failing
 * in turn, and with every field of the object's tables corrupted in turn.
 */
#include "relocs-fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "format/note.h"

static unsigned allocations_left = UINT32_MAX; /* allocations that succeed before memory runs out */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static bool out_of_memory(void)
{
	return allocations_left == 0 || (allocations_left != UINT32_MAX && allocations_left-- == 0);
}

void *__wrap_malloc(size_t size)
{
	return out_of_memory() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return out_of_memory() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return out_of_memory() ? NULL : __real_realloc(p, size);
}

static uint64_t get(const struct fixture *fixture, int64_t tag)
{
	uint64_t value;

	assert_true(relayout_dynamic_get(&fixture->image, tag, &value));
	return value;
}

static void init(struct fixture *fixture)
{
	*fixture = (struct fixture){0};
	object_init(&fixture->object);
}

static void the_table_moves_with_the_plts(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;
	const struct relayout_page *pages;

	init(&fixture);
	fixture_open(&fixture);
	assert_passes(&fixture, pass_relocs);
	assert_int_equal(fixture.image.passes, NOTE_PASS_RELOCS);
	assert_int_equal(get(&fixture, DT_RELA), fixture.image.tables_address);
	assert_int_equal(get(&fixture, DT_RELASZ), OBJECT_N_RELA * 24);
	assert_int_equal(get(&fixture, DT_RELACOUNT), OBJECT_N_RELATIVE);
	assert_int_equal(get(&fixture, DT_JMPREL), get(&fixture, DT_RELA) + OBJECT_N_RELA * 24);
	assert_memory_equal(
		object_at(&fixture.image, get(&fixture, DT_RELA), 604 * 24), fixture.object.rela, 604 * 24);
	pages = fixture.image.segments[0].pages;
	assert_int_equal(pages[1].order, 1);
	for (size_t i = 2; i < 4; i++)
		assert_int_equal(pages[i].order, RELAYOUT_COLD);
	assert_int_equal(pages[4].order, 4);
	assert_int_equal(fixture.outcome.before, 4); /* 0x1400 to 0x4ca0 */
	assert_int_equal(fixture.outcome.after, 4);
}

static void a_plt_apart_stays(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;

	init(&fixture);
	memmove((uint8_t *)fixture.object.plt + 64, fixture.object.plt, sizeof(fixture.object.plt));
	object_dynamic(&fixture.object, DT_JMPREL)->d_un.d_val += 64;
	fixture_open(&fixture);
	assert_passes(&fixture, pass_relocs);
	assert_int_equal(get(&fixture, DT_JMPREL), OBJECT_PLT + 64);
	assert_int_equal(fixture.image.tables_size, OBJECT_N_RELA * 24);
}

static void what_packing_leaves_is_moved(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;

	init(&fixture);
	fixture_open(&fixture);
	fixture.options.loader_knows_relr = true;
	assert_passes(&fixture, pass_relr);
	assert_passes(&fixture, pass_relocs);
	assert_int_equal(fixture.image.passes, NOTE_PASS_RELR | NOTE_PASS_RELOCS);
	assert_true(get(&fixture, DT_RELA) >= fixture.image.tables_address);
	assert_int_equal(get(&fixture, DT_RELASZ), 20 * 24);
	assert_memory_equal(object_at(&fixture.image, get(&fixture, DT_RELA), 24 * 24),
		fixture.object.rela + OBJECT_N_RELATIVE, 24 * 24);
}

static void what_packing_has_moved_is_not_moved_again(void **state)
{
	_cleanup_(fixture_close) struct fixture fixture;
	size_t tables_size;

	init(&fixture);
	fixture.object.rela[7].r_offset = OBJECT_WORDS + 700 * 8 + 4;
	fixture_open(&fixture);
	fixture.options.loader_knows_relr = true;
	assert_passes(&fixture, pass_relr);
	tables_size = fixture.image.tables_size;
	assert_int_equal(pass_relocs(&fixture.image, &fixture.options, &fixture.outcome), 0);
	assert_false(fixture.outcome.done);
	assert_non_null(strstr(fixture.outcome.refusal, "were moved when some of them were packed"));
	assert_int_equal(fixture.image.tables_size, tables_size);
}

static void nothing_to_move_is_said(void **state)
{
	struct fixture fixture;

	init(&fixture);
	object_drop(&fixture.object, DT_RELA);
	assert_refused(&fixture, pass_relocs, "has no DT_RELA");
	init(&fixture);
	object_dynamic(&fixture.object, DT_RELASZ)->d_un.d_val = 0;
	assert_refused(&fixture, pass_relocs, "no relocations in DT_RELA");
	init(&fixture);
	object_dynamic(&fixture.object, DT_JMPREL)->d_un.d_val = OBJECT_PLT - 24;
	assert_refused(&fixture, pass_relocs, "tables that overlap");
}

/* Lets the pass run out of memory after 0, 1, 2 … allocations, until it needs no more. */
static void assert_memory_can_run_out(pass_fn *pass, unsigned least)
{
	for (unsigned n = 0;; n++) {
		_cleanup_(fixture_close) struct fixture fixture;
		_cleanup_free_ uint8_t *before = NULL, *after = NULL;
		size_t size_before, size_after;
		int r;

		init(&fixture);
		fixture.object.rela[7].r_offset = OBJECT_WORDS + 700 * 8 + 4;
		fixture_open(&fixture);
		fixture.options.loader_knows_relr = true;
		/* A page and a table have been changed before. */
		assert_int_equal(relayout_image_write(&fixture.image, OBJECT_WORDS, "changed", 7), 0);
		assert_int_equal(relayout_image_add_table(&fixture.image, "table", 5, 1, &(uint64_t){0}), 0);
		before = image_bytes(&fixture.image, &size_before);
		allocations_left = n;
		r = pass(&fixture.image, &fixture.options, &fixture.outcome);
		allocations_left = UINT32_MAX;
		if (r == 0) {
			assert_true(fixture.outcome.done);
			assert_true(n >= least);
			return;
		}
		assert_int_equal(r, -ENOMEM);
		after = image_bytes(&fixture.image, &size_after);
		assert_int_equal(size_before, size_after);
		assert_memory_equal(before, after, size_before);
	}
}

static void without_memory_the_image_is_as_it_was(void **state)
{
	assert_memory_can_run_out(pass_relr, 10);
	assert_memory_can_run_out(pass_relocs, 3);
}

/* Runs both passes over an object that may be invalid: no crash, and the same memory if they changed something. */
static void try(struct fixture *fixture, size_t *packed)
{
	static uint8_t before[OBJECT_MEMORY], after[OBJECT_MEMORY];
	const char *problem;

	fixture->view = (struct elf_view){0};
	fixture->image = (struct relayout_image){0};
	if (elf_view_init(
		    &fixture->view, (const uint8_t *)&fixture->object, sizeof(fixture->object), &problem) < 0)
		return;
	if (relayout_image_init(&fixture->image, &fixture->view, &problem) == 0) {
		object_relocate(&fixture->image, false, before);
		assert_int_equal(pass_relr(&fixture->image, &fixture->options, &fixture->outcome), 0);
		assert_int_equal(fixture->outcome.done, !fixture->outcome.refusal);
		*packed += fixture->outcome.done;
		assert_int_equal(pass_relocs(&fixture->image, &fixture->options, &fixture->outcome), 0);
		assert_int_equal(fixture->outcome.done, !fixture->outcome.refusal);
		object_relocate(&fixture->image, false, after);
		assert_memory_equal(after, before, OBJECT_MEMORY);
	}
	fixture_close(fixture);
}

static void one_corrupt_field_does_no_harm(void **state)
{
	const uint64_t values[] = {0, 1, 7, 8, 24, 0x1000, 0x1300, 0x1408, 0x4c58, 0x7008, 0x7200, 0x8af8,
		0x8afc, 0xa000, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX - 7, UINT64_MAX};
	static const struct {
		size_t from, to, width;
	} parts[] = {
		{offsetof(struct object, dynamic), offsetof(struct object, words), 8},
		{offsetof(struct object, strings), offsetof(struct object, strings) + 96, 1},
		{offsetof(struct object, verdef), offsetof(struct object, verdef_gap), 2},
		{offsetof(struct object, math), offsetof(struct object, verneed_gap), 2},
		{offsetof(struct object, math), offsetof(struct object, verneed_gap), 4},
		{offsetof(struct object, rela), offsetof(struct object, rela) + 48, 8},
		{offsetof(struct object, rela) + 578 * 24, offsetof(struct object, rela_gap), 8},
		{offsetof(struct object, text), offsetof(struct object, gap), 8},
	};
	static struct object good;
	static struct fixture fixture;
	size_t packed = 0;

	object_init(&good);
	fixture.options.loader_knows_relr = true;
	for (size_t p = 0; p < sizeof(parts) / sizeof(*parts); p++)
		for (size_t at = parts[p].from; at < parts[p].to; at += parts[p].width)
			for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++) {
				fixture.object = good;
				memcpy((uint8_t *)&fixture.object + at, &values[v], parts[p].width);
				try(&fixture, &packed);
			}
	/* Enough corrupted fields are harmless for the comparison of memory to mean something. */
	assert_true(packed > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_moves_with_the_plts),
		cmocka_unit_test(a_plt_apart_stays),
		cmocka_unit_test(what_packing_leaves_is_moved),
		cmocka_unit_test(what_packing_has_moved_is_not_moved_again),
		cmocka_unit_test(nothing_to_move_is_said),
		cmocka_unit_test(without_memory_the_image_is_as_it_was),
		cmocka_unit_test(one_corrupt_field_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
