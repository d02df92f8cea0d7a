/* SPDX-License-Identifier: MIT */
/* Unit tests of which plans follow the files that were placed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "place/planned.h"
#include "plan/build/build.h"
#include "profile/updates/staleness.h"
#include "replace/publish.h"
#include "tree.h"

static char folder[] = "/tmp/headstart-planned.XXXXXX";

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	return tree_remove(folder);
}

static const char *path_of(const char *name)
{
	return tree_path(folder, name);
}

static void put_file(const char *name)
{
	_cleanup_close_ int fd = open(path_of(name), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 40960), 0);
}

/* Publishes a plan of that program, which touches two files, under that name. */
static void put_plan(const char *name, const char *program, const char *one, const char *other)
{
	_cleanup_(profile_releasep) struct profile profile = {
		.program = strdup(program), .page_size = (uint32_t)sysconf(_SC_PAGESIZE), .runs = 1};
	const struct plan_options options = {.device = DEVICE_ROTATIONAL};
	const char *const files[] = {one, other};
	_cleanup_free_ void *data = NULL;
	struct plan_summary summary;
	size_t size;

	for (uint32_t i = 0; i < 2; i++) {
		size_t index;

		assert_int_equal(profile_add_file(&profile, path_of(files[i]), PROFILE_REGULAR, &index), 0);
		assert_int_equal(profile_file_identify(&profile.files[index]), 0);
		assert_int_equal(
			profile_file_add_range(&profile.files[index],
				(struct profile_range){.page = 1, .pages = 2, .order = i, .runs = 1}),
			0);
	}
	assert_int_equal(plan_build(&profile, &options, &data, &size, &summary), 0);
	assert_int_equal(publish_file(path_of(name), 0600, data, size), 0);
}

/* A record with the file that is called "placed". */
static struct place_record make_record(void)
{
	struct place_record record = {0};
	struct placed_file *file;

	assert_int_equal(place_record_add_program(&record, "/usr/bin/first"), 0);
	assert_int_equal(place_record_add_file(&record, path_of("placed"), 7, &file), 0);
	assert_int_equal(placed_file_add(file, 0, 4096, 81920), 0);
	return record;
}

static void put_store(void)
{
	put_file("placed");
	put_file("other");
	put_file("third");
	put_plan("first-1.plan", "/usr/bin/first", "other", "placed");
	put_plan("second-1.plan", "/usr/bin/second", "placed", "third");
	put_plan("third-1.plan", "/usr/bin/third", "other", "third");
}

static bool has(const struct place_programs *programs, const char *program)
{
	for (size_t i = 0; i < programs->n; i++)
		if (streq(programs->items[i], program))
			return true;
	return false;
}

static void find(struct place_programs *ret)
{
	_cleanup_(place_record_releasep) struct place_record record = make_record();

	*ret = (struct place_programs){0};
	assert_int_equal(place_find_planned(folder, &record, ret), 0);
}

static void plans_of_all_programs_that_name_a_placed_file_are_found(void **state)
{
	_cleanup_(place_programs_releasep) struct place_programs programs;

	put_store();
	find(&programs);
	assert_int_equal(programs.n, 2);
	assert_true(has(&programs, "/usr/bin/first"));
	assert_true(has(&programs, "/usr/bin/second"));
}

/* A program may have plans for certain starts, and the one that leads to them may name nothing. */
static void plans_of_certain_starts_count_for_their_program_once(void **state)
{
	_cleanup_(place_programs_releasep) struct place_programs programs;

	put_store();
	put_plan("third-1@0123456789abcdef.plan", "/usr/bin/third", "third", "placed");
	put_plan("third-1@fedcba9876543210.plan", "/usr/bin/third", "placed", "other");
	find(&programs);
	assert_int_equal(programs.n, 3);
	assert_true(has(&programs, "/usr/bin/third"));
	assert_int_equal(unlink(path_of("third-1@0123456789abcdef.plan")), 0);
	assert_int_equal(unlink(path_of("third-1@fedcba9876543210.plan")), 0);
}

static void what_is_no_good_plan_is_passed_over(void **state)
{
	_cleanup_(place_programs_releasep) struct place_programs programs;

	put_store();
	assert_int_equal(truncate(path_of("second-1.plan"), 100), 0);
	assert_int_equal(symlink("first-1.plan", path_of("sign-1.plan")), 0);
	assert_int_equal(mkdir(path_of("folder.plan"), 0700), 0);
	assert_int_equal(mkfifo(path_of("fifo.plan"), 0600), 0);
	assert_int_equal(publish_file(path_of("text.plan"), 0600, "no plan", 7), 0);
	find(&programs);
	assert_int_equal(programs.n, 1);
	assert_true(has(&programs, "/usr/bin/first"));
}

static void without_a_folder_or_a_record_there_is_no_plan(void **state)
{
	_cleanup_(place_programs_releasep) struct place_programs programs = {0};
	_cleanup_(place_record_releasep) struct place_record record = make_record(), empty = {0};

	put_store();
	assert_int_equal(place_find_planned("/nonexistent/folder", &record, &programs), 0);
	assert_int_equal(place_find_planned(folder, &empty, &programs), 0);
	assert_int_equal(programs.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_of_all_programs_that_name_a_placed_file_are_found),
		cmocka_unit_test(plans_of_certain_starts_count_for_their_program_once),
		cmocka_unit_test(what_is_no_good_plan_is_passed_over),
		cmocka_unit_test(without_a_folder_or_a_record_there_is_no_plan),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
