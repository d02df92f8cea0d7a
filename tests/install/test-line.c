/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of the line in a file like /etc/ld.so.preload: it is taken back if programs fail with it; and of what
 * status shows of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "replace/publish.h"
#include "setup/system/line.h"
#include "tree.h"

#define NAME "/usr/$LIB/libours.so"

struct fixture {
	char folder[32], path[64], record[64], library[64];
	struct system_line line;
	struct preload_file before;
};

static unsigned
	folders_written; /* while it counts: that of the record, then those of a disk that has begun to fail */
static bool disk_fails;

int fsync(int fd)
{
	struct stat st;

	if (disk_fails && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && folders_written++ > 0) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_fsync, fd);
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	strcpy(fixture->folder, "/tmp/headstart-test.XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	snprintf(fixture->path, sizeof(fixture->path), "%s/preload", fixture->folder);
	snprintf(fixture->record, sizeof(fixture->record), "%s/record", fixture->folder);
	snprintf(fixture->library, sizeof(fixture->library), "%s/library", fixture->folder);
	fixture->line = (struct system_line){fixture->path, NAME, fixture->record};
	assert_int_equal(publish_file(fixture->path, 0644, "/other.so\n", 10), 0);
	assert_int_equal(publish_file(fixture->library, 0644, "", 0), 0);
	assert_int_equal(preload_file_read(fixture->path, &fixture->before), 0);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	preload_file_release(&fixture->before);
	assert_int_equal(tree_remove(fixture->folder), 0);
	free(fixture);
	return 0;
}

static enum system_outcome write_line(struct fixture *fixture, const struct loader *loaders, size_t n_loaders)
{
	enum system_outcome outcome;
	const char *culprit;

	assert_int_equal(
		system_line_write(&fixture->line, &fixture->before, loaders, n_loaders, &outcome, &culprit),
		0);
	return outcome;
}

static void assert_file(const struct fixture *fixture, const char *wanted)
{
	_cleanup_free_ char *text = NULL;
	size_t size;

	assert_int_equal(read_file(fixture->path, 4096, &text, &size), 0);
	assert_string_equal(text, wanted);
}

static void a_line_that_harms_nothing_stays(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(write_line(fixture, NULL, 0), SYSTEM_WRITTEN);
	assert_file(fixture, "/other.so\n" NAME "\n");
	assert_int_equal(access(fixture->record, F_OK), 0);
}

/* libc.so.6 is started as a program; this one prints something on standard error. */
static void a_line_with_which_programs_fail_is_taken_back(void **state)
{
	struct fixture *fixture = *state;
	const struct loader loader = {
		.path = (char *)"/bin/true",
		.lib = fixture->folder + 1,
		.kind = {ELFCLASS64, ELFDATA2LSB, EM_X86_64},
	};
	char libc[64];

	snprintf(libc, sizeof(libc), "%s/libc.so.6", fixture->folder);
	assert_int_equal(publish_file(libc, 0755, "#!/bin/sh\necho broken >&2\n", 26), 0);
	assert_int_equal(write_line(fixture, &loader, 1), SYSTEM_TAKEN_BACK);
	assert_file(fixture, "/other.so\n");
	assert_int_equal(access(fixture->record, F_OK), -1);
}

static void a_line_of_which_the_disk_does_not_tell_is_taken_back(void **state)
{
	struct fixture *fixture = *state;
	enum system_outcome outcome;
	const char *culprit;
	int r;

	disk_fails = true;
	r = system_line_write(&fixture->line, &fixture->before, NULL, 0, &outcome, &culprit);
	disk_fails = false;
	assert_int_equal(r, -EIO);
	assert_string_equal(culprit, fixture->path);
	assert_int_equal(outcome, SYSTEM_TAKEN_BACK);
	assert_file(fixture, "/other.so\n");
}

static void what_users_can_see_of_the_line_is_told(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(system_state_of(&fixture->line, fixture->library), SYSTEM_NOTHING);
	assert_int_equal(write_line(fixture, NULL, 0), SYSTEM_WRITTEN);
	assert_int_equal(system_state_of(&fixture->line, fixture->library), SYSTEM_INSTALLED);
	assert_int_equal(chmod(fixture->path, 0600), 0);
	assert_int_equal(system_state_of(&fixture->line, fixture->library), SYSTEM_NOT_FOR_ALL);
	assert_int_equal(unlink(fixture->library), 0);
	assert_int_equal(system_state_of(&fixture->line, fixture->library), SYSTEM_MISSING_LIBRARY);
	assert_int_equal(unlink(fixture->path), 0);
	assert_int_equal(system_state_of(&fixture->line, fixture->library), SYSTEM_NOTHING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_line_that_harms_nothing_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_line_with_which_programs_fail_is_taken_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_line_of_which_the_disk_does_not_tell_is_taken_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_users_can_see_of_the_line_is_told, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
