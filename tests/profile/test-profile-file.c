/* SPDX-License-Identifier: MIT */
/* Unit tests of the profile on disk: round trip, and every way in which a file can be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "fixture.h"
#include "profile/profile-file.h"

#define HEADER_SIZE 64

static void assert_same_file(const struct profile_file *a, const struct profile_file *b)
{
	assert_string_equal(a->path, b->path);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->mtime, b->mtime);
	assert_int_equal(a->order, b->order);
	assert_int_equal(a->build_id_size, b->build_id_size);
	assert_memory_equal(a->build_id, b->build_id, sizeof(a->build_id));
	assert_int_equal(a->n_ranges, b->n_ranges);
	if (a->n_ranges > 0)
		assert_memory_equal(a->ranges, b->ranges, a->n_ranges * sizeof(*a->ranges));
}

static void assert_same(const struct profile *a, const struct profile *b)
{
	assert_string_equal(a->command, b->command);
	assert_string_equal(a->program, b->program);
	assert_string_equal(a->kernel, b->kernel);
	assert_string_equal(a->device, b->device);
	assert_string_equal(a->milestone, b->milestone);
	assert_int_equal(a->recorded, b->recorded);
	assert_int_equal(a->page_size, b->page_size);
	assert_int_equal(a->runs, b->runs);
	assert_int_equal(a->touches, b->touches);
	assert_int_equal(a->backend, b->backend);
	assert_int_equal(a->bias, b->bias);
	assert_int_equal(a->n_files, b->n_files);
	for (size_t i = 0; i < a->n_files; i++)
		assert_same_file(&a->files[i], &b->files[i]);
	assert_int_equal(a->n_execs, b->n_execs);
	for (size_t i = 0; i < a->n_execs; i++) {
		assert_string_equal(a->execs[i].path, b->execs[i].path);
		assert_int_equal(a->execs[i].order, b->execs[i].order);
	}
}

static void round_trip(void **state)
{
	_cleanup_(profile_releasep) struct profile written = fixture_small(), read = {0};
	char folder[] = "/tmp/headstart-profile-XXXXXX";
	_cleanup_free_ char *path = NULL;
	struct stat st;

	written.bias = PROFILE_BIAS_LOST | PROFILE_BIAS_TIMEOUT;
	assert_non_null(mkdtemp(folder));
	assert_true(asprintf(&path, "%s/a.profile", folder) > 0);
	assert_int_equal(profile_save(&written, path), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(profile_load(path, &read), PROFILE_GOOD);
	assert_same(&written, &read);
	unlink(path);
	assert_int_equal(profile_load(path, &read), PROFILE_UNREADABLE);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(profile_load(folder, &read), PROFILE_UNREADABLE);
	assert_int_equal(errno, EISDIR);
	rmdir(folder);
}

static void what_could_not_be_read_is_not_written(void **state)
{
	_cleanup_(profile_releasep) struct profile profile = fixture_small();
	void *data = NULL;
	size_t size = 0;

	profile.touches = 3;
	assert_int_equal(profile_serialize(&profile, &data, &size), -EINVAL);
	assert_null(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(what_could_not_be_read_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
