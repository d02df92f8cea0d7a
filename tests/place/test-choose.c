/* SPDX-License-Identifier: MIT */
/* Unit tests of the choice of what is moved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "place/choose.h"

#define PAGE  UINT64_C(4096)
#define FAR   (UINT64_C(1) << 30)
#define FILES 40

static void disk_releasep(struct place_disk *disk)
{
	place_disk_release(disk);
}

static void *copy_of(const void *data, size_t size)
{
	void *copy = malloc(size);

	assert_non_null(copy);
	memcpy(copy, data, size);
	return copy;
}

/* A hard disk with FILES files of that many pages, each in one piece and far from the others, and one start. */
static struct place_disk make_disk(uint32_t pages)
{
	struct place_disk disk = {
		.device = {.class = DEVICE_ROTATIONAL,
			.measured = true,
			.read_ahead_kb = 128,
			.size = FAR * 400,
			.model = {.latency_us = 100,
				.seek_us = 7600,
				.stroke_us = 16000,
				.bytes_per_ms = 60000,
				.depth = 1}},
		.page_size = PAGE,
		.area = PLACE_NO_AREA,
		.files = calloc(FILES, sizeof(*disk.files)),
		.n_files = FILES,
		.starts = calloc(1, sizeof(*disk.starts)),
		.n_starts = 1,
	};

	assert_non_null(disk.files);
	assert_non_null(disk.starts);
	for (size_t i = 0; i < FILES; i++) {
		const struct device_extent whole = {0, pages * PAGE, (i * 7 % FILES) * FAR};

		disk.files[i] = (struct place_file){.size = pages * PAGE,
			.programs = 1,
			.n_extents = 1,
			.extents = copy_of(&whole, sizeof(whole))};
	}
	return disk;
}

static void touch_in(
	struct place_start *start, struct place_disk *disk, uint32_t file, uint32_t page, uint32_t pages)
{
	start->touches = reallocarray(start->touches, start->n_touches + 1, sizeof(*start->touches));
	assert_non_null(start->touches);
	start->touches[start->n_touches++] = (struct place_touch){file, page, pages};
	assert_int_equal(place_runs_add(&disk->files[file].hot, page, pages), 0);
	place_runs_join(&disk->files[file].hot, 0);
}

static void touch(struct place_disk *disk, uint32_t file, uint32_t page, uint32_t pages)
{
	touch_in(&disk->starts[0], disk, file, page, pages);
}

static void small_files_move_whole_in_the_order_of_their_touch(void **state)
{
	_cleanup_(disk_releasep) struct place_disk disk = make_disk(20);

	for (uint32_t i = 0; i < FILES; i++)
		touch(&disk, i, 3, 1);
	assert_int_equal(place_choose(&disk), 0);
	assert_int_equal(disk.area_pages, FILES * 20);
	for (size_t i = 0; i < FILES; i++) {
		assert_int_equal(disk.files[i].moved.n, 1);
		assert_int_equal(place_runs_pages(&disk.files[i].moved), 20);
		assert_int_equal(disk.files[i].at, i * 20 * PAGE);
	}
	assert_true(disk.starts[0].planned_after.us * 2 < disk.starts[0].planned_before.us);
	assert_true(disk.starts[0].alone_after.us < disk.starts[0].alone_before.us);
	assert_true(disk.starts[0].planned_after.seeks < 3);
}

/* One page in sixteen is touched. A start without headstart would read the rest from elsewhere. */
static void scattered_pages_never_slow_a_start_without_headstart(void **state)
{
	_cleanup_(disk_releasep) struct place_disk disk = make_disk(1600);
	int r;

	for (uint32_t i = 0; i < FILES; i++)
		for (uint32_t page = 0; page < 1600; page += 24)
			touch(&disk, i, page, 1);
	r = place_choose(&disk);
	if (r == 0)
		assert_true((double)disk.starts[0].alone_after.us <=
			PLACE_SLOWER_MAX * (double)disk.starts[0].alone_before.us);
	else
		assert_int_equal(r, -EDOM);
	disk.any_loss = true;
	assert_int_equal(place_choose(&disk), 0);
	assert_true(disk.area_pages > 0);
}

