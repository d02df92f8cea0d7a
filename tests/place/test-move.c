/* SPDX-License-Identifier: MIT */
/* Unit tests of areas on a real file system, if the temporary folder lies on an ext4: what moves there has the same bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/times.h"
#include "exchangeable.h"
#include "place/move.h"

#define PAGE  UINT64_C(4096)
#define PAGES 64u

static char folder[] = "/var/tmp/headstart-test-move.XXXXXX";

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	return rmdir(folder);
}

static uint64_t blocks_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (uint64_t)st.st_blocks * 512 / PAGE;
}

/* An open file without a name, each page of which has other bytes. */
static int make_file(struct place_file *ret)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char page[PAGE];
	struct stat st;

	assert_true(fd >= 0);
	for (uint32_t i = 0; i < PAGES; i++) {
		memset(page, (int)(i + 1), sizeof(page));
		assert_int_equal(pwrite(fd, page, sizeof(page), (off_t)(i * PAGE)), sizeof(page));
	}
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(fstat(fd, &st), 0);
	*ret = (struct place_file){
		.inode = st.st_ino,
		.size = (uint64_t)st.st_size,
		.mtime = nanoseconds(st.st_mtim),
		.ctime = nanoseconds(st.st_ctim),
	};
	return fd;
}

static void expect_bytes(int fd)
{
	char page[PAGE];

	assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	for (uint32_t i = 0; i < PAGES; i++) {
		assert_int_equal(pread(fd, page, sizeof(page), (off_t)(i * PAGE)), sizeof(page));
		for (size_t j = 0; j < sizeof(page); j++)
			assert_int_equal(page[j], i + 1);
	}
}

static uint64_t place_of(int fd, uint64_t page)
{
	_cleanup_free_ struct device_extent *extents = NULL;
	size_t n, i;

	assert_int_equal(device_allocated(fd, &extents, &n), 0);
	i = device_extent_after(extents, n, page * PAGE);
	assert_true(i < n && extents[i].offset <= page * PAGE);
	return extents[i].physical + (page * PAGE - extents[i].offset);
}

static uint64_t place_of_area(const struct place_area *area, uint64_t page)
{
	size_t i = device_extent_after(area->items, area->n, page * PAGE);

	assert_true(i < area->n && area->items[i].offset <= page * PAGE);
	return area->items[i].physical + (page * PAGE - area->items[i].offset);
}

/* Every second page of the room, so that nothing of it continues anything else. */
static struct place_room every_second(const struct place_room *wide)
{
	struct place_room room = {calloc(wide->n * PAGES * 4, sizeof(*room.items)), 0};

	assert_non_null(room.items);
	for (size_t i = 0; i < wide->n; i++)
		for (uint64_t at = 0; at < wide->items[i].length; at += 2 * PAGE)
			room.items[room.n++] = (struct device_extent){
				wide->items[i].offset + at, PAGE, wide->items[i].physical + at};
	return room;
}

/* An area of single pages of a widened donor. */
static struct place_area make_area(uint32_t pages)
{
	_cleanup_(place_room_releasep) struct place_room wide = {0}, single = {0};
	struct place_area area = PLACE_NO_AREA;

	assert_int_equal(place_area_open(folder, pages * PAGE, &area), 0);
	assert_int_equal(blocks_of(area.donor), pages);
	assert_int_equal(place_area_widen(&area, folder, pages * PAGE, &wide), 0);
	assert_int_equal(blocks_of(area.donor), 4 * pages);
	single = every_second(&wide);
	assert_int_equal(place_area_take(&area, &single, pages * PAGE), 0);
	return area;
}

static void a_widened_donor_gives_back_what_the_area_does_not_take(void **state)
{
	_cleanup_(place_area_releasep) struct place_area area = PLACE_NO_AREA;

	need_exchange(folder);
	area = make_area(PAGES);
	assert_int_equal(area.n, PAGES);
	assert_in_range(blocks_of(area.donor), PAGES, PAGES + 2); /* and those of its extent tree */
	for (size_t i = 0; i < area.n; i++) {
		assert_int_equal(area.items[i].offset, i * PAGE);
		assert_int_equal(place_of(area.donor, area.donors[i] / PAGE), area.items[i].physical);
		assert_true(i == 0 || area.items[i].physical > area.items[i - 1].physical);
	}
}

