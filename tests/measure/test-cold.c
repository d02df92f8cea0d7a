/* SPDX-License-Identifier: MIT */
/* Unit tests of making a plan's files cold: what leaves the page cache, what stays, and how that is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/residency.h"
#include "make-plan.h"
#include "measure/cold.h"
#include "tree.h"
#include "undisturbed.h"

#define PAGE  PLAN_MAKER_PAGE
#define PAGES 20

struct fixture {
	char folder[64];
	struct plan_maker maker;
	void *data;
	struct plan_view view;
};

static void add_file(struct fixture *fixture, const char *name)
{
	_cleanup_free_ char *path = NULL, *bytes = calloc(PAGES, PAGE);
	_cleanup_close_ int fd = -1;

	assert_true(asprintf(&path, "%s/%s", fixture->folder, name) > 0);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write_full(fd, bytes, PAGES * PAGE), 0);
	assert_int_equal(fsync(fd), 0);
	plan_maker_whole(&fixture->maker, plan_maker_add(&fixture->maker, path));
}

static void finish(struct fixture *fixture)
{
	size_t size;

	fixture->data = plan_maker_finish(&fixture->maker, &size);
	assert_int_equal(plan_view_init(&fixture->view, fixture->data, size, checksum64), PLAN_GOOD);
}

static uint64_t resident(const struct fixture *fixture, uint32_t file)
{
	_cleanup_close_ int fd = open(plan_file_path(&fixture->view, file), O_RDONLY | O_CLOEXEC);
	uint64_t bytes;

	assert_true(fd >= 0);
	assert_int_equal(residency_of_range(fd, 0, PAGES * PAGE, &bytes), 0);
	return bytes;
}

static struct fixture *begin(void)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	strcpy(fixture->folder, "/var/tmp/headstart-test.XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	fixture->maker = (struct plan_maker){.window_pages = 32, .program = "/bin/true"};
	return fixture;
}

static void end(struct fixture *fixture)
{
	plan_maker_release(&fixture->maker);
	free(fixture->data);
	assert_int_equal(tree_remove(fixture->folder), 0);
	free(fixture);
}

static void planned_files_leave_the_cache_and_others_stay(void **state)
{
	struct fixture *fixture = begin();
	struct cold_report report;

	add_file(fixture, "one");
	add_file(fixture, "two");
	finish(fixture);
	fixture->view.file_count = 1; /* the plan has a second file that this view of it lacks */
	fixture->view.extent_count = 1;
	assert_int_equal(resident(fixture, 0), PAGES * PAGE);
	assert_int_equal(cold_make(&fixture->view, &report), 0);
	assert_int_equal(resident(fixture, 0), 0);
	assert_int_equal(resident(fixture, 1), PAGES * PAGE);
	assert_int_equal(report.files, 1);
	assert_int_equal(report.bytes, PAGES * PAGE);
	assert_int_equal(report.files_left + report.bytes_left + report.unreadable + report.looked_at, 0);
	end(fixture);
}

static void mapped_pages_stay_and_are_counted(void **state)
{
	struct fixture *fixture = begin();
	struct cold_report report;
	volatile char *map;
	int fd;

	add_file(fixture, "one");
	add_file(fixture, "two");
	finish(fixture);
	fd = open(plan_file_path(&fixture->view, 1), O_RDONLY | O_CLOEXEC);
	map = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(map != MAP_FAILED);
	close(fd);
	madvise((void *)map, PAGES * PAGE, MADV_RANDOM);
	(void)map[0];
	assert_int_equal(cold_make(&fixture->view, &report), 0);
	assert_int_equal(report.files, 2);
	assert_int_equal(report.files_left, 1);
	assert_uint_in_range(report.bytes_left, PAGE, PAGES * PAGE);
	munmap((void *)map, PAGES * PAGE);
	assert_int_equal(cold_make(&fixture->view, &report), 0);
	assert_int_equal(report.bytes_left, 0);
	end(fixture);
}

static void changed_and_missing_files_are_counted(void **state)
{
	struct fixture *fixture = begin();
	struct cold_report report;

	add_file(fixture, "good");
	add_file(fixture, "changed");
	add_file(fixture, "gone");
	finish(fixture);
	assert_int_equal(truncate(plan_file_path(&fixture->view, 1), PAGE), 0);
	assert_int_equal(unlink(plan_file_path(&fixture->view, 2)), 0);
	assert_int_equal(cold_make(&fixture->view, &report), 0);
	assert_int_equal(report.files, 1);
	assert_int_equal(report.unreadable, 2);
	end(fixture);
}

static void a_fifo_in_a_files_place_is_not_opened(void **state)
{
	struct fixture *fixture = begin();
	struct cold_report report;
	const char *path;

	add_file(fixture, "replaced");
	finish(fixture);
	path = plan_file_path(&fixture->view, 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(60);
	assert_int_equal(cold_make(&fixture->view, &report), 0);
	cold_evict(path);
	alarm(0);
	assert_int_equal(report.unreadable, 1);
	end(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planned_files_leave_the_cache_and_others_stay),
		cmocka_unit_test(mapped_pages_stay_and_are_counted),
		cmocka_unit_test(changed_and_missing_files_are_counted),
		cmocka_unit_test(a_fifo_in_a_files_place_is_not_opened),
	};

	return until_undisturbed(tests, sizeof(tests) / sizeof(tests[0]));
}
