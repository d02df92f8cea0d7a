/* SPDX-License-Identifier: MIT */
/* Unit tests of the file of what the daemon knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "headstartd/learn/saver.h"
#include "learn/known.h"
#include "replace/publish.h"
#include "tree.h"

static char folder[64], path[96];

static int begin(void **state)
{
	snprintf(folder, sizeof(folder), "/tmp/headstart-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/known", folder);
	return 0;
}

static int end(void **state)
{
	return tree_remove(folder);
}

static struct saver saver_of(struct known *known)
{
	struct saver saver = SAVER_INIT;

	saver.path = strdup(path);
	saver.format = &known_format;
	saver.content = known;
	saver.changed = &known->changed;
	return saver;
}

/* What another daemon finds. */
static int found(struct known *known, enum records_fault *fault)
{
	struct saver saver = saver_of(known);
	int r = saver_read(&saver, fault);

	saver_release(&saver, false);
	return r;
}

static void what_is_saved_is_found(void **state)
{
	struct known known = {0}, read = {0};
	struct saver saver = saver_of(&known);
	enum records_fault fault;

	assert_int_equal(found(&read, &fault), 0);
	assert_int_equal(fault, RECORDS_GOOD);
	assert_int_equal(read.n, 0);
	assert_int_equal(known_judge(&known, "/bin/program", 0, 0, KNOWN_COLD_BYTES, 1), 0);
	assert_true(known.changed);
	saver_release(&saver, true);
	assert_int_equal(found(&read, &fault), 0);
	assert_int_equal(fault, RECORDS_GOOD);
	assert_int_equal(read.n, 1);
	assert_non_null(known_find(&read, "/bin/program", 0));
	known_release(&known);
	known_release(&read);
}

static void a_file_that_is_something_else_is_damaged(void **state)
{
	struct known read = {0};
	enum records_fault fault;

	assert_int_equal(publish_file(path, 0600, "nonsense", 8), 0);
	assert_int_equal(found(&read, &fault), 0);
	assert_int_equal(fault, RECORDS_DAMAGED);
	assert_int_equal(truncate(path, (off_t)known_format.size_max + 1), 0);
	assert_int_equal(found(&read, &fault), 0);
	assert_int_equal(fault, RECORDS_DAMAGED);
}

/* It may be readable again later: it must not be taken for damaged, and replaced. */
static void a_file_that_cannot_be_read_is_not_damaged(void **state)
{
	struct known read = {0};
	enum records_fault fault;

	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(found(&read, &fault), -EISDIR);
	assert_int_equal(fault, RECORDS_GOOD);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(symlink("known", path), 0);
	assert_int_equal(found(&read, &fault), -ELOOP);
	assert_int_equal(fault, RECORDS_GOOD);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_saved_is_found),
		TEST(a_file_that_is_something_else_is_damaged),
		TEST(a_file_that_cannot_be_read_is_not_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
