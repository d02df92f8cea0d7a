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
#include "elf/identity.h"
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

/* The same if functions are known to have been called; NULL: it is not known. */
static void carries_by(const uint32_t *pages, const struct profile_object *called,
	const struct elf_landmarks *from, const struct elf_landmarks *to, const uint32_t *wanted)
{
	_cleanup_(profile_file_releasep) struct profile_file file = file_of(pages, from), carried = {0};
	size_t n = 0;

	assert_int_equal(profile_file_carry(&file, called, to, SIZE, PAGE, &carried),
		wanted[0] == UINT32_MAX ? -ENODATA : 0);
	for (; wanted[n] != UINT32_MAX; n++)
		if (!has_page(&carried, wanted[n]))
			fail_msg("page %u is missing", wanted[n]);
	assert_int_equal(profile_file_pages(&carried), n);
}

/* Carries `pages` to a build with these landmarks, and expects `wanted`. Both end with UINT32_MAX. */
static void carries(const uint32_t *pages, const struct elf_landmarks *from, const struct elf_landmarks *to,
	const uint32_t *wanted)
{
	carries_by(pages, NULL, from, to, wanted);
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

	assert_int_equal(profile_file_carry(&file, NULL, &half, SIZE, PAGE, &halved), 0);
	assert_int_equal(profile_file_pages(&halved), 6);
	narrow.parts = &part;
	narrow.n_marks = 0;
	assert_int_equal(profile_file_carry(&file, NULL, &narrow, SIZE, PAGE, &narrowed), 0);
	assert_in_range(profile_file_pages(&narrowed), 1, 2);
}

/* Three functions that were called, the last of which reaches to the next page. */
#define FIRST  (12 * PAGE + 100)
#define SECOND (12 * PAGE + 300)
#define THIRD  (13 * PAGE - 100)
static struct profile_call calls[] = {
	{.order = 0, .place = {FIRST, 200, 201, 202}},
	{.order = 1, .place = {SECOND, 100, 203, 204}},
	{.order = 2, .place = {THIRD, 200, 205, 206}},
};
static const struct profile_object called = {.calls = calls, .n_calls = 3};

/* build(0) in which the landmarks of functions are those. */
static struct elf_landmarks build_with(const struct elf_landmark *functions, size_t n)
{
	static struct elf_landmark marks[16];
	struct elf_landmarks landmarks = build(0);

	assert_true(n + landmarks.n_marks <= 16);
	memcpy(marks, landmarks.marks, landmarks.n_marks * sizeof(*marks));
	memcpy(marks + landmarks.n_marks, functions, n * sizeof(*marks));
	landmarks.marks = marks;
	landmarks.n_marks += n;
	return landmarks;
}

#define MARKS(...)                                                                                           \
	build_with((const struct elf_landmark[]){__VA_ARGS__},                                               \
		sizeof((const struct elf_landmark[]){__VA_ARGS__}) / sizeof(struct elf_landmark))

static void called_functions_lead(void **state)
{
	const struct elf_landmarks from = build(0);
	struct elf_landmarks to = MARKS({201, 20 * PAGE + 50}, {203, 5 * PAGE}, {205, 7 * PAGE});

	carries_by(PAGES(12), &called, &from, &to, PAGES(20, 5, 7));
	carries_by(PAGES(12, 13), &called, &from, &to, PAGES(20, 5, 7));
	/* A page on which nothing was called, and one of another part of the file, go where they went before. */
	carries_by(PAGES(0, 2, 13), &called, &from, &to, PAGES(0, 2, 7));
	carries_by(PAGES(11), &called, &from, &to, PAGES(11));
	carries(PAGES(12), &from, &to, PAGES(12));
	/* One that lies on two pages now has both. */
	to = MARKS({201, 20 * PAGE - 50}, {203, 5 * PAGE}, {205, 5 * PAGE + 200});
	carries_by(PAGES(12), &called, &from, &to, PAGES(19, 20, 5));
}

static void names_are_surer_than_lengths(void **state)
{
	const struct elf_landmarks from = build(0);
	struct elf_landmarks to =
		MARKS({201, 20 * PAGE}, {202, 30 * PAGE}, {204, 8 * PAGE}, {205, 20 * PAGE + 200});

	carries_by(PAGES(12), &called, &from, &to, PAGES(20, 8));
}

/* What is nowhere in the new build is carried by the landmarks around it, and by nothing else of its page. */
static void functions_that_are_gone_are_carried_by_landmarks(void **state)
{
	const struct elf_landmarks from = build(0), further = build(3 * PAGE), torn = build(4000);
	struct elf_landmarks to = MARKS({203, 5 * PAGE}, {205, 5 * PAGE + 100});

	carries_by(PAGES(12), &called, &from, &further, PAGES(15));
	carries_by(PAGES(12), &called, &from, &to, PAGES(5, 12));
	/* The page was torn. Its functions lie on the second half, but for the last one, which begins there. */
	carries_by(PAGES(12), &called, &from, &torn, PAGES(13));
	carries_by(PAGES(12, 13), &called, &from, &torn, PAGES(13, 14));
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
		int r = profile_file_carry(&file, NULL, &to, sizes[i], PAGE, &carried);

		assert_true(r == 0 || r == -ENODATA);
		assert_true(profile_file_pages(&carried) <= 6);
		for (size_t j = 0; j < carried.n_ranges; j++)
			assert_true((uint64_t)carried.ranges[j].page * PAGE < sizes[i]);
	}
}

