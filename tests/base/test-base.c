/* SPDX-License-Identifier: MIT */
/* Unit tests of src/base: range arithmetic, arrays, string tables, whole-file reads, folders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"

static void ranges_fit_without_overflow(void **state)
{
	assert_true(range_fits(0, 0, 0));
	assert_true(range_fits(10, 0, 10));
	assert_true(range_fits(4, 6, 10));
	assert_false(range_fits(4, 7, 10));
	assert_false(range_fits(11, 0, 10));
	assert_false(range_fits(UINT64_MAX, 2, 10));
	assert_false(range_fits(2, UINT64_MAX, 10));
	assert_true(table_fits(8, 2, 16, 40));
	assert_false(table_fits(8, 2, 17, 40));
	assert_false(table_fits(8, UINT64_MAX / 2, 16, UINT64_MAX));
}

static void arrays_grow_and_refuse_overflow(void **state)
{
	_cleanup_free_ uint64_t *items = NULL;
	size_t capacity = 0;

	assert_int_equal(ARRAY_RESERVE(items, capacity, 1), 0);
	assert_true(capacity >= 1);
	items[0] = 7;
	assert_int_equal(ARRAY_RESERVE(items, capacity, 1000), 0);
	assert_true(capacity >= 1000);
	assert_int_equal(items[0], 7);
	assert_int_equal(ARRAY_RESERVE(items, capacity, SIZE_MAX / 4), -EOVERFLOW);
	assert_int_equal(items[0], 7);
}

static void string_tables_give_offsets(void **state)
{
	_cleanup_(string_table_releasep) struct string_table table = {0};
	uint32_t a, b;

	assert_int_equal(string_table_add(&table, "one", &a), 0);
	assert_int_equal(string_table_add(&table, "", &b), 0);
	assert_int_equal(a, 0);
	assert_int_equal(b, 4);
	assert_int_equal(table.size, 5);
	assert_string_equal(table.data + a, "one");
}

static void numbers_stand_behind_a_key_at_the_start_of_a_line(void **state)
{
	static const char text[] =
		"Mem: 1 kB\nMemAvailable:\t 4000 kB\nlimit max\nsigned -5\n"
		"large 18446744073709551615\nlarger 18446744073709551616\nlast 7";
	uint64_t number = 0;

	assert_true(number_of_line(text, "MemAvailable:", &number));
	assert_int_equal(number, 4000);
	assert_true(number_of_line(text, "large ", &number));
	assert_true(number == UINT64_MAX);
	assert_true(number_of_line(text, "last", &number));
	assert_int_equal(number, 7);
	assert_true(number_of_line("12\n", "", &number));
	assert_int_equal(number, 12);
	assert_false(number_of_line(text, "Available:", &number));
	assert_false(number_of_line(text, "limit", &number));
	assert_false(number_of_line(text, "signed", &number));
	assert_false(number_of_line(text, "larger", &number));
	assert_false(number_of_line("max\n1\n", "", &number));
	assert_false(number_of_line("", "", &number));
	assert_int_equal(number, 12);
}

static void reading_is_bounded_and_never_waits(void **state)
{
	char folder[] = "/tmp/headstart-base-XXXXXX";
	_cleanup_free_ char *path = NULL, *data = NULL;
	size_t size = 0;
	int fd;

	assert_non_null(mkdtemp(folder));
	assert_true(asprintf(&path, "%s/file", folder) > 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(read_file(path, 100, &data, &size), -EINVAL);
	unlink(path);
	assert_int_equal(read_file(path, 100, &data, &size), -ENOENT);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	assert_int_equal(write_full(fd, "12345", 5), 0);
	close(fd);
	assert_int_equal(read_file(path, 4, &data, &size), -EFBIG);
	assert_null(data);
	assert_int_equal(read_file(folder, 100, &data, &size), -EISDIR);
	assert_int_equal(read_pseudo_file("/proc/self/status", 1 << 20, &data, &size), 0);
	assert_true(size > 100 && data[size] == '\0');
	unlink(path);
	rmdir(folder);
}

static void reading_goes_on_from_the_descriptor_or_from_an_offset(void **state)
{
	FILE *file = tmpfile();
	char data[8] = "";
	int fd;

	assert_non_null(file);
	fd = fileno(file);
	assert_int_equal(write_full(fd, "abcdef", 6), 0);
	assert_int_equal(lseek(fd, 1, SEEK_SET), 1);
	assert_int_equal(pread_full(fd, data, 3, 2), 3);
	assert_memory_equal(data, "cde", 3);
	assert_int_equal(read_full(fd, data, 2), 2);
	assert_memory_equal(data, "bc", 2);
	assert_int_equal(pread_full(fd, data, sizeof(data), 4), 2);
	assert_memory_equal(data, "ef", 2);
	assert_int_equal(read_full(fd, data, sizeof(data)), 3);
	assert_memory_equal(data, "def", 3);
	assert_int_equal(pread_full(fd, data, 1, 6), 0);
	assert_int_equal(pread_full(fd, data, 1, -1), -EINVAL);
	fclose(file);
}

static bool no_memory;

DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd)
{
	if (!no_memory)
		return __real_fdopendir(fd);
	errno = ENOMEM;
	return NULL;
}

static int next_descriptor(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(fd);
	return fd;
}

static void folders_are_opened_or_nothing_is(void **state)
{
	_cleanup_closedir_ DIR *folder = NULL;
	int next = next_descriptor();

	assert_int_equal(opendir_at(AT_FDCWD, "/dev/null", &folder), -ENOTDIR);
	assert_int_equal(opendir_at(-1, "self", &folder), -EBADF);
	no_memory = true;
	assert_int_equal(opendir_at(AT_FDCWD, "/proc", &folder), -ENOMEM);
	no_memory = false;
	assert_null(folder);
	assert_int_equal(next_descriptor(), next);
	assert_int_equal(opendir_at(AT_FDCWD, "/proc", &folder), 0);
	assert_non_null(readdir(folder));
}

static void bisecting_finds_the_first_place_behind(void **state)
{
	const int items[] = {1, 3, 3, 7};
	const size_t expected[] = {0, 0, 1, 1, 3, 3, 3, 3, 4};

	for (int least = 0; least < 9; least++)
		assert_int_equal(ARRAY_BISECT(i, 4, items[i] < least), expected[least]);
	assert_int_equal(ARRAY_BISECT(i, 0, items[i] < 9), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_fit_without_overflow),
		cmocka_unit_test(arrays_grow_and_refuse_overflow),
		cmocka_unit_test(string_tables_give_offsets),
		cmocka_unit_test(numbers_stand_behind_a_key_at_the_start_of_a_line),
		cmocka_unit_test(reading_is_bounded_and_never_waits),
		cmocka_unit_test(reading_goes_on_from_the_descriptor_or_from_an_offset),
		cmocka_unit_test(folders_are_opened_or_nothing_is),
		cmocka_unit_test(bisecting_finds_the_first_place_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
