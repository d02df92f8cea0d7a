/* SPDX-License-Identifier: MIT */
/* Unit tests of areas on a real file system, if the temporary folder lies on an ext4: what moves there has the same bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
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

/* What happens in place of an exchange, or NULL. */
static void (*meanwhile)(int fd);

int __real_place_exchange(
	int fd, int donor, uint64_t page, uint64_t donor_page, uint64_t pages, uint64_t *ret_done);
int __wrap_place_exchange(
	int fd, int donor, uint64_t page, uint64_t donor_page, uint64_t pages, uint64_t *ret_done);

int __wrap_place_exchange(
	int fd, int donor, uint64_t page, uint64_t donor_page, uint64_t pages, uint64_t *ret_done)
{
	if (!meanwhile)
		return __real_place_exchange(fd, donor, page, donor_page, pages, ret_done);
	meanwhile(fd);
	*ret_done = pages;
	return 0;
}

/* Which calls of fsync(2) fail, counted from the first one on: bit 0 is the next one. */
static unsigned failing_syncs;

int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
	bool fails = failing_syncs & 1;

	failing_syncs >>= 1;
	errno = EIO;
	return fails ? -1 : __real_fsync(fd);
}

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

static void take_status(int fd, struct place_file *ret)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	ret->inode = st.st_ino;
	ret->size = (uint64_t)st.st_size;
	ret->mtime = nanoseconds(st.st_mtim);
	ret->ctime = nanoseconds(st.st_ctim);
}

