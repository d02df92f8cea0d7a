/* SPDX-License-Identifier: MIT */
/* Unit tests: which files are in a list, by which paths, and what each format makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "export/export.h"

#define PAGE 4096u

/* A profile that borrows its files. */
static struct profile profile_of(struct profile_file *files, size_t n)
{
	return (struct profile){.page_size = PAGE, .files = files, .n_files = n};
}

#define FILE_OF(name, table)                                                                                 \
	{                                                                                                    \
		.path = (char *)(name), .size = 10000, .ranges = (table),                                    \
		.n_ranges = sizeof(table) / sizeof(*(table))                                                 \
	}

/* What the list of a format and a root is; the caller frees it. */
static char *exported(const struct profile *profile, enum export_format format, const char *root)
{
	_cleanup_(export_list_releasep) struct export_list list = {0};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(export_list_build(profile, format, root, &list), 0);
	assert_int_equal(export_write(out, &list), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static uint64_t bytes_of(const struct profile *profile)
{
	_cleanup_(export_list_releasep) struct export_list list = {0};

	assert_int_equal(export_list_build(profile, EXPORT_RANGES, NULL, &list), 0);
	return export_list_bytes(&list);
}

static void assert_exported(
	const struct profile *profile, enum export_format format, const char *root, const char *expected)
{
	_cleanup_free_ char *text = exported(profile, format, root);

	assert_string_equal(text, expected);
}

static void each_format_has_its_syntax(void **state)
{
	struct profile_range one[] = {{0, 1, 4, 1}, {2, 1, 1, 1}}, two[] = {{1, 1, 2, 1}};
	struct profile_file files[] = {FILE_OF("/a b/c\\d", one),
		{.path = (char *)"/a b", .kind = PROFILE_DIRECTORY}, {.path = (char *)"/only/looked/at"},
		FILE_OF("/e\"f", two)};
	struct profile profile = profile_of(files, 4);
	_cleanup_free_ char *batch = NULL;

	assert_exported(&profile, EXPORT_ESTARGZ, NULL, "{\"path\":\"a b/c\\\\d\"}\n{\"path\":\"e\\\"f\"}\n");
	assert_exported(&profile, EXPORT_NYDUS, NULL, "/a b/c\\d\n/e\"f\n");
	assert_exported(&profile, EXPORT_SOCI, NULL, "[\n\"/a b/c\\\\d\",\n\"/e\\\"f\"\n]\n");
	assert_exported(&profile, EXPORT_CVMFS, NULL,
		"{\"name\":\"CVMFS_BUNDLE\",\"version\":\"1.0.0\",\"encoding\":\"UTF-8\",\"dependencies\":[\n"
		"\"/a b/c\\\\d\",\n\"/e\\\"f\"\n]}\n");
	assert_exported(&profile, EXPORT_MKSQUASHFS, NULL, "a\\ b/c\\\\d 32767\ne\"f 32766\n");
	assert_exported(&profile, EXPORT_RANGES, NULL,
		"8192 1808 /a b/c\\134d\n4096 4096 /e\"f\n0 4096 /a b/c\\134d\n");
	assert_int_equal(
		bytes_of(&profile), 4096 + 1808 + 4096); /* the last page of the first file is not full */
	batch = exported(&profile, EXPORT_VMTOUCH, NULL);
	assert_memory_equal(batch, "/a b/c\\d\0/e\"f\0", 15);
}

/* The start was recorded from outside of the image, in which the files lie elsewhere than here. */
static void root_of_paths_below_it_is_cut_off(void **state)
{
	struct profile_range range[] = {{0, 1, 0, 1}};
	struct profile_file files[] = {FILE_OF("/image/bin/app", range), FILE_OF("/imagery", range),
		FILE_OF("/etc/ld.so.cache", range)};
	struct profile profile = profile_of(files, 3);
	_cleanup_(export_list_releasep) struct export_list list = {0};

	assert_exported(&profile, EXPORT_NYDUS, "/image", "/bin/app\n");
	assert_exported(&profile, EXPORT_RANGES, "/image", "0 4096 /image/bin/app\n");
	assert_exported(&profile, EXPORT_NYDUS, NULL, "/image/bin/app\n/imagery\n/etc/ld.so.cache\n");
	assert_int_equal(export_list_build(&profile, EXPORT_NYDUS, "/image", &list), 0);
	assert_int_equal(list.outside, 2);
	assert_int_equal(list.n_left_out, 0);
	assert_int_equal(export_list_bytes(&list), PAGE);
}

/* The start was recorded inside the image, so that only this machine has other paths. */
static void root_of_other_paths_is_put_in_front(void **state)
{
	struct profile_range range[] = {{0, 1, 0, 1}};
	struct profile_file files[] = {FILE_OF("/bin/app", range)};
	struct profile profile = profile_of(files, 1);

	assert_exported(&profile, EXPORT_NYDUS, "/image", "/bin/app\n");
	assert_exported(&profile, EXPORT_RANGES, "/image", "0 4096 /image/bin/app\n");
}

/* Whether a format can have the path. If not, nothing of it is written, and the loss is noted. */
static bool takes(enum export_format format, const char *path)
{
	struct profile_range range[] = {{0, 1, 0, 1}};
	struct profile_file files[] = {FILE_OF(path, range)};
	struct profile profile = profile_of(files, 1);
	_cleanup_(export_list_releasep) struct export_list list = {0};

	assert_int_equal(export_list_build(&profile, format, NULL, &list), 0);
	assert_int_equal(list.n_entries + list.n_left_out, 1);
	if (list.n_left_out > 0)
		assert_int_equal(list.left_out[0].why, EXPORT_UNNAMED);
	return list.n_entries > 0;
}

static void paths_that_a_format_cannot_have_are_left_out(void **state)
{
	/* In the order of the formats: which can have it. */
	static const struct {
		const char *path;
		bool taken[EXPORT_FORMATS];
	} table[] = {
		{"/plain-1_2.so", {true, true, true, true, true, true, true, true}},
		{"/libstdc++.so", {true, true, true, false, true, true, true, true}},
		{"/in the middle", {true, true, true, false, true, true, true, true}},
		{"/at the end ", {true, false, false, false, true, true, true, true}},
		{"/at the end\xe3\x80\x80", {true, false, false, false, true, true, true, true}},
		{"/new\nline", {true, false, true, false, true, false, true, true}},
		{"/not \xff utf-8", {false, false, false, false, false, true, true, true}},
		{"/star/*", {true, true, true, false, true, false, true, true}},
		{"/# comment", {true, true, true, false, true, true, true, true}},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		for (enum export_format format = 0; format < EXPORT_FORMATS; format++)
			if (takes(format, table[i].path) != table[i].taken[format])
				fail_msg("%s: %s", export_format_name(format), table[i].path);
}

/* overlaybd reads 65,536 bytes at most. A later file that fits is still taken. */
static void list_is_no_longer_than_the_engine_reads(void **state)
{
	enum { LONG = 4000, N = 20 };
	struct profile_range range[] = {{0, 1, 0, 1}};
	struct profile_file files[N];
	struct profile profile = profile_of(files, N);
	_cleanup_(export_list_releasep) struct export_list list = {0};
	char paths[N][LONG + 1];
	_cleanup_free_ char *text = NULL;

	for (size_t i = 0; i < N; i++) {
		memset(paths[i], 'a' + (int)i, i == N - 1 ? 10 : LONG);
		paths[i][0] = '/';
		paths[i][i == N - 1 ? 10 : LONG] = '\0';
		files[i] = (struct profile_file)FILE_OF(paths[i], range);
	}
	assert_int_equal(export_list_build(&profile, EXPORT_OVERLAYBD, NULL, &list), 0);
	assert_int_equal(list.n_entries, 17);
	assert_int_equal(list.n_left_out, 3);
	assert_int_equal(list.left_out[0].why, EXPORT_BEYOND);
	assert_ptr_equal(list.left_out[0].path, paths[16]);
	assert_string_equal(list.entries[16].path, paths[N - 1]);
	text = exported(&profile, EXPORT_OVERLAYBD, NULL);
	assert_true(strlen(text) <= 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_format_has_its_syntax),
		cmocka_unit_test(root_of_paths_below_it_is_cut_off),
		cmocka_unit_test(root_of_other_paths_is_put_in_front),
		cmocka_unit_test(paths_that_a_format_cannot_have_are_left_out),
		cmocka_unit_test(list_is_no_longer_than_the_engine_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