static void runs_move_piece_by_piece(void **state)
{
	_cleanup_(place_area_releasep) struct place_area area = PLACE_NO_AREA;
	_cleanup_(place_file_release) struct place_file file = {0};
	_cleanup_close_ int fd = -1;
	uint64_t stays;

	need_exchange(folder);
	area = make_area(PAGES);
	fd = make_file(&file);
	stays = place_of(fd, 15);
	file.at = 7 * PAGE;
	assert_int_equal(place_runs_add(&file.moved, 3, 10), 0);
	assert_int_equal(place_runs_add(&file.moved, 20, 40), 0);
	assert_int_equal(place_move(&file, fd, &area, (uint32_t)PAGE), 0);
	assert_int_equal(file.status, PLACE_MOVED);
	expect_bytes(fd);
	for (uint64_t i = 0; i < 50; i++)
		assert_int_equal(place_of(fd, i < 10 ? 3 + i : 10 + i), area.items[7 + i].physical);
	assert_int_equal(place_of(fd, 15), stays);
}

/* Moves the whole file to an area, and forgets what was to be moved. */
static void move_whole(struct place_file *file, int fd, const struct place_area *area)
{
	file->status = PLACE_OPEN;
	file->moved.n = 0;
	assert_int_equal(place_runs_add(&file->moved, 0, PAGES), 0);
	assert_int_equal(place_move(file, fd, area, (uint32_t)PAGE), 0);
	assert_int_equal(file->status, PLACE_MOVED);
	expect_bytes(fd);
	for (uint64_t i = 0; i < PAGES; i++)
		assert_int_equal(place_of(fd, i), place_of_area(area, i));
}

/* Reads the file as other programs do, so that the kernel reads ahead in larger folios, and maps it. */
static void *map_file(int fd)
{
	void *map;

	assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL), 0);
	expect_bytes(fd);
	map = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	assert_true(map != MAP_FAILED);
	return map;
}

/*
 * From single pages to other single pages, and into one piece again, as on an aged disk. Where the file is mapped its pages stay in
 * the folios that the kernel has chosen for them.
 */
static void move_pieces(bool mapped)
{
	_cleanup_(place_area_releasep) struct place_area first = PLACE_NO_AREA, second = PLACE_NO_AREA,
							 third = PLACE_NO_AREA;
	_cleanup_(place_file_release) struct place_file file = {0};
	_cleanup_close_ int fd = -1;

	void *map;

	need_exchange(folder);
	first = make_area(PAGES);
	second = make_area(PAGES);
	assert_int_equal(place_area_open(folder, PAGES * PAGE, &third), 0);
	fd = make_file(&file);
	move_whole(&file, fd, &first);
	map = mapped ? map_file(fd) : NULL;
	move_whole(&file, fd, &second);
	move_whole(&file, fd, &third);
	if (map)
		assert_int_equal(munmap(map, PAGES * PAGE), 0);
}

static void a_file_in_pieces_moves_like_any_other(void **state)
{
	move_pieces(false);
}

static void so_does_one_that_is_mapped(void **state)
{
	move_pieces(true);
}

/* Not even to blocks of the donor that are no part of the area. */
static void nothing_moves_beyond_the_area(void **state)
{
	_cleanup_(place_area_releasep) struct place_area area = PLACE_NO_AREA;
	_cleanup_(place_file_release) struct place_file file = {0};
	_cleanup_close_ int fd = -1;
	uint64_t before;

	need_exchange(folder);
	assert_int_equal(place_area_open(folder, PAGES * PAGE, &area), 0);
	fd = make_file(&file);
	before = place_of(fd, 20);
	area.n = 0;
	assert_int_equal(place_runs_add(&file.moved, 20, 4), 0);
	assert_int_equal(place_move(&file, fd, &area, (uint32_t)PAGE), 0);
	assert_int_equal(file.status, PLACE_FAILED);
	expect_bytes(fd);
	assert_int_equal(place_of(fd, 20), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_widened_donor_gives_back_what_the_area_does_not_take),
		cmocka_unit_test(runs_move_piece_by_piece),
		cmocka_unit_test(a_file_in_pieces_moves_like_any_other),
		cmocka_unit_test(so_does_one_that_is_mapped),
		cmocka_unit_test(nothing_moves_beyond_the_area),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
