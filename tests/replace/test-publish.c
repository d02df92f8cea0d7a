/* SPDX-License-Identifier: MIT */
/* Unit test of replace/publish.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "replace/publish.h"

static void publish_replaces_whole_or_not_at_all(void **state)
{
	char folder[] = "/tmp/headstart-publish-XXXXXX";
	_cleanup_free_ char *path = NULL, *nested = NULL, *data = NULL, *pattern = NULL;
	size_t size;
	struct stat st;
	glob_t left;

	assert_non_null(mkdtemp(folder));
	assert_true(asprintf(&path, "%s/file", folder) > 0);
	assert_true(asprintf(&nested, "%s/a/b/c", folder) > 0);
	assert_int_equal(publish_file(path, 0644, "old", 3), 0);
	assert_int_equal(publish_file(path, 0600, "newer", 5), 0);
	assert_int_equal(read_file(path, 100, &data, &size), 0);
	assert_int_equal(size, 5);
	assert_string_equal(data, "newer");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(publish_file(nested, 0644, "x", 1), -ENOENT);
	assert_int_equal(make_folders(nested, 0755), 0);
	assert_int_equal(make_folders(nested, 0755), 0);
	/* A file cannot be renamed over a folder. The temporary file must be gone afterwards. */
	assert_int_equal(publish_file(nested, 0644, "x", 1), -EISDIR);
	assert_true(asprintf(&pattern, "%s/a/b/.c.*", folder) > 0);
	assert_int_equal(glob(pattern, 0, NULL, &left), GLOB_NOMATCH);
	unlink(path);
	rmdir(nested);
	*strrchr(nested, '/') = '\0';
	rmdir(nested);
	*strrchr(nested, '/') = '\0';
	rmdir(nested);
	assert_int_equal(rmdir(folder), 0);
}

/* Somebody else writes the file after all has been written for its replacement. */
static bool somebody_else_was_faster(const void *context)
{
	const char *path = context;
	_cleanup_free_ char *pattern = NULL;
	glob_t written;

	assert_true(asprintf(&pattern, "%.*s/.file.*", (int)(strrchr(path, '/') - path), path) > 0);
	assert_int_equal(glob(pattern, 0, NULL, &written), 0);
	globfree(&written);
	assert_int_equal(publish_file(path, 0644, "theirs", 6), 0);
	return false;
}

static bool nobody_was(const void *context)
{
	return true;
}

static void what_somebody_else_writes_meanwhile_stays(void **state)
{
	char folder[] = "/tmp/headstart-publish-XXXXXX";
	_cleanup_free_ char *path = NULL, *theirs = NULL, *ours = NULL;
	size_t size;

	assert_non_null(mkdtemp(folder));
	assert_true(asprintf(&path, "%s/file", folder) > 0);
	assert_int_equal(publish_file(path, 0644, "old", 3), 0);
	assert_int_equal(publish_file_if(path, 0600, "ours", 4, somebody_else_was_faster, path), -ESTALE);
	assert_int_equal(read_file(path, 100, &theirs, &size), 0);
	assert_string_equal(theirs, "theirs");
	assert_int_equal(publish_file_if(path, 0600, "ours", 4, nobody_was, path), 0);
	assert_int_equal(read_file(path, 100, &ours, &size), 0);
	assert_string_equal(ours, "ours");
	unlink(path);
	assert_int_equal(rmdir(folder), 0); /* nothing is left behind */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(publish_replaces_whole_or_not_at_all),
		cmocka_unit_test(what_somebody_else_writes_meanwhile_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
