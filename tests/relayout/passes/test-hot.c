/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of the choice of hot runs and of the pieces that come of it, on images drawn as text. A letter
 * is a page, a space begins another segment:
 *
 *     F  the file's first page, which stays      a to z  touched, in that order
 *     .  cold                                    #       changed by a pass, not touched
 *
 * and, of what was chosen, in capitals: H hot without being touched, D touched but left where it was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "relaid/cost.h"
#include "relayout/passes/pass.h"
#include "relayout/passes/pieces.h"

#define PAGE 4096u

/* The longest gap that is cheaper to copy than the two PT_LOADs that it would need. */
#define SMALL_GAP (2 * COST_SEGMENT_NS / COST_PAGE_NS)

struct drawing {
	struct elf_view view;
	struct relayout_image image;
};

static void drawing_release(struct drawing *drawing)
{
	relayout_image_release(&drawing->image);
}

static void draw_page(struct relayout_page *page, char letter)
{
	page->order = letter >= 'a' && letter <= 'z' ? (uint32_t)(letter - 'a') : RELAYOUT_COLD;
	page->pinned = letter == 'F';
	if (letter == '#')
		assert_non_null(page->bytes = calloc(1, PAGE));
}

static void draw(struct drawing *ret, const char *text)
{
	struct relayout_image *image = &ret->image;
	uint64_t address = 0;

	*ret = (struct drawing){.image = {.view = &ret->view, .granule = PAGE}};
	image->segments = calloc(strlen(text) + 1, sizeof(*image->segments));
	assert_non_null(image->segments);
	for (; *text; text += *text == ' ') {
		struct relayout_segment *segment = &image->segments[image->n_segments++];

		segment->address = segment->offset = address;
		segment->n_pages = strcspn(text, " ");
		segment->pages = calloc(segment->n_pages + 1, sizeof(*segment->pages));
		assert_non_null(segment->pages);
		segment->load = (Elf64_Phdr){PT_LOAD, PF_R, address, address, address,
			segment->n_pages * PAGE, segment->n_pages * PAGE, PAGE};
		for (size_t i = 0; i < segment->n_pages; i++)
			draw_page(&segment->pages[i], *text++);
		address += segment->n_pages * PAGE;
	}
	ret->view.n_phdrs = ret->view.n_loads = image->n_segments;
}

static char letter_of(const struct relayout_page *page, char before)
{
	bool touched = page->order != RELAYOUT_COLD && page->order != RELAYOUT_LAST;

	if (!relayout_page_is_hot(page))
		return touched ? 'D' : before == 'F' ? 'F' : '.';
	return page->bytes ? '#' : touched ? (char)('a' + page->order) : 'H';
}

/* Joins the pages under the letter + with the pages before them. The text may end before the drawing does. */
static void join(const struct drawing *drawing, const char *text)
{
	size_t length = strlen(text), at = 0;

	for (size_t i = 0; i < drawing->image.n_segments; i++, at++)
		for (size_t page = 0; page < drawing->image.segments[i].n_pages; page++, at++)
			drawing->image.segments[i].pages[page].joined = at < length && text[at] == '+';
}

/*
 * What pass_hot() makes of a drawing in which pages are `joined` (NULL: none), with at most `cap` PT_LOADs, the tables'
 * included.
 */
static void expect_joined_choice(const char *before, const char *joined, size_t cap, const char *after)
{
	_cleanup_(drawing_release) struct drawing drawing;
	_cleanup_free_ char *text = calloc(1, strlen(before) + 1);
	struct pass_options options = {.max_segments = cap};
	struct pass_outcome outcome;
	char *at = text;

	draw(&drawing, before);
	if (joined)
		join(&drawing, joined);
	assert_int_equal(pass_hot(&drawing.image, &options, &outcome), 0);
	for (size_t i = 0; i < drawing.image.n_segments; i++) {
		if (i > 0)
			*at++ = ' ';
		for (size_t page = 0; page < drawing.image.segments[i].n_pages; page++, at++) {
			const struct relayout_page *now = &drawing.image.segments[i].pages[page];

			*at = letter_of(now, before[at - text]);
			assert_int_equal(now->pinned, before[at - text] == 'F'); /* no pass pins a page */
		}
	}
	assert_string_equal(text, after);
	assert_int_equal(outcome.done, strpbrk(after, "abcdefghijklmnopqrstuvwxyzH#") != NULL);
}