/* All its hot pages lie in what was appended: that moves, with the beginning that the loader reads, and nothing else. */
static void of_relaid_files_what_was_appended_moves(void **state)
{
	_cleanup_(disk_releasep) struct place_disk disk = make_disk(1600);

	for (uint32_t i = 0; i < FILES; i++) {
		disk.files[i].appended = 1500 * PAGE;
		touch(&disk, i, 0, 1);
		touch(&disk, i, 1510, 20);
	}
	assert_int_equal(place_choose(&disk), 0);
	assert_int_equal(disk.files[0].moved.n, 2);
	assert_int_equal(disk.files[0].moved.items[0].pages, 4);
	assert_in_range(
		disk.files[0].moved.items[1].page, 1484, 1500); /* or with what the kernel reads before it */
	assert_int_equal(disk.files[0].moved.items[1].page + disk.files[0].moved.items[1].pages, 1600);
	assert_true(disk.starts[0].planned_after.us < disk.starts[0].planned_before.us);
}

/* So does what is touched near its beginning, with the rest up to there, because more pieces would need an extent tree. */
static void of_relaid_files_the_beginning_moves_in_one_piece(void **state)
{
	_cleanup_(disk_releasep) struct place_disk disk = make_disk(1600);

	for (uint32_t i = 0; i < FILES; i++) {
		disk.files[i].appended = 1500 * PAGE;
		touch(&disk, i, 0, 1);
		touch(&disk, i, 26, 1);
		touch(&disk, i, 1510, 20);
	}
	disk.any_loss = true;
	assert_int_equal(place_choose(&disk), 0);
	assert_int_equal(disk.files[0].moved.n, 2);
	assert_int_equal(disk.files[0].moved.items[0].pages, 27);
}

/* Of code, what a fault reads behind it moves; nothing before it is read. */
static void what_a_fault_in_code_reads_moves_with_it(void **state)
{
	for (int on = 0; on < 2; on++) {
		_cleanup_(disk_releasep) struct place_disk disk = make_disk(1600);
		const struct place_run *moved;

		disk.code_reads_on = on;
		for (uint32_t i = 0; i < FILES; i++) {
			assert_int_equal(place_runs_add(&disk.files[i].code, 100, 1400), 0);
			touch(&disk, i, 800, 1);
			touch(&disk, i, 1200, 1);
		}
		assert_int_equal(place_choose(&disk), 0);
		assert_int_equal(disk.files[0].moved.n, 2);
		moved = &disk.files[0].moved.items[0];
		assert_int_equal(moved->page, on ? 800 : 784);
		assert_true(moved->pages >= 32);
	}
}

static void common_files_come_first(void **state)
{
	_cleanup_(disk_releasep) struct place_disk disk = make_disk(20);

	for (uint32_t i = 0; i < FILES; i++)
		touch(&disk, i, 0, 4);
	disk.files[17].programs = disk.files[30].programs = 2;
	assert_int_equal(place_choose(&disk), 0);
	assert_int_equal(disk.files[17].at, 0);
	assert_int_equal(disk.files[30].at, 20 * PAGE);
	assert_int_equal(disk.files[0].at, 40 * PAGE);
}

/* Program `number` of three touches these files. */
static void touch_files(struct place_disk *disk, size_t number, const uint32_t *files, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct place_file *file = &disk->files[files[i]];

		file->programs = __builtin_popcountll(file->sharers | UINT64_C(1) << (63 - number));
		file->sharers |= UINT64_C(1) << (63 - number);
		touch_in(&disk->starts[number], disk, files[i], 2, 10);
	}
}

static void add_starts(struct place_disk *disk, size_t n)
{
	disk->starts = reallocarray(disk->starts, n, sizeof(*disk->starts));
	assert_non_null(disk->starts);
	memset(disk->starts + disk->n_starts, 0, (n - disk->n_starts) * sizeof(*disk->starts));
	disk->n_starts = n;
}

#define FILES_OF(name) name, sizeof(name) / sizeof(*(name))

/* Of three programs, all use files 3, 9 and 20, two each use some more, and each has files of its own. */
static const uint32_t of_first[] = {20, 3, 9, 2, 5, 6, 7, 12, 13, 14, 15};
static const uint32_t of_second[] = {9, 3, 20, 2, 4, 16, 17, 18, 19, 21, 22};
static const uint32_t of_third[] = {3, 20, 9, 4, 35, 36, 37, 38, 39, 0, 1};

static void files_lie_with_those_of_the_same_programs(void **state)
{
	static const uint32_t order[] = {
		3, 9, 20, 2, 4, 5, 6, 7, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 0, 1, 35, 36, 37, 38, 39};
	_cleanup_(disk_releasep) struct place_disk disk = make_disk(20);

	for (uint32_t i = 0; i < FILES; i++)
		disk.files[i].programs = 0;
	add_starts(&disk, 3);
	touch_files(&disk, 0, FILES_OF(of_first));
	touch_files(&disk, 1, FILES_OF(of_second));
	touch_files(&disk, 2, FILES_OF(of_third));
	assert_int_equal(place_choose(&disk), 0);
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		assert_int_equal(disk.files[order[i]].at, i * 20 * PAGE);
}

