/* SPDX-License-Identifier: MIT */
/* Unit tests of plan/store and format/state-folder: which folder, which file, and where a command is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "format/state-folder.h"
#include "plan/store/store.h"
#include "replace/publish.h"
#include "tree.h"

static char home[] = "/tmp/headstart-store.XXXXXX";

static int make_home(void **state)
{
	return mkdtemp(home) ? 0 : -1;
}

static int remove_home(void **state)
{
	return tree_remove(home);
}

static void expect_folder(const struct state_environment *environment, unsigned n, const char *want)
{
	char path[64] = "untouched";

	assert_int_equal(state_folder(environment, n, path, sizeof(path)), want != NULL);
	if (want)
		assert_string_equal(path, want);
}

static void folders_come_in_order(void **state)
{
	struct state_environment user = {.home = "/home/u"};
	struct state_environment xdg = {.home = "/home/u", .xdg_state_home = "/x"};
	struct state_environment chosen = {.home = "/home/u", .state = "/s"};
	struct state_environment relative = {.home = "u", .state = "s", .xdg_state_home = "x"};
	struct state_environment root = {.home = "/root", .root = true};

	expect_folder(&user, 0, "/home/u/.local/state/headstart");
	expect_folder(&user, 1, HEADSTART_STATE_DIR);
	expect_folder(&xdg, 0, "/x/headstart");
	expect_folder(&chosen, 0, "/s");
	expect_folder(&chosen, 1, NULL);
	expect_folder(&relative, 0, HEADSTART_STATE_DIR);
	expect_folder(&relative, 1, NULL);
	expect_folder(&root, 0, HEADSTART_STATE_DIR);
	expect_folder(&root, 1, NULL);
	expect_folder(&user, 2, NULL);
}

static void paths_that_do_not_fit_are_refused(void **state)
{
	struct state_environment chosen = {.state = "/s"};
	char path[PLAN_NAME_SIZE + 16];
	size_t length;

	assert_true(state_file(&chosen, 0, STATE_PLAN_SUFFIX, "/bin/x", path, sizeof(path)));
	length = strlen(path);
	assert_int_equal(strncmp(path, "/s/x-", 5), 0);
	assert_string_equal(path + length - 5, ".plan");
	assert_true(state_file(&chosen, 0, STATE_PLAN_SUFFIX, "/bin/x", path, length + 1));
	assert_false(state_file(&chosen, 0, STATE_PLAN_SUFFIX, "/bin/x", path, length));
	assert_false(state_file(&chosen, 0, STATE_PLAN_SUFFIX, "/bin/x", path, 1));
}

static void only_files_nobody_else_writes_are_trusted(void **state)
{
	assert_true(state_file_trusted(0, S_IFREG | 0644, 1000));
	assert_true(state_file_trusted(1000, S_IFREG | 0600, 1000));
	assert_false(state_file_trusted(1001, S_IFREG | 0644, 1000));
	assert_false(state_file_trusted(1000, S_IFREG | 0644, 0));
	assert_false(state_file_trusted(1000, S_IFREG | 0664, 1000));
	assert_false(state_file_trusted(0, S_IFREG | 0646, 1000));
	assert_false(state_file_trusted(0, S_IFDIR | 0755, 1000));
	assert_false(state_file_trusted(0, S_IFLNK | 0755, 1000));
	assert_false(state_file_trusted(0, S_IFIFO | 0600, 1000));
}

static void what_is_written_is_found(void **state)
{
	_cleanup_free_ char *written = NULL, *found = NULL, *folder = NULL;

	assert_int_equal(setenv("HEADSTART_STATE", home, 1), 0);
	assert_int_equal(store_folder(&folder), 0);
	assert_string_equal(folder, home);
	assert_int_equal(store_find(STORE_PLAN, "/bin/a", &found), -ENOENT);
	assert_int_equal(store_path_for_writing(STORE_PLAN, "/bin/a", &written), 0);
	assert_int_equal(publish_file(written, store_mode(), "x", 1), 0);
	assert_int_equal(store_find(STORE_PROFILE, "/bin/a", &found), -ENOENT);
	assert_int_equal(store_find(STORE_PLAN, "/usr/bin/a", &found), -ENOENT);
	assert_null(found);
	assert_int_equal(store_find(STORE_PLAN, "/bin/a", &found), 0);
	assert_string_equal(found, written);
}

static void roots_folders_are_for_everybody(void **state)
{
	_cleanup_free_ char *path = NULL;
	char above[128], folder[160];
	struct stat st;
	mode_t mask = umask(077), expected = geteuid() == 0 ? 0755 : 0700;

	snprintf(above, sizeof(above), "%s/above", home);
	snprintf(folder, sizeof(folder), "%s/folder", above);
	assert_int_equal(setenv("HEADSTART_STATE", folder, 1), 0);
	assert_int_equal(store_path_for_writing(STORE_PLAN, "/bin/a", &path), 0);
	assert_int_equal(umask(mask), 077);
	assert_int_equal(stat(folder, &st), 0);
	assert_int_equal(st.st_mode & 07777, expected);
	assert_int_equal(stat(above, &st), 0);
	assert_int_equal(st.st_mode & 07777, expected);
}

static void files_of_doubt_are_passed_over(void **state)
{
	_cleanup_free_ char *path = NULL, *found = NULL;
	char target[128];

	assert_int_equal(setenv("HEADSTART_STATE", home, 1), 0);
	assert_int_equal(store_path_for_writing(STORE_PROFILE, "/bin/b", &path), 0);
	assert_int_equal(publish_file(path, 0644, "x", 1), 0);
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(store_find(STORE_PROFILE, "/bin/b", &found), -ENOENT);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(store_find(STORE_PROFILE, "/bin/b", &found), 0);

	snprintf(target, sizeof(target), "%s/elsewhere", home);
	assert_int_equal(rename(path, target), 0);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(store_find(STORE_PROFILE, "/bin/b", &(char *){NULL}), -ENOENT);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(store_find(STORE_PROFILE, "/bin/b", &(char *){NULL}), -ENOENT);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(store_find(STORE_PROFILE, "/bin/b", &(char *){NULL}), -ENOENT);
}

static void another_users_file_is_passed_over(void **state)
{
	_cleanup_free_ char *path = NULL;

	if (geteuid() != 0)
		skip();
	assert_int_equal(setenv("HEADSTART_STATE", home, 1), 0);
	assert_int_equal(store_path_for_writing(STORE_PLAN, "/bin/c", &path), 0);
	assert_int_equal(publish_file(path, 0644, "x", 1), 0);
	assert_int_equal(chown(path, 12345, 12345), 0);
	assert_int_equal(store_find(STORE_PLAN, "/bin/c", &(char *){NULL}), -ENOENT);
}

static void put_program(const char *name, mode_t mode)
{
	assert_int_equal(publish_file(tree_path(home, name), mode, "#!/bin/sh\n", 10), 0);
}

/* Plans of another tree: those of a user there, by that user's variables, with paths as they are in that tree. */
static void files_are_found_below_a_root(void **state)
{
	const struct store store = {.root = home, .environment = {.home = "/home/u"}, .user = getuid()};
	_cleanup_free_ char *found = NULL, *full = NULL, *mark = NULL;
	char path[PATH_MAX];

	assert_true(state_file(&store.environment, 0, STATE_PLAN_SUFFIX, "/bin/a", path, sizeof(path)));
	assert_int_equal(store_look_up(&store, STORE_PLAN, "/bin/a", &found), -ENOENT);
	assert_int_equal(store_check(&store, path), -ENOENT);
	assert_true(asprintf(&full, "%s%s", home, path) > 0);
	*strrchr(full, '/') = '\0';
	assert_int_equal(make_folders(full, 0755), 0);
	full[strlen(full)] = '/';
	assert_int_equal(publish_file(full, 0644, "x", 1), 0);
	assert_int_equal(store_look_up(&store, STORE_PROFILE, "/bin/a", &found), -ENOENT);
	assert_int_equal(store_look_up(&store, STORE_PLAN, "/bin/a", &found), 0);
	assert_string_equal(found, path);
	assert_false(store_is_stale(&store, path));
	assert_true(asprintf(&mark, "%s.stale", full) > 0);
	assert_int_equal(publish_file(mark, 0644, "", 0), 0);
	assert_true(store_is_stale(&store, path));
	assert_int_equal(chmod(full, 0666), 0);
	assert_int_equal(store_check(&store, path), -EPERM);
	assert_int_equal(store_look_up(&store, STORE_PLAN, "/bin/a", &(char *){NULL}), -ENOENT);
}