static void expect_choice(const char *before, size_t cap, const char *after)
{
	expect_joined_choice(before, NULL, cap, after);
}

static void what_is_dear_to_fill_is_left_alone(void **state)
{
	expect_choice("..........ab..........c.......... ..........", 100,
		"..........ab..........c.......... ..........");
	expect_choice("........ .......", 100, "........ .......");
}

static void small_gaps_are_filled(void **state)
{
	char before[64] = "..........a", after[64] = "..........a";

	assert_uint_in_range(SMALL_GAP, 1, 8);
	memset(before + strlen(before), '.', SMALL_GAP);
	memset(after + strlen(after), 'H', SMALL_GAP);
	strcat(before, "b..........");
	strcat(after, "b..........");
	expect_choice(before, 100, after);
}

static void under_a_cap_the_smallest_gaps_are_filled_first(void **state)
{
	/* Seven pieces and the tables' PT_LOAD. */
	const char *text = "....................a..........b............c....................";

	assert_uint_in_range(SMALL_GAP, 1, 9);
	expect_choice(text, 8, text);
	expect_choice(text, 7, "....................aHHHHHHHHHHb............c....................");
	expect_choice(text, 6, "....................aHHHHHHHHHHb............c....................");
	expect_choice(text, 5, "....................aHHHHHHHHHHbHHHHHHHHHHHHc....................");
}

static void segments_share_the_cap(void **state)
{
	expect_choice("a..........b ...... c............d", 6, "aHHHHHHHHHHb ...... c............d");
}

static void a_lonely_page_far_away_is_left_where_it_is(void **state)
{
	char before[2048] = "a", filled[2048], left[2048];
	size_t far = 4 * COST_READ_NS / COST_PAGE_NS;

	assert_true(far < 1024);
	memset(before + 1, '.', far);
	strcpy(filled, before);
	strcat(before, "b..........c");
	strcat(filled, "bHHHHHHHHHHc");
	strcpy(left, filled);
	left[0] = 'D';
	expect_choice(before, 6, before);
	expect_choice(before, 5, filled);
	expect_choice(before, 3, left);
}

static void changed_pages_are_hot_whatever_it_takes(void **state)
{
	expect_choice("..........#..........", 2, "HHHHHHHHHH#HHHHHHHHHH");
	expect_choice("..........#..........", 4, "..........#..........");
}

static void joined_pages_are_hot_together(void **state)
{
	expect_joined_choice("..........a..........", /* */
		"           ++", 100, "..........aHH........");
	expect_joined_choice(".......... ..........b..........", /* */
		"                  +++++         ", 100, ".......... ......HHHHbH.........");
	expect_joined_choice("F.ab..........", /* with a page that stays, nothing can be hot */
		" +++          ", 100, "F.DD..........");
	expect_joined_choice("F.#b..........", /* but one that was changed has to be */
		" +++          ", 100, "F.#b..........");
}

static void joined_pages_stay_where_copying_them_costs_more_than_a_read(void **state)
{
	char before[512] = "..........a", joined[512] = "           ", after[512];
	size_t many = COST_READ_NS / COST_PAGE_NS + 1;

	assert_true(many < 400);
	memset(before + strlen(before), '.', many + 10);
	memset(joined + strlen(joined), '+', many);
	strcpy(after, before);
	after[10] = 'D';
	expect_joined_choice(before, joined, 100, after);
}

static void the_first_page_stays(void **state)
{
	expect_choice("F#.....", 2, "F#HHHHH");
	expect_choice("Fa.....", 3, "FaHHHHH");
}

