/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of plan/signs: which names of a program get a sign in the folder of plans, and when a sign is removed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/links.h"
#include "format/plan-name.h"
#include "plan/store/signs.h"
#include "tree.h"

/* Everything is in a folder of the test's own, which is also the working directory. */
static char folder[] = "/tmp/headstart-signs.XXXXXX";
static char program[64];

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

	assert_true(fd >= 0);
	close(fd);
}

static const char *in_folder(const char *name)
{
	return tree_path(folder, name);
}

static int make_folder(void **state)
{
	char search[384];

	if (!mkdtemp(folder) || chdir(folder) < 0)
		return -1;
	mkdir("state", 0755);
	mkdir("bin", 0755);
	mkdir("lib", 0755);
	mkdir("open", 0755);
	chmod("open", 01777);
	symlink("bin", "sbin");
	snprintf(program, sizeof(program), "%s/lib/app", folder);
	make_file("lib/app");
	snprintf(search, sizeof(search), "relative:%s/bin//:/nonexistent::%s/sbin:%s/lib:%s/open", folder,
		folder, folder, folder);
	setenv("PATH", search, 1);
	setenv("HEADSTART_STATE", in_folder("state"), 1);
	return 0;
}

static int remove_folder(void **state)
{
	return tree_remove(folder);
}

static const char *sign_of(const char *path)
{
	static char sign[PLAN_NAME_SIZE];

	plan_name(path, ".plan", sign);
	return sign;
}

/* Whether a program of this path has a sign that leads to the plan of `of`. */
static bool has_sign(const char *path, const char *of)
{
	char target[PLAN_NAME_SIZE] = "", plan[PLAN_NAME_SIZE], sign[256];

	plan_name(of, ".plan", plan);
	snprintf(sign, sizeof(sign), "state/%s", sign_of(path));
	return readlink(sign, target, sizeof(target) - 1) > 0 && strcmp(target, plan) == 0;
}

static unsigned int count_signs(void)
{
	DIR *dir = opendir("state");
	unsigned int count = 0;

	for (struct dirent *entry; (entry = readdir(dir));)
		count += links_to_neighbour(dirfd(dir), entry->d_name);
	closedir(dir);
	return count;
}

static void every_other_name_gets_one(void **state)
{
	symlink("../lib/app", "bin/app");
	symlink("app", "bin/application");
	symlink("/nonexistent", "bin/nothing");
	make_file("bin/other");
	assert_int_equal(signs_publish(program), 0);
	assert_true(has_sign(in_folder("bin/app"), program));
	assert_true(has_sign(in_folder("bin/application"), program));
	assert_true(has_sign(in_folder("sbin/app"), program));
	assert_int_equal(count_signs(), 4);
	assert_int_equal(signs_publish(program), 0);
	assert_int_equal(count_signs(), 4);
}

/* A planner that a prefetcher has started knows no PATH. */
static void without_a_path_they_stay(void **state)
{
	char *search = strdup(getenv("PATH"));

	assert_non_null(search);
	unsetenv("PATH");
	assert_int_equal(signs_publish(program), 0);
	assert_int_equal(count_signs(), 4);
	setenv("PATH", search, 1);
	free(search);
}

static void nobody_else_can_fill_the_folder_with_them(void **state)
{
	symlink("../lib/app", "open/app");
	assert_int_equal(signs_publish(program), 0);
	assert_false(has_sign(in_folder("open/app"), program));
}

/* Makes a folder with a link to the program. */
static void make_named(const char *name, mode_t mode, uid_t owner)
{
	char link[64];

	snprintf(link, sizeof(link), "%s/app", name);
	assert_int_equal(mkdir(name, 0755), 0);
	assert_int_equal(symlink(program, link), 0);
	assert_int_equal(chmod(name, mode), 0);
	assert_int_equal(chown(name, owner, (gid_t)-1), 0);
}

