/* SPDX-License-Identifier: MIT */
/* Unit tests of the landmarks that a recording keeps, and of the pages that they carry to another build. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "profile/updates/carry.h"
#include "tree.h"

#define PAGE 4096u
#define SIZE (64u * PAGE)

/* A file with these hot pages, which end with UINT32_MAX, and these landmarks. */
static struct profile_file file_of(const uint32_t *pages, const struct elf_landmarks *landmarks)
{
	struct profile_file file = {.kind = PROFILE_REGULAR};

	for (uint32_t order = 0; pages[order] != UINT32_MAX; order++)
		assert_int_equal(
			profile_file_add_range(&file, (struct profile_range){pages[order], 1, order, 1}), 0);
	assert_int_equal(elf_landmarks_add(&file.landmarks, landmarks), 0);
	return file;
}

static bool has_page(const struct profile_file *file, uint32_t page)
{
	for (size_t i = 0; i < file->n_ranges; i++)
		if (page >= file->ranges[i].page && page - file->ranges[i].page < file->ranges[i].pages)
			return true;
	return false;
}

/* Carries `pages` to a build with these landmarks, and expects `wanted`. Both end with UINT32_MAX. */
static void carries(const uint32_t *pages, const struct elf_landmarks *from, const struct elf_landmarks *to,
	const uint32_t *wanted)
{
	_cleanup_(profile_file_releasep) struct profile_file file = file_of(pages, from), carried = {0};
	size_t n = 0;

	assert_int_equal(
		profile_file_carry(&file, to, SIZE, PAGE, &carried), wanted[0] == UINT32_MAX ? -ENODATA : 0);
	for (; wanted[n] != UINT32_MAX; n++)
		if (!has_page(&carried, wanted[n]))
			fail_msg("page %u is missing", wanted[n]);
	assert_int_equal(profile_file_pages(&carried), n);
}

#define PAGES(...)                                                                                           \
	(const uint32_t[])                                                                                   \
	{                                                                                                    \
		__VA_ARGS__ __VA_OPT__(, ) UINT32_MAX                                                        \
	}

/* One part, from page 1 to page 40, and a landmark at the beginning of pages 2, 10 and 30; `moved` bytes further on. */
static struct elf_landmarks build(uint32_t moved)
{
	static struct elf_part parts[4];
	static struct elf_landmark marks[4][3];
	static size_t n;
	size_t i = n++ % 4;

	parts[i] = (struct elf_part){7, PAGE, 39 * PAGE + moved};
	marks[i][0] = (struct elf_landmark){101, 2 * PAGE + moved};
	marks[i][1] = (struct elf_landmark){102, 10 * PAGE + moved};
	marks[i][2] = (struct elf_landmark){103, 30 * PAGE + moved};
	return (struct elf_landmarks){.parts = &parts[i], .n_parts = 1, .marks = marks[i], .n_marks = 3};
}

static void pages_move_with_the_landmark_before_them(void **state)
{
	const struct elf_landmarks from = build(0), further = build(3 * PAGE), a_little = build(100);

	carries(PAGES(2, 3, 12, 35), &from, &from, PAGES(2, 3, 12, 35));
	carries(PAGES(2, 3, 12, 35), &from, &further, PAGES(5, 6, 15, 38));
	carries(PAGES(2, 3, 12, 35), &from, &a_little, PAGES(2, 3, 12, 35));
	carries(PAGES(1), &from, &further, PAGES(4)); /* by the landmark after it */
}

static void each_landmark_moves_by_itself(void **state)
{
	const struct elf_landmarks from = build(0), to = build(0);

	to.marks[1].offset = 20 * PAGE;
	carries(PAGES(2, 9, 10, 11, 30), &from, &to, PAGES(2, 9, 20, 21, 30));
}

static void without_landmarks_the_share_of_the_section_counts(void **state)
{
	struct elf_landmarks from = build(0), to = build(0);
	struct elf_part parts[] = {{8, PAGE, 10 * PAGE}, {7, 11 * PAGE, 39 * PAGE}};

	to.n_marks = 0;
	carries(PAGES(2, 20), &from, &to, PAGES(2, 20));
	to.parts = parts;
	to.n_parts = 2;
	carries(PAGES(2, 20), &from, &to, PAGES(12, 30));
	to.n_parts = 1; /* a section of that name is not there any more */
	carries(PAGES(2, 20), &from, &to, PAGES());
}

static void there_are_never_more_pages_than_before(void **state)
{
	const struct elf_landmarks from = build(0), half = build(PAGE / 2);
	struct elf_landmarks narrow = build(0);
	struct elf_part part = {7, 2 * PAGE, 2 * PAGE};
	_cleanup_(profile_file_releasep) struct profile_file file =
		file_of(PAGES(2, 5, 8, 12, 20, 35), &from);
	_cleanup_(profile_file_releasep) struct profile_file halved = {0}, narrowed = {0};

	assert_int_equal(profile_file_carry(&file, &half, SIZE, PAGE, &halved), 0);
	assert_int_equal(profile_file_pages(&halved), 6);
	narrow.parts = &part;
	narrow.n_marks = 0;
	assert_int_equal(profile_file_carry(&file, &narrow, SIZE, PAGE, &narrowed), 0);
	assert_in_range(profile_file_pages(&narrowed), 1, 2);
}

