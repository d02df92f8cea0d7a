/* SPDX-License-Identifier: MIT */
/* Unit tests of plan_build() on files of its own: what drops out, clipping, determinism, size, compiling anew. */
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
#include <sys/utsname.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"
#include "format/plan-view.h"
#include "plan/build/build.h"
#include "plan/refresh.h"
#include "plan/store/store.h"
#include "profile/file/profile-file.h"
#include "profile/updates/staleness.h"
#include "replace/publish.h"
#include "tree.h"

#define PAGE 4096u

static char folder[] = "/tmp/headstart-build.XXXXXX";
static const struct plan_options solid = {.device = DEVICE_SOLID};

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

static void put_file(const char *name, off_t size)
{
	_cleanup_close_ int fd = open(path_of(name), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
}

/* A profile of `program` recorded here, without files yet. */
static struct profile start_profile(const char *program)
{
	struct utsname here;
	struct profile profile = {
		.command = strdup(program),
		.program = strdup(path_of(program)),
		.device = strdup("test"),
		.milestone = strdup("exit"),
		.page_size = PAGE,
		.runs = 3,
		.backend = PROFILE_BACKEND_SYNTHETIC,
	};

	assert_int_equal(uname(&here), 0);
	profile.kernel = strdup(here.release);
	return profile;
}

/* Adds the file as it is on disk, with the ranges up to one of no pages. */
static void add_file(struct profile *profile, const char *name, enum profile_kind kind, uint32_t order,
	const struct profile_range *ranges)
{
	size_t index;

	assert_int_equal(profile_add_file(profile, path_of(name), kind, &index), 0);
	profile->files[index].order = order;
	assert_int_equal(profile_file_identify(&profile->files[index]), 0);
	for (; ranges && ranges->pages > 0; ranges++)
		assert_int_equal(profile_file_add_range(&profile->files[index], *ranges), 0);
}

/* A plan that was checked, and the report on it. */
struct built {
	void *data;
	size_t size;
	struct plan_summary summary;
	struct plan_view view;
};

static void built_release(struct built *built)
{
	free(built->data);
}

static void build(const struct profile *profile, const struct plan_options *options, struct built *ret)
{
	assert_int_equal(plan_build(profile, options, &ret->data, &ret->size, &ret->summary), 0);
	assert_int_equal(plan_view_init(&ret->view, ret->data, ret->size, checksum64), PLAN_GOOD);
	assert_int_equal(ret->view.file_count, ret->summary.files);
	assert_int_equal(ret->view.extent_count, ret->summary.extents);
}

static void expect_extent(
	const struct built *built, uint32_t i, const char *name, uint32_t page, uint32_t pages)
{
	const struct plan_extent *extent = &built->view.extents[i];

	assert_true(i < built->view.extent_count);
	assert_string_equal(plan_file_path(&built->view, LE32(extent->file)), path_of(name));
	assert_int_equal(LE32(extent->page), page);
	assert_int_equal(LE32(extent->pages), pages);
}

static void a_plan_says_what_the_profile_says(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = start_profile("app");
	_cleanup_(built_release) struct built built = {0};
	struct stat st;

	put_file("app", 10 * PAGE);
	put_file("libx", 100 * PAGE);
	add_file(&profile, "app", PROFILE_REGULAR, 1, (struct profile_range[]){{0, 2, 1, 3}, {0}});
	add_file(&profile, "libx", PROFILE_REGULAR, 3,
		(struct profile_range[]){{50, 3, 3, 3}, {0, 1, 6, 3}, {0}});
	add_file(&profile, ".", PROFILE_DIRECTORY, 0, NULL);
	assert_int_equal(profile_finish(&profile), 0);
	build(&profile, &solid, &built);
	assert_int_equal(built.summary.files, 3);
	assert_int_equal(built.summary.bytes, 6 * PAGE);
	assert_int_equal(built.summary.gap_bytes, 0);
	assert_int_equal(built.summary.stale + built.summary.gone + built.summary.in_memory, 0);
	expect_extent(&built, 0, "app", 0, 2);
	expect_extent(&built, 1, "libx", 50, 3);
	expect_extent(&built, 2, "libx", 0, 1);
	assert_string_equal(built.view.strings + LE32(built.view.header->program), path_of("app"));
	assert_int_equal(LE32(built.view.header->order), PLAN_ORDER_TOUCH);
	assert_int_equal(LE32(built.view.header->page_size), PAGE);
	assert_true(LE32(built.view.header->window_pages) > 0);
	assert_int_equal(LE32(built.view.files[0].kind), PLAN_DIRECTORY);
	assert_int_equal(stat(path_of("libx"), &st), 0);
	assert_int_equal(LE64(built.view.files[2].size), st.st_size);
	assert_int_equal(LE64((uint64_t)built.view.files[2].mtime),
		st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec);
	assert_int_equal(LE64(built.view.files[2].inode), st.st_ino);
}

static void the_head_alone_has_the_probes(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = start_profile("app");
	_cleanup_(built_release) struct built built = {0};
	const struct plan_probe *probes;

	put_file("app", 10 * PAGE);
	put_file("libx", 100 * PAGE);
	add_file(&profile, "app", PROFILE_REGULAR, 0, (struct profile_range[]){{0, 2, 0, 3}, {0}});
	add_file(&profile, "libx", PROFILE_REGULAR, 2, (struct profile_range[]){{50, 9, 2, 3}, {0}});
	assert_int_equal(profile_finish(&profile), 0);
	build(&profile, &solid, &built);
	assert_true(plan_head_check(built.data, built.size < PLAN_HEAD_MAX ? built.size : PLAN_HEAD_MAX));
	assert_int_equal(LE32(built.view.header->probe_count), 2);
	probes = plan_head_probes(built.data);
	assert_string_equal((const char *)built.data + LE16(probes[0].path), path_of("libx"));
	assert_int_equal(LE32(probes[0].page), 58);
	assert_string_equal((const char *)built.data + LE16(probes[1].path), path_of("app"));
}

static void stale_files_drop_out_alone(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = start_profile("app");
	_cleanup_(built_release) struct built built = {0};
	struct timespec other[2] = {{.tv_sec = 5}, {.tv_sec = 5}};

	for (uint32_t i = 0; i < 4; i++) {
		static const char *const names[] = {"app", "resized", "touched", "removed"};

		put_file(names[i], 10 * PAGE);
		add_file(&profile, names[i], PROFILE_REGULAR, 2 * i,
			(struct profile_range[]){{0, 2, 2 * i, 3}, {0}});
	}
	assert_int_equal(profile_finish(&profile), 0);
	put_file("resized", 11 * PAGE);
	assert_int_equal(utimensat(AT_FDCWD, path_of("touched"), other, 0), 0);
	assert_int_equal(unlink(path_of("removed")), 0);
	build(&profile, &solid, &built);
	assert_int_equal(built.summary.files, 1);
	assert_int_equal(built.summary.stale, 2);
	assert_int_equal(built.summary.gone, 1);
	expect_extent(&built, 0, "app", 0, 2);
}

static void another_machines_times_do_not_count(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = start_profile("app");
	_cleanup_(built_release) struct built built = {0};
	struct timespec other[2] = {{.tv_sec = 5}, {.tv_sec = 5}};

	put_file("app", 10 * PAGE);
	add_file(&profile, "app", PROFILE_REGULAR, 0, (struct profile_range[]){{0, 2, 0, 3}, {0}});
	assert_int_equal(profile_finish(&profile), 0);
	free(profile.kernel);
	profile.kernel = strdup("0.99");
	assert_int_equal(utimensat(AT_FDCWD, path_of("app"), other, 0), 0);
	build(&profile, &solid, &built);
	assert_int_equal(built.summary.files, 1);
}

static void ranges_end_where_the_file_does(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = start_profile("app");
	_cleanup_(built_release) struct built built = {0};

	put_file("app", 9 * PAGE + 1);
	add_file(&profile, "app", PROFILE_REGULAR, 0,
		(struct profile_range[]){{8, 20, 0, 3}, {40, 2, 30, 3}, {UINT32_MAX - 2, 2, 40, 3}, {0}});
	put_file("empty", 0);
	add_file(&profile, "empty", PROFILE_REGULAR, 50, (struct profile_range[]){{0, 1, 50, 3}, {0}});
	assert_int_equal(profile_finish(&profile), 0);
	build(&profile, &solid, &built);
	assert_int_equal(built.view.extent_count, 1);
	expect_extent(&built, 0, "app", 8, 2);
	assert_int_equal(built.summary.files, 1);
}

static void rarely_touched_pages_can_be_left_out(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = start_profile("app");
	_cleanup_(built_release) struct built all = {0}, often = {0};
	struct plan_options options = solid;

	put_file("app", 10 * PAGE);
	put_file("once", 10 * PAGE);
	add_file(&profile, "app", PROFILE_REGULAR, 0,
		(struct profile_range[]){{0, 1, 0, 3}, {5, 1, 1, 2}, {0}});
	add_file(&profile, "once", PROFILE_REGULAR, 2, (struct profile_range[]){{0, 1, 2, 1}, {0}});
	assert_int_equal(profile_finish(&profile), 0);
	build(&profile, &solid, &all);
	assert_int_equal(all.view.extent_count, 3);
	options.min_runs = 3;
	build(&profile, &options, &often);
	assert_int_equal(often.summary.files, 1);
	assert_int_equal(often.view.extent_count, 1);
	expect_extent(&often, 0, "app", 0, 1);
}

static void nothing_left_is_no_plan(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = start_profile("app");
	void *data = &profile;
	size_t size = 7;
	struct plan_summary summary = {.files = 9};

	put_file("app", 10 * PAGE);
	add_file(&profile, "app", PROFILE_REGULAR, 0, (struct profile_range[]){{0, 1, 0, 3}, {0}});
	assert_int_equal(profile_finish(&profile), 0);
	assert_int_equal(unlink(path_of("app")), 0);
	assert_int_equal(plan_build(&profile, &solid, &data, &size, &summary), -ENODATA);
	assert_ptr_equal(data, &profile);
	assert_int_equal(size, 7);
	assert_int_equal(summary.files, 0);
	assert_int_equal(summary.gone, 1);
}

static void an_image_is_planned_from_outside(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = start_profile("app");
	_cleanup_(built_release) struct built built = {0};
	struct plan_options options = solid;
	char inside[512];

	assert_int_equal(make_folders(path_of("image"), 0755), 0);
	snprintf(inside, sizeof(inside), "image%s", folder);
	assert_int_equal(make_folders(path_of(inside), 0755), 0);
	put_file("app", 10 * PAGE);
	add_file(&profile, "app", PROFILE_REGULAR, 0, (struct profile_range[]){{0, 9, 0, 3}, {0}});
	assert_int_equal(profile_finish(&profile), 0);
	snprintf(inside, sizeof(inside), "image%s/app", folder);
	assert_int_equal(rename(path_of("app"), path_of(inside)), 0);
	options.root = path_of("image");
	build(&profile, &options, &built);
	expect_extent(&built, 0, "app", 0, 9);
}

/* 100,000 ranges of one page over 50 files, in an order that jumps back and forth. */
static void fill_huge(struct profile *profile)
{
	for (uint32_t i = 0; i < 50; i++) {
		struct profile_range *ranges = calloc(2001, sizeof(*ranges));
		char name[16];

		snprintf(name, sizeof(name), "lib%u", i);
		put_file(name, 4000 * PAGE);
		for (uint32_t j = 0; j < 2000; j++)
			ranges[j] = (struct profile_range){2 * j, 1, i + 50 * (j * 997 % 2000), 3};
		add_file(profile, name, PROFILE_REGULAR, i, ranges);
		free(ranges);
	}
	assert_int_equal(profile_finish(profile), 0);
}

static void a_huge_profile_is_planned_the_same_each_time(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = start_profile("lib0");
	struct plan_options options = {.device = DEVICE_ROTATIONAL};

	fill_huge(&profile);
	for (unsigned class = DEVICE_SOLID; class <= DEVICE_ROTATIONAL; class ++) {
		_cleanup_(built_release) struct built one = {0}, two = {0};

		options.device = class;
		build(&profile, &options, &one);
		build(&profile, &options, &two);
		assert_int_equal(one.size, two.size);
		assert_int_equal(one.summary.bytes - one.summary.gap_bytes, 100000ull * PAGE);
		assert_int_equal(LE64(one.view.header->body_checksum), LE64(two.view.header->body_checksum));
		((struct plan_header *)one.data)->created = two.view.header->created;
		((struct plan_header *)one.data)->header_checksum = two.view.header->header_checksum;
		assert_memory_equal(one.data, two.data, one.size);
	}
}

static void a_budget_holds_with_gaps(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = start_profile("lib0");
	_cleanup_(built_release) struct built built = {0};
	struct plan_options options = {.device = DEVICE_ROTATIONAL, .budget = 1000 * PAGE};

	fill_huge(&profile);
	build(&profile, &options, &built);
	assert_true(built.summary.bytes <= options.budget);
	assert_int_equal(built.summary.bytes - built.summary.gap_bytes, options.budget);
}

static void a_refresh_plans_what_the_store_has(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = start_profile("app");
	_cleanup_free_ char *profile_path = NULL, *plan_path = NULL, *plan = NULL;
	struct plan_summary summary;
	struct plan_view view;
	size_t size;
	int r;

	assert_int_equal(setenv("HEADSTART_STATE", path_of("state"), 1), 0);
	put_file("app", 10 * PAGE);
	add_file(&profile, "app", PROFILE_REGULAR, 0, (struct profile_range[]){{0, 9, 0, 3}, {0}});
	assert_int_equal(profile_finish(&profile), 0);
	assert_int_equal(plan_refresh(profile.program, &(struct plan_options){0}, &summary), -ENOENT);
	assert_int_equal(store_path_for_writing(STORE_PROFILE, profile.program, &profile_path), 0);
	assert_int_equal(publish_file(profile_path, 0644, "HSPROF\r\n", 8), 0);
	assert_int_equal(plan_refresh(profile.program, &(struct plan_options){0}, &summary), -EBADMSG);
	assert_int_equal(profile_save(&profile, profile_path, 0644), 0);
	r = plan_refresh(profile.program, &(struct plan_options){0}, &summary);
	if (r == -ENODATA) /* if the test's own folder lies in memory, it is right that nothing is planned */
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(store_find(STORE_PLAN, profile.program, &plan_path), 0);
	assert_int_equal(read_file(plan_path, PLAN_FILE_MAX, &plan, &size), 0);
	assert_int_equal(plan_view_init(&view, plan, size, checksum64), PLAN_GOOD);
	assert_string_equal(view.strings + LE32(view.header->program), profile.program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_says_what_the_profile_says),
		cmocka_unit_test(the_head_alone_has_the_probes),
		cmocka_unit_test(stale_files_drop_out_alone),
		cmocka_unit_test(another_machines_times_do_not_count),
		cmocka_unit_test(ranges_end_where_the_file_does),
		cmocka_unit_test(rarely_touched_pages_can_be_left_out),
		cmocka_unit_test(nothing_left_is_no_plan),
		cmocka_unit_test(an_image_is_planned_from_outside),
		cmocka_unit_test(a_huge_profile_is_planned_the_same_each_time),
		cmocka_unit_test(a_budget_holds_with_gaps),
		cmocka_unit_test(a_refresh_plans_what_the_store_has),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