/* Root's PATH has a user's folder, one below it, one behind a link in it, and one that a group may write to. */
static void no_stranger_fills_roots_folder_with_them(void **state)
{
	static const char *const strangers[] = {"theirs", "theirs/below", "group", "link"};
	char *search = strdup(getenv("PATH")), changed[512];

	if (geteuid() != 0) {
		print_message("SKIP: not root\n");
		free(search);
		skip();
	}
	make_named("theirs", 0755, 65534);
	make_named("theirs/below", 0755, 0);
	make_named("group", 0775, 0);
	make_named("roots", 0755, 0);
	assert_int_equal(symlink("../roots", "theirs/roots"), 0);
	assert_int_equal(symlink("theirs/roots", "link"), 0);
	snprintf(changed, sizeof(changed), "%1$s/theirs:%1$s/theirs/below:%1$s/group:%1$s/link:%1$s/roots",
		folder);
	assert_int_equal(setenv("PATH", changed, 1), 0);
	assert_int_equal(signs_publish(program), 0);
	for (size_t i = 0; i < sizeof(strangers) / sizeof(*strangers); i++) {
		snprintf(changed, sizeof(changed), "%s/%s/app", folder, strangers[i]);
		assert_false(has_sign(changed, program));
	}
	assert_true(has_sign(in_folder("roots/app"), program));
	assert_int_equal(count_signs(), 1);
	assert_int_equal(setenv("PATH", search, 1), 0);
	free(search);
}

static void a_name_that_leads_elsewhere_loses_it(void **state)
{
	char other[64];

	unlink("bin/application");
	symlink("other", "bin/application");
	assert_int_equal(signs_publish(program), 0);
	assert_false(has_sign(in_folder("bin/application"), program));
	assert_int_equal(count_signs(), 2);
	/* The name belonged to the other program before. */
	snprintf(other, sizeof(other), "%s/bin/other", folder);
	assert_int_equal(signs_publish(other), 0);
	assert_true(has_sign(in_folder("bin/application"), other));
	unlink("bin/application");
	symlink("../lib/app", "bin/application");
	assert_int_equal(signs_publish(program), 0);
	assert_true(has_sign(in_folder("bin/application"), program));
	assert_int_equal(signs_withdraw(other), 0);
}

static void a_plan_is_not_replaced(void **state)
{
	char path[256];
	struct stat st;

	assert_int_equal(signs_withdraw(program), 0);
	snprintf(path, sizeof(path), "state/%s", sign_of(in_folder("bin/app")));
	make_file(path);
	assert_int_equal(signs_publish(program), 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	unlink(path);
}

static void withdrawing_takes_the_own_ones_alone(void **state)
{
	char path[256];

	snprintf(path, sizeof(path), "state/%s", sign_of("/somebody/else"));
	assert_int_equal(symlink("else-0123456789abcdef.plan", path), 0);
	assert_int_equal(signs_publish(program), 0);
	assert_int_equal(signs_withdraw(program), 0);
	assert_int_equal(count_signs(), 1);
	assert_int_equal(signs_withdraw(program), 0);
}

static void what_is_missing_is_no_failure(void **state)
{
	assert_int_equal(signs_publish("/nonexistent/app"), 0);
	setenv("HEADSTART_STATE", "/nonexistent", 1);
	assert_int_equal(signs_withdraw(program), 0);
	assert_int_equal(signs_publish(program), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_other_name_gets_one),
		cmocka_unit_test(without_a_path_they_stay),
		cmocka_unit_test(nobody_else_can_fill_the_folder_with_them),
		cmocka_unit_test(no_stranger_fills_roots_folder_with_them),
		cmocka_unit_test(a_name_that_leads_elsewhere_loses_it),
		cmocka_unit_test(a_plan_is_not_replaced),
		cmocka_unit_test(withdrawing_takes_the_own_ones_alone),
		cmocka_unit_test(what_is_missing_is_no_failure),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
