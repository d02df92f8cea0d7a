/* SPDX-License-Identifier: MIT */
/* Unit tests of keeping a start for a user (tools/keeper/start.h). The user is root here, whose paths can be its own or another user's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "keeper/start.h"
#include "profile/file/profile-file.h"
#include "profile/recordings/recordings.h"
#include "profile/updates/carry.h"
#include "tree.h"

#define USER  54321
#define PAGES 10u

static char folder[] = "/tmp/headstart-start.XXXXXX";

static const char *in(const char *name)
{
	return tree_path(folder, name);
}

static void make_file(const char *name, uid_t user)
{
	_cleanup_close_ int fd = open(in(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	size_t size = PAGES * (size_t)sysconf(_SC_PAGESIZE);
	_cleanup_free_ char *text = malloc(size);

	assert_true(fd >= 0 && text);
	memset(text, name[0], size);
	assert_true(write(fd, text, size) == (ssize_t)size);
	assert_int_equal(fchown(fd, user, user), 0);
}

static int begin(void **state)
{
	snprintf(folder + sizeof(folder) - 7, 7, "XXXXXX");
	if (!mkdtemp(folder) || chmod(folder, 0755) < 0 || setenv("HEADSTART_STATE", in("state"), 1) < 0)
		return -1;
	make_file("program", 0);
	make_file("roots", 0);
	make_file("mine", USER);
	make_file("late", USER);
	make_file("more", USER);
	return 0;
}

static int end(void **state)
{
	return tree_remove(folder);
}

/* What a start touched: all pages of these files, whose names end with NULL. */
static struct profile touched(uint32_t bias, const char *const *names)
{
	struct profile profile = {
		.page_size = (uint32_t)sysconf(_SC_PAGESIZE), .runs = 1, .recorded = 1000, .bias = bias};

