/* SPDX-License-Identifier: MIT */
/* Unit tests of the files and pages of a followed start. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "record/follow/pages/touched.h"

#define PAGES 200

struct fixture {
	struct mounts mounts;
	struct opens opens;
	struct record_trace trace;
	struct touched touched;
	size_t file;
	char path[64];
};

static int begin(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	_cleanup_close_ int fd = -1;

	if (!fixture)
		return -1;
	*state = fixture;
	fixture->opens = (struct opens)OPENS_INIT;
	if (mounts_read(&fixture->mounts) < 0)
		return -1;
	opens_start_empty(&fixture->opens, &fixture->mounts);
	touched_init(&fixture->touched, &fixture->opens, &fixture->trace, false);
	/* Not below /tmp, which may lie in memory: such files do not count. */
	snprintf(fixture->path, sizeof(fixture->path), "touched.XXXXXX");
	fd = mkstemp(fixture->path);
	if (fd < 0 || ftruncate(fd, PAGES * (off_t)fixture->touched.page_size) < 0)
		return -1;
	return touched_add(&fixture->touched, fd, getpid(), true, &fixture->file);
}

static int end(void **state)
{
	struct fixture *fixture = *state;

	unlink(fixture->path);
	touched_release(&fixture->touched);
	record_trace_release(&fixture->trace);
	opens_release(&fixture->opens);
	mounts_release(&fixture->mounts);
	free(fixture);
	return 0;
}

static void touch(struct fixture *fixture, uint64_t first, uint64_t last, enum touch how)
{
	assert_int_equal(touched_pages(&fixture->touched, fixture->file, first, last, 1, how), 0);
}

static void skip_in_memory(const struct fixture *fixture)
{
	if (fixture->touched.items[fixture->file].ignored)
		skip();
}

static void page_is_noted_once(void **state)
{
	struct fixture *fixture = *state;
	const struct record_event *events;

	skip_in_memory(fixture);
	touch(fixture, 10, 19, TOUCH_READ);
	touch(fixture, 12, 13, TOUCH_MAPPED);
	touch(fixture, 5, 25, TOUCH_MAPPED);
	events = fixture->trace.events;
	assert_int_equal(fixture->trace.n_events, 3);
	assert_true(events[0].first == 10 && events[0].last == 19);
	assert_true(events[1].first == 5 && events[1].last == 9);
	assert_true(events[2].first == 20 && events[2].last == 25);
	assert_true(events[0].time < events[1].time && events[1].time < events[2].time);
	assert_int_equal(fixture->touched.items[fixture->file].n_seen, 21);
	assert_false(touched_has_new(&fixture->touched, fixture->file, 5, 25));
	assert_true(touched_has_new(&fixture->touched, fixture->file, 5, 26));
	assert_true(touched_has_new(&fixture->touched, fixture->file, 1000, 1000));
}

static void neighbours_of_mapped_pages_are_counted(void **state)
{
	struct fixture *fixture = *state;
	uint64_t window = 65536 / fixture->touched.page_size;

	skip_in_memory(fixture);
	touch(fixture, 0, window - 1, TOUCH_MAPPED);
	assert_int_equal(touched_around(&fixture->touched), window - 1);
	touch(fixture, 2 * window, 2 * window, TOUCH_MAPPED);
	touch(fixture, 4 * window, 5 * window - 1, TOUCH_READ);
	touch(fixture, 6 * window, 7 * window - 1, TOUCH_FAULTED);
	assert_int_equal(touched_around(&fixture->touched), window - 1);
}

/* Numbers that no file has must neither take memory nor be believed. */
static void page_far_away_is_refused(void **state)
{
	struct fixture *fixture = *state;

	skip_in_memory(fixture);
	touch(fixture, UINT32_MAX, UINT32_MAX, TOUCH_MAPPED);
	touch(fixture, UINT64_MAX - 1, UINT64_MAX - 1, TOUCH_MAPPED);
	touch(fixture, 3, 2, TOUCH_MAPPED);
	assert_int_equal(fixture->trace.n_events, 0);
	assert_true(fixture->trace.lost);
	assert_true(touched_has_new(&fixture->touched, fixture->file, UINT64_MAX, UINT64_MAX));
}

/* Hidden pages do not count. A file may say that it has a function of an exabyte, which is neither noted nor looked at page by page. */
static void hidden_pages_do_not_count(void **state)
{
	struct fixture *fixture = *state;

	skip_in_memory(fixture);
	assert_int_equal(touched_hide(&fixture->touched, fixture->file, 20, 29), 0);
	assert_false(touched_has_new(&fixture->touched, fixture->file, 20, 29));
	assert_true(touched_has_new(&fixture->touched, fixture->file, 29, 30));
	assert_int_equal(touched_hide(&fixture->touched, fixture->file, 0, UINT64_MAX / 4096), 0);
	assert_true(touched_has_new(&fixture->touched, fixture->file, 0, 1));
}

static void same_file_is_added_once(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_close_ int fd = open(fixture->path, O_PATH | O_CLOEXEC);
	size_t file;

	assert_int_equal(touched_add(&fixture->touched, fd, getpid(), true, &file), 0);
	assert_int_equal(file, fixture->file);
	assert_int_equal(fixture->touched.count, 1);
}

/* Linux before 5.8 does not tell the mount of a file, and qemu-user says that it is number 0: a file of /proc counts as one of a disk. */
static bool mounts_are_told(void)
{
	struct statx status;

	return statx(AT_FDCWD, "/proc", 0, STATX_MNT_ID, &status) == 0 && status.stx_mask & STATX_MNT_ID &&
		status.stx_mnt_id;
}

static void what_is_no_file_of_a_disk_is_ignored(void **state)
{
	static const char *const paths[] = {"/proc/self/status", "/dev/null", "/sys/kernel", "/"};
	struct fixture *fixture = *state;

	for (size_t i = mounts_are_told() ? 0 : 1; i < sizeof(paths) / sizeof(*paths); i++) {
		_cleanup_close_ int fd = open(paths[i], O_PATH | O_CLOEXEC);
		size_t file, before = fixture->trace.n_events;

		assert_int_equal(touched_add(&fixture->touched, fd, getpid(), true, &file), 0);
		assert_true(fixture->touched.items[file].ignored);
		assert_int_equal(touched_pages(&fixture->touched, file, 0, 0, 1, TOUCH_MAPPED), 0);
		assert_int_equal(fixture->trace.n_events, before);
	}
	assert_int_equal(touched_pages(&fixture->touched, TOUCHED_NONE, 0, 0, 1, TOUCH_MAPPED), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(page_is_noted_once),
		CASE(neighbours_of_mapped_pages_are_counted),
		CASE(page_far_away_is_refused),
		CASE(hidden_pages_do_not_count),
		CASE(same_file_is_added_once),
		CASE(what_is_no_file_of_a_disk_is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