static void headers_stay_and_what_is_beyond_the_end_goes(void **state)
{
	const struct elf_landmarks from = build(0), far = build(40 * PAGE);

	carries(PAGES(0), &from, &far, PAGES(0));
	carries(PAGES(50), &from, &from, PAGES()); /* in no section */
	carries(PAGES(0, 35), &from, &far, PAGES(0));
}

/* Whatever a profile or a file says, no page lies beyond the file. */
static void wild_numbers_do_no_harm(void **state)
{
	struct elf_part parts[] = {{7, 0, 1}, {8, 1, UINT32_MAX - 1}};
	struct elf_landmark marks[] = {{1, 0}, {2, UINT32_MAX}};
	struct elf_landmark crossed[] = {{2, 0}, {1, UINT32_MAX}};
	const struct elf_landmarks from = {.parts = parts, .n_parts = 2, .marks = marks, .n_marks = 2};
	const struct elf_landmarks to = {.parts = parts, .n_parts = 2, .marks = crossed, .n_marks = 2};
	const uint64_t sizes[] = {0, 1, PAGE, SIZE, UINT32_MAX, UINT64_MAX};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		_cleanup_(profile_file_releasep) struct profile_file file =
			file_of(PAGES(0, 1, 1u << 19, (1u << 20) - 1, 1u << 20, UINT32_MAX - 2), &from);
		_cleanup_(profile_file_releasep) struct profile_file carried = {0};
		int r = profile_file_carry(&file, &to, sizes[i], PAGE, &carried);

		assert_true(r == 0 || r == -ENODATA);
		assert_true(profile_file_pages(&carried) <= 6);
		for (size_t j = 0; j < carried.n_ranges; j++)
			assert_true((uint64_t)carried.ranges[j].page * PAGE < sizes[i]);
	}
}

/* The landmarks around a few pages are few, and carry them to where they were. */
static void what_is_kept_is_enough_for_the_same_build(void **state)
{
	_cleanup_(elf_landmarks_releasep) struct elf_landmarks all = {0};
	_cleanup_(profile_file_releasep) struct profile_file file = {.kind = PROFILE_REGULAR}, carried = {0};
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint32_t page;

	file.path = realpath("/proc/self/exe", NULL);
	assert_int_equal(elf_landmarks_read(fd, &all), 0);
	assert_true(elf_landmarks_good(&all));
	assert_true(all.n_parts > 10 && all.n_marks > 20);
	page = all.marks[all.n_marks / 2].offset / PAGE;
	assert_int_equal(profile_file_add_range(&file, (struct profile_range){page, 1, 0, 1}), 0);
	assert_int_equal(profile_file_keep_landmarks(&file, PAGE), 0);
	assert_non_null(file.landmarks);
	assert_true(elf_landmarks_good(file.landmarks));
	assert_in_range(file.landmarks->n_marks, 1, 3);
	assert_true(file.landmarks->n_parts < all.n_parts);
	assert_int_equal(profile_file_carry(&file, &all, UINT32_MAX, PAGE, &carried), 0);
	assert_true(has_page(&carried, page));
}

static void other_files_have_no_landmarks(void **state)
{
	_cleanup_(profile_file_releasep) struct profile_file file = {.kind = PROFILE_REGULAR};

	file.path = strdup("/etc/passwd");
	assert_int_equal(profile_file_add_range(&file, (struct profile_range){0, 1, 0, 1}), 0);
	assert_int_equal(profile_file_keep_landmarks(&file, PAGE), 0);
	assert_null(file.landmarks);
}

static void put_link(const char *folder, const char *name, const char *target)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
	assert_int_equal(symlink(target, path), 0);
}

static void the_successor_is_found_by_the_link(void **state)
{
	char folder[] = "/tmp/headstart-carry.XXXXXX", path[PATH_MAX], name[NAME_MAX + 1];

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/libz.so.1.2.13", folder);
	assert_int_equal(profile_file_successor(path, name), -ENOENT);
	put_link(folder, "libz.so", "libz.so.9"); /* for compilers */
	assert_int_equal(profile_file_successor(path, name), -ENOENT);
	put_link(folder, "libz.so.1", "libz.so.1.3");
	assert_int_equal(profile_file_successor(path, name), 0);
	assert_string_equal(name, "libz.so.1.3");
	put_link(folder, "libz.so.1", "libz.so.1.2.13"); /* it leads to what is gone */
	assert_int_equal(profile_file_successor(path, name), -ENOENT);
	put_link(folder, "libz.so.1", "../../etc/passwd");
	assert_int_equal(profile_file_successor(path, name), -ENOENT);
	assert_int_equal(profile_file_successor("/usr/bin/python3.11", name), -ENOENT);
	assert_int_equal(tree_remove(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_move_with_the_landmark_before_them),
		cmocka_unit_test(each_landmark_moves_by_itself),
		cmocka_unit_test(without_landmarks_the_share_of_the_section_counts),
		cmocka_unit_test(there_are_never_more_pages_than_before),
		cmocka_unit_test(headers_stay_and_what_is_beyond_the_end_goes),
		cmocka_unit_test(wild_numbers_do_no_harm),
		cmocka_unit_test(what_is_kept_is_enough_for_the_same_build),
		cmocka_unit_test(other_files_have_no_landmarks),
		cmocka_unit_test(the_successor_is_found_by_the_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