/* What a start costs in an area of three programs, and in one of its own. */
static void a_program_among_others_starts_as_fast_as_alone(void **state)
{
	static const uint32_t *const files[] = {of_first, of_second, of_third};
	_cleanup_(disk_releasep) struct place_disk together = make_disk(20);

	add_starts(&together, 3);
	for (size_t i = 0; i < 3; i++)
		touch_files(&together, i, files[i], sizeof(of_first) / sizeof(*of_first));
	assert_int_equal(place_choose(&together), 0);
	for (size_t i = 0; i < 3; i++) {
		_cleanup_(disk_releasep) struct place_disk alone = make_disk(20);
		uint64_t before, in_own;

		touch_files(&alone, 0, files[i], sizeof(of_first) / sizeof(*of_first));
		assert_int_equal(place_choose(&alone), 0);
		in_own = alone.starts[0].planned_after.us;
		before = together.starts[i].planned_before.us;
		assert_true(together.starts[i].planned_after.us < before / 2);
		/* One way more, to what is the program's own. */
		assert_true(
			together.starts[i].planned_after.seeks <= alone.starts[0].planned_after.seeks + 2);
		assert_true(together.starts[i].planned_after.us < in_own + 2 * 8000);
	}
}

static void what_was_placed_stays(void **state)
{
	_cleanup_(disk_releasep) struct place_disk disk = make_disk(20);

	for (uint32_t i = 0; i < FILES; i++) {
		touch(&disk, i, 0, 4);
		assert_int_equal(place_runs_add(&disk.files[i].placed, 0, 20), 0);
	}
	assert_int_equal(place_choose(&disk), -ENODATA);
	assert_int_equal(disk.area_pages, 0);
	for (size_t i = 0; i < FILES; i++)
		assert_int_equal(disk.files[i].status, PLACE_STAYS);
}

static void refused_files_are_not_moved_but_read(void **state)
{
	_cleanup_(disk_releasep) struct place_disk disk = make_disk(20);

	for (uint32_t i = 0; i < FILES; i++)
		touch(&disk, i, 0, 4);
	place_set(&disk.files[5], PLACE_REFUSED, "is a running program");
	assert_int_equal(place_choose(&disk), 0);
	assert_int_equal(disk.files[5].moved.n, 0);
	assert_int_equal(disk.files[5].status, PLACE_REFUSED);
	assert_int_equal(disk.area_pages, (FILES - 1) * 20);
	assert_true(disk.starts[0].planned_after.seeks >= 2);
}

static void where_no_way_is_gained_nothing_moves(void **state)
{
	_cleanup_(disk_releasep) struct place_disk disk = make_disk(20);

	for (uint32_t i = 0; i < FILES; i++) {
		disk.files[i].extents[0].physical = FAR + i * 20 * PAGE;
		touch(&disk, i, 0, 20);
	}
	assert_int_equal(place_choose(&disk), -ERANGE);
	assert_int_equal(disk.area_pages, 0);
}

/* An area in many pieces is no better than what was there. */
static void an_area_in_pieces_is_judged_by_them(void **state)
{
	_cleanup_(disk_releasep) struct place_disk disk = make_disk(20);
	_cleanup_free_ struct device_extent *pieces = NULL;

	for (uint32_t i = 0; i < FILES; i++)
		touch(&disk, i, 0, 4);
	assert_int_equal(place_choose(&disk), 0);
	pieces = calloc(disk.area_pages, sizeof(*pieces));
	assert_non_null(pieces);
	for (size_t i = 0; i < disk.area_pages; i++)
		pieces[i] = (struct device_extent){i * PAGE, PAGE, (i * 13 % 397) * FAR};
	assert_int_equal(place_estimate(&disk, pieces, disk.area_pages), 0);
	assert_true(place_judge(&disk) < 0);
}

/*
 * Single free pages all over the disk, in which nothing would be gained, and two long runs behind them. The choice takes the
 * runs.
 */