/* An open file without a name, each page of which has other bytes. */
static int make_file(struct place_file *ret)
{
	char page[PAGE], path[sizeof(folder) + sizeof("/XXXXXX")];
	int fd;

	snprintf(path, sizeof(path), "%s/XXXXXX", folder);
	fd = mkostemp(path, O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	for (uint32_t i = 0; i < PAGES; i++) {
		memset(page, (int)(i + 1), sizeof(page));
		assert_int_equal(pwrite(fd, page, sizeof(page), (off_t)(i * PAGE)), sizeof(page));
	}
	assert_int_equal(fsync(fd), 0);
	*ret = (struct place_file){0};
	take_status(fd, ret);
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
	assert_int_equal(place_move(&file, fd, PLACE_EXCHANGE, &area, (uint32_t)PAGE), 0);
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
	assert_int_equal(place_move(file, fd, PLACE_EXCHANGE, area, (uint32_t)PAGE), 0);
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
	assert_int_equal(place_move(&file, fd, PLACE_EXCHANGE, &area, (uint32_t)PAGE), 0);
	assert_int_equal(file.status, PLACE_FAILED);
	expect_bytes(fd);
	assert_int_equal(place_of(fd, 20), before);
}

/* Moves the first page of a file that another process changes, to an area that nothing is moved to. */
static int move_changing(struct place_file *file, int fd, void (*change)(int fd))
{
	struct device_extent extent = {0, PAGE, 0};
	uint64_t donor = 0;
	const struct place_area area = {.donor = -1, .items = &extent, .n = 1, .donors = &donor};
	int r;

	assert_int_equal(place_runs_add(&file->moved, 0, 1), 0);
	meanwhile = change;
	r = place_move(file, fd, PLACE_EXCHANGE, &area, (uint32_t)PAGE);
	meanwhile = NULL;
	return r;
}

static void never(int fd)
{
	fail_msg("a file is moved that has changed");
}

static void what_has_changed_is_not_moved(void **state)
{
	_cleanup_(place_file_release) struct place_file file = {0};
	_cleanup_close_ int fd = make_file(&file);

	file.ctime--;
	assert_int_equal(move_changing(&file, fd, never), 0);
	assert_int_equal(file.status, PLACE_REFUSED);
	assert_string_equal(file.reason, "has changed meanwhile");
}

static void append(int fd)
{
	assert_int_equal(pwrite(fd, "x", 1, (off_t)(PAGES * PAGE)), 1);
}

static void what_is_written_meanwhile_is_no_damage(void **state)
{
	_cleanup_(place_file_release) struct place_file file = {0};
	_cleanup_close_ int fd = make_file(&file);

	assert_int_equal(move_changing(&file, fd, append), 0);
	assert_int_equal(file.status, PLACE_REFUSED);
	assert_string_equal(file.reason, "was changed by another process while it was moved");
}

static struct place_file *damaged;

/* As if the file system had done so: the status says nothing of it. */
static void damage(int fd)
{
	assert_int_equal(pwrite(fd, "x", 1, 0), 1);
	take_status(fd, damaged);
}

static void other_bytes_are_noticed(void **state)
{
	_cleanup_(place_file_release) struct place_file file = {0};
	_cleanup_close_ int fd = make_file(&file);

	damaged = &file;
	assert_int_equal(move_changing(&file, fd, damage), -EBADMSG);
	assert_int_equal(file.status, PLACE_FAILED);
	assert_non_null(strstr(file.reason, "nor to its old one again"));
}

/* Moves all of a file but one page, on a disk that does not take it: the first fsync(2) of place_move() is before. */
static int move_in_vain(unsigned failing, struct place_file *file, int fd)
{
	_cleanup_(place_area_releasep) struct place_area area = make_area(PAGES);
	int r;

	assert_int_equal(place_runs_add(&file->moved, 0, 10), 0);
	assert_int_equal(place_runs_add(&file->moved, 11, PAGES - 11), 0);
	failing_syncs = failing;
	r = place_move(file, fd, PLACE_EXCHANGE, &area, (uint32_t)PAGE);
	failing_syncs = 0;
	assert_int_equal(file->status, PLACE_FAILED);
	return r;
}

static void what_the_disk_does_not_take_lies_where_it_was(void **state)
{
	_cleanup_(place_file_release) struct place_file file = {0};
	_cleanup_close_ int fd = -1;
	uint64_t before[PAGES];

	need_exchange(folder);
	fd = make_file(&file);
	for (uint64_t i = 0; i < PAGES; i++)
		before[i] = place_of(fd, i);
	assert_int_equal(move_in_vain(2, &file, fd), -EIO);
	assert_non_null(
		strstr(file.reason, "could not be written to its new place, and lies where it was: "));
	expect_bytes(fd);
	for (uint64_t i = 0; i < PAGES; i++)
		assert_int_equal(place_of(fd, i), before[i]);
}

static void what_it_takes_nowhere_stops_all(void **state)
{
	_cleanup_(place_file_release) struct place_file file = {0};
	_cleanup_close_ int fd = -1;

	need_exchange(folder);
	fd = make_file(&file);
	assert_int_equal(move_in_vain(6, &file, fd), -EBADMSG);
	assert_non_null(strstr(file.reason, "nor to its old one again"));
}

static void a_proven_area_takes_files(void **state)
{
	_cleanup_(place_area_releasep) struct place_area area = PLACE_NO_AREA;
	_cleanup_(place_file_release) struct place_file file = {0};
	_cleanup_close_ int fd = -1;

	need_exchange(folder);
	area = make_area(PAGES);
	assert_int_equal(place_area_prove(&area), 0);
	for (size_t i = 0; i < area.n; i++)
		assert_int_equal(place_of(area.donor, area.donors[i] / PAGE), area.items[i].physical);
	fd = make_file(&file);
	move_whole(&file, fd, &area);
}

static void an_area_that_takes_nothing_is_not_proven(void **state)
{
	_cleanup_(place_area_releasep) struct place_area area = PLACE_NO_AREA;

	need_exchange(folder);
	area = make_area(PAGES);
	failing_syncs = 1;
	assert_int_equal(place_area_prove(&area), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_widened_donor_gives_back_what_the_area_does_not_take),
		cmocka_unit_test(runs_move_piece_by_piece),
		cmocka_unit_test(a_file_in_pieces_moves_like_any_other),
		cmocka_unit_test(so_does_one_that_is_mapped),
		cmocka_unit_test(nothing_moves_beyond_the_area),
		cmocka_unit_test(what_has_changed_is_not_moved),
		cmocka_unit_test(what_is_written_meanwhile_is_no_damage),
		cmocka_unit_test(other_bytes_are_noticed),
		cmocka_unit_test(what_the_disk_does_not_take_lies_where_it_was),
		cmocka_unit_test(what_it_takes_nowhere_stops_all),
		cmocka_unit_test(a_proven_area_takes_files),
		cmocka_unit_test(an_area_that_takes_nothing_is_not_proven),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
