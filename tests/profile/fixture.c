/* SPDX-License-Identifier: MIT */
/* Profiles in memory for the unit tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/strings.h"
#include "elf/landmarks.h"
#include "fixture.h"
#include "profile/metadata.h"

struct profile fixture_empty(void)
{
	struct profile profile = {
		.command = strdup("app --start"),
		.program = strdup("/opt/app/bin/app"),
		.kernel = strdup("6.18.0"),
		.device = strdup("loop0 rotational"),
		.milestone = strdup("exit"),
		.folder = strdup("/home/ann"),
		.rule = strdup("all"),
		.asked_path = strdup(""),
		.asked = 0x0123456789abcdef,
		.recorded = 1000,
		.page_size = 4096,
		.runs = 1,
		.backend = PROFILE_BACKEND_FILEMAP,
	};

	assert_int_equal(profile_set_arguments(&profile, (const char *[]){"app", "--start", NULL}), 0);
	return profile;
}

void fixture_ranges(struct profile *profile, const char *path, const struct profile_range *ranges)
{
	size_t index;

	assert_int_equal(profile_add_file(profile, path, PROFILE_REGULAR, &index), 0);
	profile->files[index].order = ranges->order;
	profile->files[index].size = 1 << 20;
	profile->files[index].mtime = 1700000000123456789;
	for (; ranges->pages > 0; ranges++)
		assert_int_equal(profile_file_add_range(&profile->files[index], *ranges), 0);
}

void fixture_look(struct profile *profile, const char *path, enum profile_kind kind, uint32_t order)
{
	size_t index;

	assert_int_equal(profile_add_file(profile, path, kind, &index), 0);
	profile->files[index].order = order;
}

void fixture_metadata(struct profile *profile, uint64_t file_system, const struct profile_block_range *ranges)
{
	for (; ranges->pages > 0; ranges++)
		assert_int_equal(profile_add_metadata(profile, file_system, *ranges), 0);
}

struct profile fixture_small(void)
{
	struct elf_part parts[] = {{11, 0x1000, 0x4000}, {12, 0x5000, 0x8000}};
	struct elf_landmark marks[] = {{21, 0x1010}, {22, 0x1010}, {21, 0x5020}};
	const struct elf_landmarks landmarks = {.parts = parts, .n_parts = 2, .marks = marks, .n_marks = 3};
	struct profile profile = fixture_empty();
	struct profile_file *app;

	fixture_look(&profile, "/opt/app/bin", PROFILE_DIRECTORY, 0);
	fixture_look(&profile, "/opt/app/lib/libapp.so.1", PROFILE_SYMLINK, 7);
	fixture_ranges(
		&profile, "/opt/app/bin/app", (struct profile_range[]){{0, 4, 1, 1}, {10, 2, 5, 1}, {0}});
	fixture_ranges(&profile, "/opt/app/lib/libapp.so.1.2",
		(struct profile_range[]){{20, 5, 8, 1}, {3, 2, 13, 1}, {25, 1, 20, 1}, {0}});
	fixture_ranges(&profile, "/opt/app/bin/helper", (struct profile_range[]){{0, 5, 15, 1}, {0}});
	assert_int_equal(profile_add_exec(&profile, "/opt/app/bin/app", 0), 0);
	assert_int_equal(profile_add_exec(&profile, "/opt/app/bin/helper", 15), 0);
	app = fixture_file(&profile, "/opt/app/bin/app");
	memcpy(app->build_id, "0123456789abcdefghij", 20);
	app->build_id_size = 20;
	assert_int_equal(elf_landmarks_add(&app->landmarks, &landmarks), 0);
	fixture_metadata(&profile, 7, (struct profile_block_range[]){{100, 4}, {0, 1}, {200, 2}, {0}});
	fixture_metadata(&profile, 5, (struct profile_block_range[]){{UINT32_MAX - 1, 1}, {0}});
	assert_int_equal(profile_finish(&profile), 0);
	return profile;
}

struct profile_file *fixture_file(const struct profile *profile, const char *path)
{
	for (size_t i = 0; i < profile->n_files; i++)
		if (streq(profile->files[i].path, path))
			return &profile->files[i];
	fail_msg("no file '%s'", path);
	return NULL;
}

void fixture_assert_ranges(
	const struct profile *profile, const char *path, const struct profile_range *expected)
{
	const struct profile_file *file = fixture_file(profile, path);
	size_t n = 0;

	for (; expected[n].pages > 0; n++) {
		assert_true(n < file->n_ranges);
		assert_int_equal(file->ranges[n].page, expected[n].page);
		assert_int_equal(file->ranges[n].pages, expected[n].pages);
		assert_int_equal(file->ranges[n].order, expected[n].order);
		assert_int_equal(file->ranges[n].runs, expected[n].runs);
	}
	assert_int_equal(file->n_ranges, n);
}
