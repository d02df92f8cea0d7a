/* SPDX-License-Identifier: MIT */
/* Unit tests of what the dynamic loader of a system is found to support: of this system, and of one in a folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/open.h"
#include "relayout/loader.h"
#include "replace/publish.h"
#include "tree.h"

#ifdef __aarch64__
#define MACHINE       EM_AARCH64
#define OTHER_MACHINE EM_X86_64
#else
#define MACHINE       EM_X86_64
#define OTHER_MACHINE EM_AARCH64
#endif

struct fixture {
	char folder[32];  /* also the working folder */
	char outside[64]; /* this system's libc, copied to the folder */
	char root[64];    /* a system in the folder: its libc.so.6 is a link with the path `outside` */
};

static void copy_libc(const char *to)
{
	_cleanup_free_ char *data = NULL;
	size_t size;
	Dl_info info;

	assert_int_not_equal(dladdr((void *)(uintptr_t)puts, &info), 0);
	assert_int_equal(read_file(info.dli_fname, 1 << 26, &data, &size), 0);
	assert_int_equal(publish_file(to, 0755, data, size), 0);
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	*state = fixture;
	strcpy(fixture->folder, "/tmp/headstart-test.XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	assert_int_equal(chdir(fixture->folder), 0);
	snprintf(fixture->outside, sizeof(fixture->outside), "%s/libc", fixture->folder);
	snprintf(fixture->root, sizeof(fixture->root), "%s/root", fixture->folder);
	copy_libc("libc");
	assert_int_equal(make_folders("root/usr/lib", 0755), 0);
	assert_int_equal(symlink(fixture->outside, "root/usr/lib/libc.so.6"), 0);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(chdir("/"), 0);
	assert_int_equal(tree_remove(fixture->folder), 0);
	free(fixture);
	return 0;
}

/* Skips the test where this system's libc cannot play its part, or nothing can be opened below a root. */
static void need(const char *root)
{
	_cleanup_close_ int fd = open_below(root, "/");

	if (!loader_knows_relr("", MACHINE)) {
		print_message("this system's glibc does not know DT_RELR\n");
		skip();
	}
	if (fd == -ENOSYS) {
		print_message("no openat2 (valgrind)\n");
		skip();
	}
	assert_true(fd >= 0);
}

static void a_libc_of_this_system_says_nothing_of_another(void **state)
{
	const struct fixture *fixture = *state;

	need(fixture->root);
	assert_false(loader_knows_relr(fixture->root, MACHINE));
}

static void links_lead_to_the_libc_of_the_root(void **state)
{
	const struct fixture *fixture = *state;
	char path[160];

	need(fixture->root);
	snprintf(path, sizeof(path), "%s%s", fixture->root, fixture->folder);
	assert_int_equal(make_folders(path, 0755), 0);
	snprintf(path, sizeof(path), "%s%s", fixture->root, fixture->outside);
	copy_libc(path);
	assert_int_equal(unlink("libc"), 0);
	assert_true(loader_knows_relr(fixture->root, MACHINE));
	assert_false(loader_knows_relr(fixture->root, OTHER_MACHINE));
}

/* The version's name is another in it. */
static void make_older(const char *libc)
{
	static const char version[] = "GLIBC_ABI_DT_RELR";
	_cleanup_free_ char *data = NULL;
	size_t size;
	char *name;

	assert_int_equal(read_file(libc, 1 << 26, &data, &size), 0);
	while ((name = memmem(data, size, version, sizeof(version))))
		name[0] = 'X';
	assert_int_equal(publish_file(libc, 0755, data, size), 0);
}

static void add_to_profile(struct profile *profile, const char *path)
{
	size_t i;

	assert_int_equal(profile_add_file(profile, path, PROFILE_REGULAR, &i), 0);
}

static void a_start_with_an_older_libc_of_its_own_is_known(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = {0};
	const struct fixture *fixture = *state;
	char root[64];

	need(fixture->root);
	snprintf(root, sizeof(root), "%s", fixture->root);
	assert_int_equal(make_folders("root/opt/app", 0755), 0);
	copy_libc("root/opt/libc.so.6");
	copy_libc("root/opt/app/libc.so.6");
	add_to_profile(&profile, "/opt/libc.so.6");
	add_to_profile(&profile, "/none/libc.so.6");
	assert_false(loader_is_older(root, &profile));
	add_to_profile(&profile, "/opt/app/libc.so.6");
	assert_false(loader_is_older(root, &profile));
	make_older("root/opt/app/libc.so.6");
	assert_true(loader_is_older(root, &profile));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_libc_of_this_system_says_nothing_of_another, set_up, tear_down),
		cmocka_unit_test_setup_teardown(links_lead_to_the_libc_of_the_root, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_start_with_an_older_libc_of_its_own_is_known, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