static void cut(const struct drawing *drawing, struct relayout_pieces *ret)
{
	assert_int_equal(relayout_pieces_init(ret, &drawing->image), 0);
	assert_int_equal(relayout_pieces_place(ret, &drawing->image), 0);
}

static void executables_have_few_headers(void **state)
{
	_cleanup_(drawing_release) struct drawing drawing;
	_cleanup_(relayout_pieces_releasep) struct relayout_pieces pieces = {0};
	struct pass_options options = {.max_segments = 4096};
	struct pass_outcome outcome;
	char text[2001];

	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = i % 10 == 0 ? 'a' : '.';
	text[sizeof(text) - 1] = '\0';
	draw(&drawing, text);
	drawing.image.executable = true;
	drawing.view.n_phdrs = drawing.view.n_loads + 9;
	assert_int_equal(pass_hot(&drawing.image, &options, &outcome), 0);
	assert_int_equal(outcome.before, 200);
	cut(&drawing, &pieces);
	/* Nine others, and those of the note and the tables. */
	assert_uint_in_range(pieces.n, COST_MAX_EXECUTABLE_PHDRS - 12, COST_MAX_EXECUTABLE_PHDRS - 11);
}

/* Of an executable with a dense part and many lonely pages, two of which one read fetches. */
static void under_a_cap_pages_stay_where_filling_costs_more(void **state)
{
	_cleanup_(drawing_release) struct drawing drawing;
	struct pass_options options = {.max_segments = 4096};
	struct pass_outcome outcome;
	char text[2001];
	size_t n_hot = 0;

	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = (i < 200 && i % 4 > 0) || i % 20 == 0 ? 'a' : '.';
	text[sizeof(text) - 1] = '\0';
	draw(&drawing, text);
	drawing.image.executable = true;
	drawing.view.n_phdrs = drawing.view.n_loads + 9;
	assert_int_equal(pass_hot(&drawing.image, &options, &outcome), 0);
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		n_hot += relayout_page_is_hot(&drawing.image.segments[0].pages[i]);
	assert_uint_in_range(n_hot, 190, 300);
}

/* In any drawing, there are never more PT_LOADs than the cap, unless pages that cannot be turned over need them. */
static void any_drawing_keeps_the_rules(void **state)
{
	uint32_t random = 1;

	for (size_t round = 0; round < 300; round++) {
		_cleanup_(drawing_release) struct drawing drawing;
		_cleanup_(relayout_pieces_releasep) struct relayout_pieces pieces = {0};
		struct pass_options options = {.max_segments = 8 + round % 30};
		struct pass_outcome outcome;
		char text[400];

		for (size_t i = 0; i < sizeof(text) - 1; i++) {
			random = random * 1664525u + 1013904223u;
			text[i] = "........ab....c...."[random >> 16 & 15];
		}
		text[0] = 'F';
		text[100] = text[300] = ' ';
		text[sizeof(text) - 1] = '\0';
		draw(&drawing, text);
		assert_int_equal(pass_hot(&drawing.image, &options, &outcome), 0);
		cut(&drawing, &pieces);
		assert_true(pieces.n + 1 <= options.max_segments);
		assert_int_equal(pieces.n_hot, outcome.after);
		assert_false(pieces.all[0].hot);
	}
}

/* What becomes of "Fabc", if DT_STRTAB begins on its second page and the soname `offset` bytes behind. */
static void expect_with_soname(size_t offset, const char *after)
{
	_cleanup_(drawing_release) struct drawing drawing;
	_cleanup_free_ char *data = calloc(4, PAGE);
	struct pass_options options = {.max_segments = 100};
	struct pass_outcome outcome;
	char text[5] = "";

	assert_non_null(data);
	if (offset < 3 * PAGE)
		strcpy(data + PAGE + offset, "libx.so.1");
	draw(&drawing, "Fabc");
	drawing.view.data = (const uint8_t *)data;
	drawing.view.size = 4 * PAGE;
	drawing.view.loads = &drawing.image.segments[0].load;
	drawing.image.n_dynamic = 3;
	drawing.image.dynamic = calloc(3, sizeof(Elf64_Dyn));
	assert_non_null(drawing.image.dynamic);
	drawing.image.dynamic[0] = (Elf64_Dyn){DT_STRTAB, {PAGE}};
	drawing.image.dynamic[1] = (Elf64_Dyn){DT_SONAME, {offset}};
	assert_int_equal(pass_hot(&drawing.image, &options, &outcome), 0);
	for (size_t i = 0; i < 4; i++)
		text[i] = letter_of(&drawing.image.segments[0].pages[i], "Fabc"[i]);
	assert_string_equal(text, after);
}

