/* SPDX-License-Identifier: MIT */
/* Unit tests of what a profile tells of the content of files that not everybody may read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "elf/landmarks.h"
#include "profile/functions.h"
#include "profile/updates/closed.h"
#include "tree.h"

/* Two files in a folder, with landmarks and with functions; and one of which nothing is told. */
struct start {
	char folder[PATH_MAX], told[PATH_MAX + 8], called[PATH_MAX + 8], other[PATH_MAX + 8];
	struct profile profile;
};

static void put_file(struct start *start, char *path, const char *name, size_t *ret_index)
{
	FILE *file;

	snprintf(path, PATH_MAX + 8, "%s/%s", start->folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(profile_add_file(&start->profile, path, PROFILE_REGULAR, ret_index), 0);
}

static void begin(struct start *start)
{
	static struct elf_part part = {1, 0, 100};
	const struct elf_landmarks landmarks = {.parts = &part, .n_parts = 1};
	size_t index, object;

	*start = (struct start){.folder = "/tmp/headstart-closed.XXXXXX"};
	assert_non_null(mkdtemp(start->folder));
	assert_int_equal(chmod(start->folder, 0755), 0);
	put_file(start, start->other, "other", &index);
	put_file(start, start->told, "told", &index);
	assert_int_equal(elf_landmarks_add(&start->profile.files[index].landmarks, &landmarks), 0);
	put_file(start, start->called, "called", &index);
	start->profile.functions = calloc(1, sizeof(*start->profile.functions));
	for (const char *path = start->called; path; path = path == start->called ? start->other : NULL) {
		assert_int_equal(profile_functions_add_object(
					 start->profile.functions, path, (const uint8_t *)"", 0, &object),
			0);
		assert_int_equal(profile_functions_add_call(start->profile.functions, object, 7, NULL), 0);
	}
	profile_functions_finish(start->profile.functions);
}

static void end(struct start *start)
{
	profile_release(&start->profile);
	assert_int_equal(tree_remove(start->folder), 0);
}

static void files_that_everybody_reads_are_told_of(void **state)
{
	struct start start;

	begin(&start);
	assert_true(profile_tells_everybody(&start.profile));
	for (const char *path = start.told; path; path = path == start.told ? start.called : NULL) {
		assert_int_equal(chmod(path, 0711), 0);
		assert_false(profile_tells_everybody(&start.profile));
		assert_int_equal(chmod(path, 0644), 0);
	}
	assert_int_equal(chmod(start.folder, 0750), 0);
	assert_false(profile_tells_everybody(&start.profile));
	assert_int_equal(chmod(start.folder, 0711), 0);
	assert_true(profile_tells_everybody(&start.profile));
	assert_int_equal(unlink(start.told), 0);
	assert_false(profile_tells_everybody(&start.profile));
	assert_int_equal(symlink(start.called, start.told), 0);
	assert_false(profile_tells_everybody(&start.profile));
	end(&start);
}

static void what_is_closed_is_forgotten(void **state)
{
	struct start start;
	uint8_t closed[8] = {1, 1, 1, 1, 1, 1, 1, 1};

	begin(&start);
	assert_int_equal(profile_closed_places(&start.profile), 5);
	profile_find_closed(&start.profile, closed);
	assert_memory_equal(closed, ((uint8_t[]){0, 0, 0, 0, 0, 1}), 6);
	assert_int_equal(unlink(start.told), 0);
	assert_int_equal(unlink(start.called), 0);
	profile_find_closed(&start.profile, closed);
	assert_memory_equal(closed, ((uint8_t[]){0, 1, 0, 1, 0}), 5);
	assert_int_equal(profile_forget_closed(&start.profile, closed), 0);
	assert_int_equal(profile_functions_check(start.profile.functions), 0);
	assert_int_equal(start.profile.functions->n_objects, 1);
	assert_string_equal(start.profile.functions->objects[0].path, start.other);
	assert_null(start.profile.files[1].landmarks);
	assert_int_equal(start.profile.n_files, 3);
	end(&start);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_that_everybody_reads_are_told_of),
		cmocka_unit_test(what_is_closed_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