	profile.program = strdup(in("program"));
	profile.command = strdup("program");
	profile.kernel = strdup("");
	profile.device = strdup("");
	profile.milestone = strdup("idle");
	assert_int_equal(profile_set_arguments(&profile, (const char *[]){"program", NULL}), 0);
	for (uint32_t n = 0; names[n]; n++) {
		const struct profile_range range = {.pages = PAGES, .order = n * PAGES, .runs = 1};
		size_t index;

		assert_int_equal(profile_add_file(&profile, in(names[n]), PROFILE_REGULAR, &index), 0);
		profile.files[index].order = n * PAGES;
		assert_int_equal(profile_file_add_range(&profile.files[index], range), 0);
	}
	assert_int_equal(profile_finish(&profile), 0);
	return profile;
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static int keep(const char *const *public_names, const char *const *own_names)
{
	struct profile public = touched(PROFILE_BIAS_LEARNT, public_names),
		       own = touched(PROFILE_BIAS_LEARNT, own_names);
	int r;

	profile_identify(&public);
	r = start_keep(&public, &own, 0);
	profile_release(&public);
	profile_release(&own);
	return r;
}

/* The only file in the folder of state with that suffix; "": there is none. */
static const char *kept(const char *suffix)
{
	static char path[256];
	char pattern[256];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/state/*%s", folder, suffix);
	path[0] = '\0';
	if (glob(pattern, 0, NULL, &found) == 0) {
		assert_int_equal(found.gl_pathc, 1);
		snprintf(path, sizeof(path), "%s", found.gl_pathv[0]);
		globfree(&found);
	}
	return path;
}

/* That these files are in the profile, and no others, each with all of its pages. */
static void assert_kept(const char *const *names)
{
	_cleanup_(profile_releasep) struct profile profile = {0};
	enum profile_fault fault;
	size_t n = 0;

	assert_int_equal(profile_load(kept(".profile"), &profile, &fault), 0);
	for (; names[n]; n++) {
		const struct profile_file *file;

		assert_int_equal(profile_find_file(&profile, in(names[n]), &file), 0);
		if (!file)
			fail_msg("'%s' is not kept", names[n]);
		assert_int_equal(profile_file_pages(file), PAGES);
		assert_true(file->size > 0);
	}
	assert_int_equal(profile.n_files, n);
	assert_true(profile.bias & PROFILE_BIAS_LEARNT);
}

static void both_parts_of_a_start_are_kept(void **state)
{
	struct stat st;

	assert_int_equal(keep(NAMES("program", "roots"), NAMES("mine", "late")), 0);
	assert_kept(NAMES("program", "roots", "mine", "late"));
	assert_int_equal(stat(kept(".profile"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(*kept(".plan"));
}

static void own_files_stay_until_three_starts_do_without(void **state)
{
	assert_int_equal(keep(NAMES("program", "roots"), NAMES("mine")), 0);
	assert_int_equal(keep(NAMES("program", "roots"), NAMES("mine", "late")), 0);
	assert_kept(NAMES("program", "roots", "mine", "late"));
	for (unsigned i = 1; i <= 2; i++) {
		assert_int_equal(keep(NAMES("program", "roots"), NAMES("late")), 0);
		assert_kept(NAMES("program", "roots", "mine", "late"));
	}
	assert_int_equal(keep(NAMES("program", "roots"), NAMES("late")), 0);
	assert_kept(NAMES("program", "roots", "late"));
}

static void everybodys_files_are_the_latest(void **state)
{
	assert_int_equal(keep(NAMES("program", "roots"), NAMES("mine")), 0);
	assert_int_equal(keep(NAMES("program"), NAMES("mine")), 0);
	assert_kept(NAMES("program", "mine"));
	assert_int_equal(keep(NAMES("program", "roots"), NAMES("mine")), 0);
	assert_kept(NAMES("program", "roots", "mine"));
}

static void of_another_kind_of_start_the_larger_one_stays(void **state)
{
	assert_int_equal(keep(NAMES("program"), NAMES("mine", "late")), 0);
	assert_int_equal(keep(NAMES("program"), NAMES("more")), 0);
	assert_kept(NAMES("program", "mine", "late"));
	make_file("another", USER);
	make_file("third", USER);
	assert_int_equal(keep(NAMES("program"), NAMES("more", "another", "third")), 0);
	assert_kept(NAMES("program", "more", "another", "third"));
}

static void what_is_no_file_any_more_is_left_out(void **state)
{
	assert_int_equal(unlink(in("late")), 0);
	assert_int_equal(mkfifo(in("late"), 0644), 0);
	assert_int_equal(unlink(in("more")), 0);
	assert_int_equal(symlink("mine", in("more")), 0);
	assert_int_equal(keep(NAMES("program"), NAMES("mine", "late", "more", "gone")), 0);
	assert_kept(NAMES("program", "mine"));
}

static void without_own_files_nothing_is_kept(void **state)
{
	assert_int_equal(keep(NAMES("program", "roots"), NAMES("gone")), 0);
	assert_string_equal(kept(".profile"), "");
	assert_string_equal(kept(".plan"), "");
}

static void a_recording_stays(void **state)
{
	_cleanup_free_ char *path = NULL;
	struct profile recorded = touched(0, NAMES("program"));

	assert_int_equal(keep(NAMES("program"), NAMES("mine")), 0);
	path = strdup(kept(".profile"));
	assert_int_equal(profile_save(&recorded, path, 0600), 0);
	profile_release(&recorded);
	assert_int_equal(keep(NAMES("program", "roots"), NAMES("late")), -EEXIST);
	assert_int_equal(profile_load(path, &recorded, &(enum profile_fault){0}), 0);
	assert_int_equal(recorded.n_files, 1);
	profile_release(&recorded);
}

static void a_profile_that_cannot_be_read_stays(void **state)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	assert_int_equal(keep(NAMES("program"), NAMES("mine")), 0);
	fd = open(kept(".profile"), O_WRONLY | O_TRUNC | O_CLOEXEC);
	assert_true(write(fd, "unknown", 7) == 7);
	assert_int_equal(keep(NAMES("program"), NAMES("late")), -EBADMSG);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_size == 7 && st.st_nlink == 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(both_parts_of_a_start_are_kept),
		TEST(own_files_stay_until_three_starts_do_without),
		TEST(everybodys_files_are_the_latest),
		TEST(of_another_kind_of_start_the_larger_one_stays),
		TEST(what_is_no_file_any_more_is_left_out),
		TEST(without_own_files_nothing_is_kept),
		TEST(a_recording_stays),
		TEST(a_profile_that_cannot_be_read_stays),
	};

	if (geteuid() != 0) {
		puts("only root can make what is root's and what is another's");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