static void in_room_in_pieces_the_longest_are_taken(void **state)
{
	enum { SINGLE = 4000 };
	_cleanup_(disk_releasep) struct place_disk disk = make_disk(20);
	_cleanup_(place_room_releasep) struct place_room room = {
		calloc(SINGLE + 2, sizeof(*room.items)), SINGLE + 2};
	uint64_t in_one_piece;

	assert_non_null(room.items);
	for (uint32_t i = 0; i < FILES; i++)
		touch(&disk, i, 0, 4);
	assert_int_equal(place_choose(&disk), 0);
	in_one_piece = place_planned_us(&disk);
	for (size_t i = 0; i < SINGLE; i++)
		room.items[i] = (struct device_extent){i * PAGE, PAGE, (i * 13 % 397) * FAR + 2 * i * PAGE};
	room.items[SINGLE] = (struct device_extent){SINGLE * PAGE, 500 * PAGE, 100 * FAR};
	room.items[SINGLE + 1] = (struct device_extent){(SINGLE + 500) * PAGE, 400 * PAGE, 300 * FAR};
	assert_int_equal(place_estimate(&disk, room.items, SINGLE), 0);
	assert_true(place_judge(&disk) < 0);
	assert_int_equal(place_choose_within(&disk, &room), 0);
	assert_int_equal(disk.area_pages, FILES * 20);
	assert_true(place_planned_us(&disk) < in_one_piece + 30000);
	/* With nothing but single pages, no choice is good enough, and nothing moves. */
	room.n = SINGLE;
	assert_true(place_choose_within(&disk, &room) < 0);
	assert_int_equal(disk.area_pages, 0);
	for (size_t i = 0; i < FILES; i++)
		assert_int_equal(disk.files[i].moved.n, 0);
	/* That does not keep them from being chosen later. */
	room.n = SINGLE + 2;
	assert_int_equal(place_choose_within(&disk, &room), 0);
	assert_int_equal(disk.area_pages, FILES * 20);
	assert_int_equal(disk.files[0].status, PLACE_OPEN);
}

/* There is less room than all files need: some choice that needs less may fit, or none. */
static void what_does_not_fit_is_not_chosen(void **state)
{
	_cleanup_(disk_releasep) struct place_disk disk = make_disk(1600);
	struct device_extent piece = {0, 3 * FILES * PAGE, 100 * FAR};
	const struct place_room room = {&piece, 1};

	for (uint32_t i = 0; i < FILES; i++)
		touch(&disk, i, 800, 4);
	assert_int_equal(place_choose_within(&disk, &room), -ERANGE);
	piece.length = 4000 * FILES * PAGE;
	assert_int_equal(place_choose_within(&disk, &room), 0);
	assert_in_range(disk.area_pages, 4 * FILES, 4000 * FILES);
}

/* The inodes lie at the beginning of the disk, and so do the files, but the area does not. */
static void an_area_far_from_the_inodes_is_too_slow(void **state)
{
	_cleanup_(disk_releasep) struct place_disk disk = make_disk(20);
	const struct device_extent end = {0, FILES * 20 * PAGE, 390 * FAR};

	disk.inodes = 512 * FILES;
	disk.bytes = FAR;
	for (uint32_t i = 0; i < FILES; i++) {
		disk.files[i].inode = 1 + i * 512;
		disk.files[i].extents[0].physical = FAR / 64 + i * 7 % FILES * FAR / 64;
		touch(&disk, i, 0, 20);
	}
	assert_int_equal(place_choose(&disk), 0); /* as long as it is assumed to lie among the files */
	assert_int_equal(place_estimate(&disk, &end, 1), 0);
	assert_int_equal(place_judge(&disk), -EDOM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_files_move_whole_in_the_order_of_their_touch),
		cmocka_unit_test(scattered_pages_never_slow_a_start_without_headstart),
		cmocka_unit_test(of_relaid_files_what_was_appended_moves),
		cmocka_unit_test(of_relaid_files_the_beginning_moves_in_one_piece),
		cmocka_unit_test(what_a_fault_in_code_reads_moves_with_it),
		cmocka_unit_test(common_files_come_first),
		cmocka_unit_test(files_lie_with_those_of_the_same_programs),
		cmocka_unit_test(a_program_among_others_starts_as_fast_as_alone),
		cmocka_unit_test(what_was_placed_stays),
		cmocka_unit_test(refused_files_are_not_moved_but_read),
		cmocka_unit_test(where_no_way_is_gained_nothing_moves),
		cmocka_unit_test(an_area_in_pieces_is_judged_by_them),
		cmocka_unit_test(in_room_in_pieces_the_longest_are_taken),
		cmocka_unit_test(what_does_not_fit_is_not_chosen),
		cmocka_unit_test(an_area_far_from_the_inodes_is_too_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