static void soname_is_found_at_its_distance_from_the_strings(void **state)
{
	expect_with_soname(16, "Fabc");
	expect_with_soname(PAGE - 10, "Fabc"); /* with its NUL it ends with the page */
	expect_with_soname(PAGE - 9, "FDbc");
	expect_with_soname(PAGE, "FDbc");
	expect_with_soname(2 * PAGE + 5, "FDbc");
	expect_with_soname(SIZE_MAX, "FDbc"); /* in a damaged file, anywhere */
}

static void pieces_are_cut_at_pages_and_lie_by_first_touch(void **state)
{
	_cleanup_(drawing_release) struct drawing drawing;
	_cleanup_(relayout_pieces_releasep) struct relayout_pieces pieces = {0};
	struct relayout_segment *segment;

	draw(&drawing, "cd..a..#");
	segment = drawing.image.segments;
	segment->load.p_vaddr = segment->load.p_offset = 0x123;
	segment->load.p_filesz -= 0x123 + 0x456;
	segment->load.p_memsz = segment->load.p_filesz + 0x10000;
	cut(&drawing, &pieces);
	assert_int_equal(pieces.n, 5);
	assert_int_equal(pieces.n_hot, 3);
	assert_int_equal(pieces.hot_size, 4 * PAGE);
	assert_ptr_equal(pieces.hot[0], &pieces.all[2]); /* a, */
	assert_ptr_equal(pieces.hot[1], &pieces.all[0]); /* c and d, */
	assert_ptr_equal(pieces.hot[2], &pieces.all[4]); /* and the pages that no start touched */
	assert_int_equal(pieces.all[0].load.p_vaddr, 0x123);
	assert_int_equal(pieces.all[0].load.p_offset, PAGE + 0x123);
	assert_int_equal(pieces.all[0].load.p_filesz, 2 * PAGE - 0x123);
	assert_int_equal(pieces.all[0].load.p_memsz, 2 * PAGE - 0x123);
	assert_int_equal(pieces.all[1].load.p_vaddr, 2 * PAGE);
	assert_int_equal(pieces.all[1].load.p_offset, 2 * PAGE);
	assert_int_equal(pieces.all[2].load.p_offset, 0);
	assert_int_equal(pieces.all[4].load.p_offset, 3 * PAGE);
	assert_int_equal(pieces.all[4].load.p_filesz, PAGE - 0x456);
	assert_int_equal(pieces.all[4].load.p_memsz, PAGE - 0x456 + 0x10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_dear_to_fill_is_left_alone),
		cmocka_unit_test(small_gaps_are_filled),
		cmocka_unit_test(under_a_cap_the_smallest_gaps_are_filled_first),
		cmocka_unit_test(segments_share_the_cap),
		cmocka_unit_test(a_lonely_page_far_away_is_left_where_it_is),
		cmocka_unit_test(changed_pages_are_hot_whatever_it_takes),
		cmocka_unit_test(joined_pages_are_hot_together),
		cmocka_unit_test(joined_pages_stay_where_copying_them_costs_more_than_a_read),
		cmocka_unit_test(the_first_page_stays),
		cmocka_unit_test(executables_have_few_headers),
		cmocka_unit_test(under_a_cap_pages_stay_where_filling_costs_more),
		cmocka_unit_test(any_drawing_keeps_the_rules),
		cmocka_unit_test(soname_is_found_at_its_distance_from_the_strings),
		cmocka_unit_test(pieces_are_cut_at_pages_and_lie_by_first_touch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
