/* SPDX-License-Identifier: MIT */
/* Unit tests of the order in which relocation reads the hot region, with code and data made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "relayout/passes/interleave.h"

#define PAGE   4096u
#define WINDOW 32 /* pages that the kernel reads around a fault */

/* A file of a first page, code and data, all of the latter two touched. */
struct sample {
	struct elf_view view;
	struct relayout_image image;
	struct relayout_pieces pieces;
};

static void sample_release(struct sample *sample)
{
	relayout_pieces_release(&sample->pieces);
	relayout_image_release(&sample->image);
}

static void fill(
	struct relayout_segment *segment, uint32_t flags, uint64_t address, size_t n_pages, uint32_t order)
{
	segment->address = segment->offset = address;
	segment->n_pages = n_pages;
	segment->load =
		(Elf64_Phdr){PT_LOAD, flags, address, address, address, n_pages * PAGE, n_pages * PAGE, PAGE};
	assert_non_null(segment->pages = calloc(n_pages, sizeof(*segment->pages)));
	for (size_t i = 0; i < n_pages; i++)
		segment->pages[i].order = order + (uint32_t)i;
}

static void lay_out(struct sample *sample)
{
	assert_int_equal(relayout_pieces_init(&sample->pieces, &sample->image), 0);
	assert_int_equal(relayout_interleave(&sample->pieces, &sample->image), 0);
	assert_int_equal(relayout_pieces_place(&sample->pieces, &sample->image), 0);
}

/* Of each eight pages of code, `joined` are joined with the page before them. */
static void make_joined(struct sample *ret, size_t code, size_t data, size_t spare, size_t joined)
{
	struct relayout_image *image = &ret->image;

	*ret = (struct sample){.image = {.view = &ret->view, .granule = PAGE, .spare_segments = spare}};
	image->n_segments = 3;
	assert_non_null(image->segments = calloc(3, sizeof(*image->segments)));
	fill(&image->segments[0], PF_R, 0, 1, RELAYOUT_COLD);
	image->segments[0].pages[0].pinned = true;
	fill(&image->segments[1], PF_R | PF_X, PAGE, code, 0);
	fill(&image->segments[2], PF_R | PF_W, (1 + code) * PAGE, data, (uint32_t)code);
	for (size_t i = 1; i < code; i++)
		image->segments[1].pages[i].joined = i % 8 < joined;
	lay_out(ret);
}

static void make(struct sample *ret, size_t code, size_t data, size_t spare)
{
	make_joined(ret, code, data, spare, 0);
}

/* Every page is in one piece, pieces in memory ascend, and the hot region has no hole. */
static void expect_sound(const struct sample *sample, size_t n_pages)
{
	const struct relayout_pieces *pieces = &sample->pieces;
	uint64_t address = 0, offset = 0;

	for (size_t i = 0; i < pieces->n; i++) {
		assert_int_equal(pieces->all[i].load.p_vaddr, address);
		address += pieces->all[i].load.p_memsz;
	}
	assert_int_equal(address, n_pages * PAGE);
	for (size_t i = 0; i < pieces->n_hot; i++) {
		assert_int_equal(pieces->hot[i]->load.p_offset, offset);
		offset += pieces->hot[i]->n_pages * PAGE;
	}
	assert_int_equal(pieces->hot_size, offset);
	assert_int_equal(offset, (n_pages - 1) * PAGE);
}

static bool is_data(const struct relayout_piece *piece)
{
	return piece->load.p_flags & PF_W;
}

static void data_is_strewn_so_that_windows_around_it_meet(void **state)
{
	_cleanup_(sample_release) struct sample sample;
	uint64_t expected = 0, address = 0;
	size_t n = 0;

	make(&sample, 300, 40, 1000);
	expect_sound(&sample, 341);
	for (size_t i = 0; i < sample.pieces.n_hot; i++) {
		const struct relayout_piece *piece = sample.pieces.hot[i];
		uint64_t page = piece->load.p_offset / PAGE;

		if (!is_data(piece) || n++ == 300 / WINDOW + 1)
			continue;
		assert_true(
			page <= expected + WINDOW / 2); /* read by the window around it, or the one before */
		assert_true(piece->load.p_vaddr > address); /* in the order of relocation */
		if (n <= 300 / WINDOW)
			assert_int_equal(piece->n_pages, 2);
		address = piece->load.p_vaddr;
		expected = page + WINDOW / 2;
	}
	assert_true(n >= 300 / WINDOW);
}

