/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of what a prefetcher leaves behind: lines in a log, and the mark of a stale plan. Also of which program
 * wrote the list that it is given.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "format/object-list.h"
#include "prefetch/log.h"
#include "prefetch/stale-mark.h"
#include "prefetch/whole-mode/list-writer.h"
#include "replace/publish.h"
#include "tree.h"

/* Each test runs in a folder of its own; "log" is the log. */
static int set_up(void **state)
{
	char *folder = strdup("/tmp/headstart-test.XXXXXX"), log[64];

	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	strcpy(log, folder);
	strcat(log, "/log");
	setenv("HEADSTART_LOG", log, 1);
	*state = folder;
	return 0;
}

static int tear_down(void **state)
{
	_cleanup_free_ char *folder = *state;

	unsetenv("HEADSTART_LOG");
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(tree_remove(folder), 0);
	return 0;
}

static void assert_log(const char *wanted)
{
	_cleanup_free_ char *text = NULL;
	size_t size;

	assert_int_equal(read_file("log", 4096, &text, &size), 0);
	assert_string_equal(text, wanted);
}

static int make_file(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	return fd;
}

static void lines_are_appended(void **state)
{
	const struct whole_mode_result result = {.seen = 3, .read = 2, .relaid = 1, .bytes = 4096};

	whole_mode_log(&result);
	whole_mode_log(&(struct whole_mode_result){0});
	assert_log("objects seen=3 read=2 relaid=1 asked=4096\nobjects seen=0 read=0 relaid=0 asked=0\n");
}

static void a_range_names_its_file_at_the_end(void **state)
{
	_cleanup_close_ int fd = make_file("a b");
	char wanted[128] = "object offset=4096 length=8192 path=";

	object_range_log(fd, 4096, 8192);
	assert_log(strcat(strcat(strcat(wanted, *state), "/a b"), "\n"));
}

static void a_path_makes_no_line_of_its_own(void **state)
{
	_cleanup_close_ int fd = make_file("a\nobjects seen=9");
	char wanted[128] = "object offset=0 length=1 path=";

	object_range_log(fd, 0, 1);
	assert_log(strcat(strcat(strcat(wanted, *state), "/a?objects seen=9"), "\n"));
}

static void a_program_makes_no_line_of_its_own(void **state)
{
	static const char program[] = "/x\nprefetch program=forged\033[2J";
	const struct plan_header header = {0};
	const struct plan_view plan = {.header = &header, .strings = program};

	prefetch_log(&plan, &(struct prefetch_options){0}, &(struct prefetch_result){0});
	assert_log(
		"prefetch program=/x?prefetch program=forged?[2J engine=auto opened=0 stale=0 missing=0 refused=0 "
		"asked=0 skipped=0 opened_us=0 elapsed_us=0 alongside=0 read=unknown swept=0\n");
}

static void a_relative_path_is_no_log(void **state)
{
	setenv("HEADSTART_LOG", "log", 1);
	whole_mode_log(&(struct whole_mode_result){0});
	assert_int_equal(access("log", F_OK), -1);
}

static void a_stale_plan_is_marked_beside_it(void **state)
{
	_cleanup_close_ int fd = make_file("a.plan");
	char plan[64], path[PATH_MAX];
	struct stat mark;

	strcat(strcpy(plan, *state), "/a.plan");
	assert_true(plan_mark_stale(plan));
	assert_int_equal(stat("a.plan.stale", &mark), 0);
	assert_int_equal(mark.st_mode & 0777, 0600); /* strangers could lock it otherwise */
	assert_true(plan_mark_stale(plan));
	assert_int_equal(unlink("a.plan.stale"), 0);
	assert_true(plan_mark_stale_open(fd, path));
	assert_string_equal(path, plan);
	assert_int_equal(access("a.plan.stale", F_OK), 0);
}

static void a_mark_is_locked_by_one_at_a_time(void **state)
{
	_cleanup_close_ int plan_fd = make_file("a.plan");
	_cleanup_close_ int second = -1;
	char plan[64];
	int first;

	strcat(strcpy(plan, *state), "/a.plan");
	assert_int_equal(plan_mark_lock(plan), -ENOENT);
	assert_int_equal(access("a.plan.stale", F_OK), -1);
	assert_true(plan_mark_stale(plan));
	first = plan_mark_lock(plan);
	assert_true(first >= 0);
	assert_int_equal(plan_mark_lock(plan), -EWOULDBLOCK);
	close(first);
	second = plan_mark_lock(plan);
	assert_true(second >= 0);
	assert_int_equal(unlink("a.plan.stale"), 0);
	assert_int_equal(symlink("a.plan", "a.plan.stale"), 0);
	assert_int_equal(plan_mark_lock(plan), -ELOOP);
}

static void a_plan_that_was_replaced_is_not_marked(void **state)
{
	_cleanup_close_ int fd = make_file("a.plan");
	char path[PATH_MAX];

	assert_int_equal(publish_file("a.plan", 0644, "new", 3), 0);
	assert_false(plan_mark_stale_open(fd, path));
	assert_int_equal(unlink("a.plan"), 0);
	assert_false(plan_mark_stale_open(fd, path));
	assert_int_equal(access("a.plan.stale", F_OK), -1);
	assert_false(plan_mark_stale("/no/such/folder/a.plan"));
}

static void a_list_tells_the_program_that_wrote_it(void **state)
{
	_cleanup_close_ int fd = make_file("list");
	char path[PATH_MAX], own[PATH_MAX] = "";
	struct object_list list = {0};

	assert_int_equal(object_list_writer(fd, path), -ENODATA);
	assert_int_equal(write_full(fd, &list, sizeof(list)), 0);
	assert_int_equal(object_list_writer(fd, path), -ENOENT); /* there is no process 0 */
	list.pid = (uint32_t)getpid();
	assert_int_equal(pwrite(fd, &list, sizeof(list), 0), sizeof(list));
	assert_int_equal(object_list_writer(fd, path), 0);
	assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
	assert_string_equal(path, own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines_are_appended, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_range_names_its_file_at_the_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_path_makes_no_line_of_its_own, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_program_makes_no_line_of_its_own, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_relative_path_is_no_log, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_stale_plan_is_marked_beside_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_mark_is_locked_by_one_at_a_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_plan_that_was_replaced_is_not_marked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_list_tells_the_program_that_wrote_it, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