static void commands_are_found_as_the_shell_does(void **state)
{
	_cleanup_free_ char *found = NULL, *real = realpath(home, NULL);
	char folders[256], path[256];

	snprintf(path, sizeof(path), "%s/first/tool", home);
	assert_int_equal(make_folders(path, 0755), 0); /* a folder of that name is no program */
	snprintf(path, sizeof(path), "%s/second", home);
	assert_int_equal(make_folders(path, 0755), 0);
	put_program("second/tool", 0755);
	put_program("second/plain", 0644);
	snprintf(path, sizeof(path), "%s/second/link", home);
	assert_int_equal(symlink("tool", path), 0);
	snprintf(folders, sizeof(folders), "/nowhere:%s/first:%s/second", home, home);
	assert_int_equal(setenv("PATH", folders, 1), 0);

	assert_int_equal(store_program_path("link", &found), 0);
	snprintf(path, sizeof(path), "%s/second/tool", real);
	assert_string_equal(found, path);
	assert_int_equal(store_program_path("plain", &(char *){NULL}), -EACCES);
	assert_int_equal(store_program_path("missing", &(char *){NULL}), -ENOENT);
	assert_int_equal(store_program_path("", &(char *){NULL}), -ENOENT);
	assert_int_equal(store_program_path("/nowhere/tool", &(char *){NULL}), -ENOENT);
	assert_int_equal(store_program_path(home, &(char *){NULL}), -EACCES);
	assert_int_equal(chdir(home), 0);
	assert_int_equal(setenv("PATH", "/nowhere:", 1), 0);
	put_program("here", 0755);
	free(TAKE_PTR(found));
	assert_int_equal(store_program_path("here", &found), 0);
	free(TAKE_PTR(found));
	assert_int_equal(store_program_path("second/link", &found), 0);
	assert_string_equal(found, path);
	assert_int_equal(chdir("/"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folders_come_in_order),
		cmocka_unit_test(paths_that_do_not_fit_are_refused),
		cmocka_unit_test(only_files_nobody_else_writes_are_trusted),
		cmocka_unit_test(what_is_written_is_found),
		cmocka_unit_test(roots_folders_are_for_everybody),
		cmocka_unit_test(files_of_doubt_are_passed_over),
		cmocka_unit_test(another_users_file_is_passed_over),
		cmocka_unit_test(files_are_found_below_a_root),
		cmocka_unit_test(commands_are_found_as_the_shell_does),
	};

	return cmocka_run_group_tests(tests, make_home, remove_home);
}