/* Functions that overlap, that reach as far as numbers go, and that are many at one place. */
static void wild_functions_do_no_harm(void **state)
{
	static struct profile_call wild[5000];
	const struct profile_object object = {.calls = wild, .n_calls = sizeof(wild) / sizeof(*wild)};
	struct elf_landmarks from = build(0), to = MARKS({201, UINT32_MAX}, {203, UINT32_MAX - 1}, {205, 0});
	const uint64_t sizes[] = {0, 1, PAGE, SIZE, UINT32_MAX, UINT64_MAX};

	for (uint32_t i = 0; i < object.n_calls; i++)
		wild[i].place = (struct profile_place){
			i * 7919u % (64 * PAGE), i % 3 ? UINT32_MAX - 64 * PAGE : i % 7, 201 + i % 6, i};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		_cleanup_(profile_file_releasep) struct profile_file file =
			file_of(PAGES(0, 1, 12, 13, 40), &from);
		_cleanup_(profile_file_releasep) struct profile_file carried = {0};
		int r = profile_file_carry(&file, &object, &to, sizes[i], PAGE, &carried);

		assert_true(r == 0 || r == -ENODATA);
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
	assert_int_equal(elf_landmarks_read(fd, NULL, &all), 0);
	assert_true(elf_landmarks_good(&all));
	assert_true(all.n_parts > 10 && all.n_marks > 20);
	page = all.marks[all.n_marks / 2].offset / PAGE;
	assert_int_equal(profile_file_add_range(&file, (struct profile_range){page, 1, 0, 1}), 0);
	assert_int_equal(profile_file_keep_landmarks(&file, PAGE), 0);
	assert_non_null(file.landmarks);
	assert_true(elf_landmarks_good(file.landmarks));
	assert_in_range(file.landmarks->n_marks, 1, 3);
	assert_true(file.landmarks->n_parts < all.n_parts);
	assert_int_equal(profile_file_carry(&file, NULL, &all, UINT32_MAX, PAGE, &carried), 0);
	assert_true(has_page(&carried, page));
}

/* A function that was called keeps the landmarks at its entry, as long as the file is the recorded build. */
static void called_functions_keep_their_landmarks(void **state)
{
	_cleanup_(elf_landmarks_releasep) struct elf_landmarks all = {0};
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *path = realpath("/proc/self/exe", NULL);
	uint8_t id[PROFILE_BUILD_ID_MAX] = {0};
	const struct profile_place *place;
	struct profile_functions *functions;
	size_t at = 0, id_size = 0, index;

	if (elf_build_id(fd, id, sizeof(id), &id_size) < 0)
		id_size = 0;
	assert_int_equal(elf_landmarks_read(fd, NULL, &all), 0);
	while (at < all.n_marks && !elf_landmark_is_name(&all.marks[at]))
		at++;
	assert_true(at < all.n_marks);
	for (int other = 0; other < 2; other++) {
		functions = calloc(1, sizeof(*functions));
		id[0] ^= (uint8_t)other;
		assert_int_equal(profile_functions_add_object(
					 functions, path, id, other && !id_size ? 1 : id_size, &index),
			0);
		assert_int_equal(profile_functions_add_call(functions, index, 1,
					 &(struct profile_place){all.marks[at].offset, 16, 0, 0}),
			0);
		assert_int_equal(
			profile_functions_add_call(functions, index, 2, &(struct profile_place){0, 0, 0, 0}),
			0);
		profile_functions_finish(functions);
		profile_keep_places(functions);
		place = &functions->objects[0].calls[0].place;
		assert_true(other ? place->name == 0 : place->name != 0);
		assert_int_equal(functions->objects[0].calls[1].place.name, 0);
		profile_functions_free(functions);
	}
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
	const char *path = tree_path(folder, name);

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
		cmocka_unit_test(called_functions_lead),
		cmocka_unit_test(names_are_surer_than_lengths),
		cmocka_unit_test(functions_that_are_gone_are_carried_by_landmarks),
		cmocka_unit_test(wild_functions_do_no_harm),
		cmocka_unit_test(headers_stay_and_what_is_beyond_the_end_goes),
		cmocka_unit_test(wild_numbers_do_no_harm),
		cmocka_unit_test(what_is_kept_is_enough_for_the_same_build),
		cmocka_unit_test(called_functions_keep_their_landmarks),
		cmocka_unit_test(other_files_have_no_landmarks),
		cmocka_unit_test(the_successor_is_found_by_the_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
