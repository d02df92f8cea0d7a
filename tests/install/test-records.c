/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of the records of installations: their names, which files belong to which, and whether these are still
 * as written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "replace/publish.h"
#include "setup/records.h"
#include "tree.h"

struct fixture {
	char folder[32];
	char file[64]; /* of the app "painter" */
};

static void add(struct file_set *set, const char *path)
{
	assert_int_equal(file_set_add(set, path, 0644, strdup("ours\n"), 5), 0);
}

static void install(const struct fixture *fixture, const char *name, const char *path)
{
	_cleanup_(file_set_releasep) struct file_set set = {0};
	_cleanup_(manifest_releasep) struct manifest manifest = {0};
	_cleanup_free_ char *record = NULL;
	const char *culprit;

	add(&set, path);
	assert_int_equal(record_path(fixture->folder, name, &record), 0);
	assert_int_equal(files_install(&set, record, 0755, &manifest, &culprit), 0);
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	strcpy(fixture->folder, "/tmp/headstart-test.XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	snprintf(fixture->file, sizeof(fixture->file), "%s/made/painter", fixture->folder);
	install(fixture, "app-painter", fixture->file);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(tree_remove(fixture->folder), 0);
	free(fixture);
	return 0;
}

static void expect_name(const char *app, const char *wanted)
{
	_cleanup_free_ char *name = NULL;

	assert_int_equal(record_name_of_app(app, &name), wanted ? 0 : -EINVAL);
	if (wanted)
		assert_string_equal(name, wanted);
}

static void an_app_is_recorded_by_the_end_of_its_name(void **state)
{
	char longest[256];

	expect_name("firefox", "app-firefox");
	expect_name("/opt/firefox/firefox", "app-firefox");
	expect_name("org.mozilla.firefox.desktop", "app-org.mozilla.firefox");
	expect_name("/opt/", NULL);
	expect_name("", NULL);
	expect_name("..", NULL);
	expect_name("-rf", NULL);
	expect_name("fire\nfox", NULL);
	memset(longest, 'a', sizeof(longest));
	longest[255] = '\0';
	expect_name(longest, NULL);
}

static int count_painter(void *count, const char *app)
{
	assert_string_equal(app, "painter");
	++*(int *)count;
	return 0;
}

static void only_apps_are_listed_as_apps(void **state)
{
	const struct fixture *fixture = *state;
	char other[64];
	int count = 0;

	snprintf(other, sizeof(other), "%s/other", fixture->folder);
	install(fixture, RECORD_OF_USER, other);
	assert_int_equal(record_each_app(fixture->folder, count_painter, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(record_each_app("/no/such/folder", count_painter, &count), 0);
}

static void a_file_belongs_to_one_app(void **state)
{
	const struct fixture *fixture = *state;
	_cleanup_(record_clash_releasep) struct record_clash clash = {0};
	_cleanup_(file_set_releasep) struct file_set set = {0};
	_cleanup_(manifest_releasep) struct manifest manifest = {0};

	add(&set, fixture->file);
	assert_int_equal(record_prepare(fixture->folder, "app-painter", &set, &manifest, &clash), 0);
	assert_int_equal(record_prepare(fixture->folder, "app-other", &set, &manifest, &clash), -EEXIST);
	assert_string_equal(clash.app, "painter");
	assert_string_equal(clash.file, fixture->file);
	record_clash_release(&clash);
	assert_int_equal(record_check_file(fixture->folder, fixture->file, &clash), -EEXIST);
	assert_string_equal(clash.app, "painter");
	record_clash_release(&clash);
	assert_int_equal(record_check_file(fixture->folder, fixture->folder, &clash), 0);
}

static void who_comes_last_removes_the_folders(void **state)
{
	const struct fixture *fixture = *state;
	_cleanup_(record_clash_releasep) struct record_clash clash = {0};
	_cleanup_(file_set_releasep) struct file_set set = {0};
	_cleanup_(manifest_releasep) struct manifest manifest = {0};
	char path[64], made[64];

	snprintf(made, sizeof(made), "%s/made", fixture->folder);
	snprintf(path, sizeof(path), "%s/made/other", fixture->folder);
	add(&set, path);
	assert_int_equal(record_prepare(fixture->folder, "app-other", &set, &manifest, &clash), 0);
	assert_int_equal(manifest.n_folders, 1);
	assert_string_equal(manifest.folders[0], made);
}

static void a_damaged_record_is_named(void **state)
{
	const struct fixture *fixture = *state;
	_cleanup_(record_clash_releasep) struct record_clash clash = {0};
	_cleanup_free_ char *record = NULL;

	assert_int_equal(record_path(fixture->folder, "app-painter", &record), 0);
	assert_int_equal(publish_file(record, 0600, "{", 1), 0);
	assert_int_equal(record_check_file(fixture->folder, fixture->file, &clash), -EBADMSG);
	assert_string_equal(clash.record, record);
}

static enum record_state look(const struct fixture *fixture, const char *name)
{
	_cleanup_(manifest_releasep) struct manifest manifest = {0};
	_cleanup_free_ char *record = NULL;

	assert_int_equal(record_path(fixture->folder, name, &record), 0);
	assert_int_equal(record_load(record, &manifest), 0);
	return record_state_of(&manifest);
}

static void what_became_of_the_files_is_seen(void **state)
{
	const struct fixture *fixture = *state;

	assert_int_equal(look(fixture, RECORD_OF_USER), RECORD_NOTHING);
	assert_int_equal(look(fixture, "app-painter"), RECORD_INSTALLED);
	assert_int_equal(publish_file(fixture->file, 0644, "mine\n", 5), 0);
	assert_int_equal(look(fixture, "app-painter"), RECORD_CHANGED);
	assert_int_equal(unlink(fixture->file), 0);
	assert_int_equal(look(fixture, "app-painter"), RECORD_INCOMPLETE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_app_is_recorded_by_the_end_of_its_name),
		cmocka_unit_test_setup_teardown(only_apps_are_listed_as_apps, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_file_belongs_to_one_app, set_up, tear_down),
		cmocka_unit_test_setup_teardown(who_comes_last_removes_the_folders, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_damaged_record_is_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_became_of_the_files_is_seen, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