static void expect_two_hot_pieces(size_t code, size_t data, size_t spare)
{
	_cleanup_(sample_release) struct sample sample;

	make(&sample, code, data, spare);
	assert_int_equal(sample.pieces.n_hot, 2);
	assert_false(is_data(sample.pieces.hot[0]));
	assert_true(is_data(sample.pieces.hot[1]));
}

static void nothing_is_cut_for_nothing(void **state)
{
	expect_two_hot_pieces(20, 40, 1000); /* one window reads it */
	expect_two_hot_pieces(300, 1, 1000);
	expect_two_hot_pieces(300, 40, 1); /* no PT_LOAD may be added */
	expect_two_hot_pieces(300, 40, 0);
}

static void a_cap_is_kept(void **state)
{
	for (size_t spare = 0; spare < 30; spare++) {
		_cleanup_(sample_release) struct sample sample;

		make(&sample, 300, 40, spare);
		expect_sound(&sample, 341);
		assert_uint_in_range(sample.pieces.n, 3, 3 + spare);
	}
}

static void joined_pages_of_code_are_not_parted(void **state)
{
	_cleanup_(sample_release) struct sample sample;

	make_joined(&sample, 300, 40, 1000, 7);
	expect_sound(&sample, 341);
	assert_true(sample.pieces.n_hot > 10);
	for (size_t i = 0; i < sample.pieces.n; i++) {
		const struct relayout_piece *piece = &sample.pieces.all[i];

		assert_false(piece->segment->pages[piece->first].joined);
	}
}

static void a_segment_without_bytes_stays_before_the_next(void **state)
{
	_cleanup_(sample_release) struct sample sample = {
		.image = {.view = &sample.view, .granule = PAGE, .spare_segments = 1000, .n_segments = 3}};
	struct relayout_segment *segments = calloc(3, sizeof(*segments));
	size_t n_empty = 0;

	assert_non_null(sample.image.segments = segments);
	fill(&segments[0], PF_R | PF_X, 0, 300, 0);
	segments[1].load = (Elf64_Phdr){PT_LOAD, PF_R | PF_W, 300 * PAGE, 300 * PAGE, 300 * PAGE, 0, 0, PAGE};
	segments[1].address = segments[1].offset = 300 * PAGE;
	fill(&segments[2], PF_R | PF_W, 300 * PAGE, 40, 300);
	segments[2].pages[0].order = RELAYOUT_COLD;
	lay_out(&sample);
	for (size_t i = 1; i < sample.pieces.n; i++)
		assert_true(sample.pieces.all[i - 1].segment <= sample.pieces.all[i].segment);
	for (size_t i = 0; i < sample.pieces.n; i++)
		n_empty += sample.pieces.all[i].segment == &segments[1];
	assert_int_equal(n_empty, 1);
}

static void pages_larger_than_the_window_are_left(void **state)
{
	_cleanup_(sample_release) struct sample sample = {.image = {.view = &sample.view, .granule = 65536}};

	sample.image.spare_segments = 100;
	sample.image.n_segments = 1;
	assert_non_null(sample.image.segments = calloc(1, sizeof(*sample.image.segments)));
	fill(&sample.image.segments[0], PF_R | PF_W, 0, 16, 0);
	sample.image.segments[0].n_pages = 1;
	lay_out(&sample);
	assert_int_equal(sample.pieces.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_is_strewn_so_that_windows_around_it_meet),
		cmocka_unit_test(nothing_is_cut_for_nothing),
		cmocka_unit_test(a_cap_is_kept),
		cmocka_unit_test(joined_pages_of_code_are_not_parted),
		cmocka_unit_test(a_segment_without_bytes_stays_before_the_next),
		cmocka_unit_test(pages_larger_than_the_window_are_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
