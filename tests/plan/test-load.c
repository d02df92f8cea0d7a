/* SPDX-License-Identifier: MIT */
/* Unit tests of reading a plan: what is no plan, or not a whole one, is told from what is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "make-plan.h"
#include "plan/store/load.h"
#include "replace/publish.h"
#include "tree.h"

struct fixture {
	char folder[300];
	char path[400];
	char *data; /* owned: a plan */
	size_t size;
};

static int set_up(void **state)
{
	struct plan_maker maker = {.window_pages = 32, .program = "/bin/true"};
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	snprintf(fixture->folder, sizeof(fixture->folder), "load-XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	snprintf(fixture->path, sizeof(fixture->path), "%s/plan", fixture->folder);
	plan_maker_whole(&maker, plan_maker_add(&maker, "/bin/true"));
	fixture->data = plan_maker_finish(&maker, &fixture->size);
	plan_maker_release(&maker);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	int r = tree_remove(fixture->folder);

	free(fixture->data);
	free(fixture);
	return r;
}

static enum plan_fault fault_of(const struct fixture *fixture, const void *data, size_t size)
{
	_cleanup_(loaded_plan_releasep) struct loaded_plan plan = {0};
	enum plan_fault fault = PLAN_GOOD;
	int r;

	assert_int_equal(publish_file(fixture->path, 0600, data, size), 0);
	r = plan_load_path(fixture->path, &plan, &fault);
	assert_int_equal(r, fault == PLAN_GOOD ? 0 : -EBADMSG);
	assert_int_equal(plan.data != NULL, r == 0);
	return fault;
}

static void plans_are_checked_before_use(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(fault_of(fixture, fixture->data, fixture->size), PLAN_GOOD);
	assert_int_equal(fault_of(fixture, fixture->data, fixture->size - 1), PLAN_TRUNCATED);
	assert_int_equal(fault_of(fixture, fixture->data, 0), PLAN_FOREIGN);
	assert_int_equal(fault_of(fixture, "#!/bin/sh\n", 10), PLAN_FOREIGN);
	fixture->data[fixture->size - 2] ^= 1;
	assert_int_equal(fault_of(fixture, fixture->data, fixture->size), PLAN_DAMAGED);
}

static void where_the_descriptor_stands_does_not_matter(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_(loaded_plan_releasep) struct loaded_plan plan = {0};
	enum plan_fault fault;
	_cleanup_close_ int fd = -1;

	assert_int_equal(publish_file(fixture->path, 0600, fixture->data, fixture->size), 0);
	fd = open(fixture->path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(lseek(fd, 5, SEEK_SET), 5);
	assert_int_equal(plan_load(fd, &plan, &fault), 0);
	assert_string_equal(plan_program(&plan.view), "/bin/true");
}

static void only_a_regular_file_is_read(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_close_ int folder = open(fixture->folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	struct loaded_plan plan;
	enum plan_fault fault;

	assert_int_equal(plan_load(folder, &plan, &fault), -EINVAL);
	assert_int_equal(plan_load_path(fixture->folder, &plan, NULL), -EISDIR);
	assert_int_equal(plan_load_path(fixture->path, &plan, NULL), -ENOENT);
	assert_int_equal(mkfifo(fixture->path, 0600), 0);
	assert_int_equal(plan_load_path(fixture->path, &plan, NULL), -EINVAL);
}

static void a_file_that_is_too_large_for_a_plan_is_not_read(void **state)
{
	struct fixture *fixture = *state;
	struct loaded_plan plan;

	assert_int_equal(publish_file(fixture->path, 0600, fixture->data, fixture->size), 0);
	assert_int_equal(truncate(fixture->path, (off_t)PLAN_FILE_MAX + 1), 0);
	assert_int_equal(plan_load_path(fixture->path, &plan, NULL), -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(plans_are_checked_before_use, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			where_the_descriptor_stands_does_not_matter, set_up, tear_down),
		cmocka_unit_test_setup_teardown(only_a_regular_file_is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_file_that_is_too_large_for_a_plan_is_not_read, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
