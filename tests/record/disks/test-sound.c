/* SPDX-License-Identifier: MIT */
/* Unit test of what the recorder reads to measure a disk: how large the files of the start are must not matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "record/disks/sound.h"

#define SIZE    (64ll << 30) /* bytes of a file without content, whose 16 Mi pages are a byte each */
#define FILES   8
#define KIB_MAX (64l << 10)

static long most_memory(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

/* Not below /tmp, which may lie in memory. Returns false if the file system has no such files, or no direct reads. */
static bool add_large(struct record_files *files)
{
	_cleanup_free_ char *folder = realpath(".", NULL);
	struct record_file *file;
	_cleanup_close_ int fd = -1;
	struct stat status;

	assert_non_null(folder);
	assert_int_equal(record_files_add(files, &file), 0);
	*file = (struct record_file){.kind = PROFILE_REGULAR, .by_tree = true};
	assert_true(asprintf(&file->path, "%s/sound.XXXXXX", folder) > 0);
	fd = mkstemp(file->path);
	if (fd < 0 || fstat(fd, &status) < 0)
		return false;
	file->inode = status.st_ino;
	return ftruncate(fd, SIZE) == 0 && fcntl(fd, F_SETFL, O_DIRECT) == 0;
}

static void large_files_take_little_memory(void **state)
{
	_cleanup_(record_files_release) struct record_files files = {0};
	bool can = true;
	long before;

	for (int i = 0; can && i < FILES; i++)
		can = add_large(&files);
	before = most_memory();
	if (can)
		sound_disks(&files);
	for (size_t i = 0; i < files.count; i++)
		unlink(files.items[i].path);
	if (!can)
		skip();
	assert_in_range(most_memory() - before, 0, KIB_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_files_take_little_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
