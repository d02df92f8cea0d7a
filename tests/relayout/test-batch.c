/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of a batch of files: which files there are, where results go, what becomes of each. test-batch FILE, an
 * original.
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
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "profile/updates/staleness.h"
#include "relayout/batch.h"
#include "replace/publish.h"
#include "tree.h"
#include "verify/verify.h"

#define ALL (NOTE_PASS_HOT | NOTE_PASS_RELR | NOTE_PASS_RELOCS)

static char *original; /* absolute */

struct fixture {
	char folder[32]; /* also the working folder */
	struct profile profile;
	struct relayout_batch batch;
};

static void copy(const char *from, const char *to)
{
	_cleanup_free_ char *data = NULL;
	size_t size;

	assert_int_equal(read_file(from, 1 << 24, &data, &size), 0);
	assert_int_equal(publish_file(to, 0755, data, size), 0);
}

/* A profile that has touched every second page of the file. */
static void touch(struct profile *profile, const char *path)
{
	struct profile_file *file;
	size_t i;

	*profile = (struct profile){.program = strdup(path), .page_size = 4096, .runs = 1};
	assert_int_equal(profile_add_file(profile, path, PROFILE_REGULAR, &i), 0);
	file = &profile->files[i];
	assert_int_equal(profile_file_identify(file), 0);
	for (uint32_t page = 0; page < file->size / 4096; page += 2)
		assert_int_equal(profile_file_add_range(file,
					 (struct profile_range){
						 .page = page, .pages = 1, .order = 1 + page, .runs = 1}),
			0);
	assert_int_equal(profile_finish(profile), 0);
}

/* The folder has lib.so, a copy of the original, which is in the profile, and a program, which is not. */
static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	char path[64];

	assert_non_null(fixture);
	strcpy(fixture->folder, "/tmp/headstart-test.XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	assert_int_equal(chdir(fixture->folder), 0);
	copy(original, "lib.so");
	copy("/proc/self/exe", "program");
	snprintf(path, sizeof(path), "%s/lib.so", fixture->folder);
	touch(&fixture->profile, path);
	fixture->batch.options = (struct relayout_options){
		.profile = &fixture->profile,
		.pass_options.passes = ALL,
		.takes_losses = true, /* the samples are too small to gain */
	};
	assert_int_equal(relayout_batch_enter(&fixture->batch, "/"), 0);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	relayout_batch_release(&fixture->batch);
	profile_release(&fixture->profile);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(tree_remove(fixture->folder), 0);
	free(fixture);
	return 0;
}

static const struct relayout_file *run_one(struct relayout_batch *batch, const char *name, const char *output)
{
	struct relayout_clash clash;

	assert_int_equal(relayout_batch_add(batch, name), 0);
	if (output)
		assert_int_equal(relayout_batch_place(batch, output, &clash), 0);
	relayout_batch_run(batch, 1, NULL, NULL);
	return &batch->files[0];
}

static void assert_passes(const char *path, uint32_t want)
{
	_cleanup_free_ char *data = NULL;
	struct verify_report report;
	size_t size;

	assert_int_equal(read_file(path, 1 << 24, &data, &size), 0);
	assert_int_equal(verify_relaid((const uint8_t *)data, size, &report), 0);
	assert_int_equal(report.passes, want);
}

static void all_names_of_a_file_are_one_file(void **state)
{
	struct relayout_batch *batch = &((struct fixture *)*state)->batch;

	assert_int_equal(link("lib.so", "lib.so.1"), 0);
	assert_int_equal(symlink("lib.so", "link"), 0);
	assert_int_equal(mkdir("else", 0755), 0);
	assert_int_equal(link("lib.so", "else/lib.so"), 0);
	assert_int_equal(relayout_batch_add(batch, "link"), 0);
	assert_int_equal(batch->n_files, 1);
	assert_string_equal(batch->files[0].name, "link");
	assert_int_equal(batch->files[0].n_names, 1); /* the one beside it */
	assert_non_null(strstr(batch->files[0].names[0], "/lib.so.1"));
	assert_int_equal(relayout_batch_add(batch, "lib.so"), 0);
	assert_int_equal(relayout_batch_add(batch, "lib.so.1"), 0);
	assert_int_equal(batch->files[0].n_names, 1);
	assert_int_equal(link("lib.so", "else/lib.so.1"), 0);
	assert_int_equal(relayout_batch_add(batch, "else/lib.so"), 0);
	assert_int_equal(batch->n_files, 1);
	assert_int_equal(batch->files[0].n_names, 3);
	assert_int_equal(relayout_batch_add(batch, "none"), -ENOENT);
}

static void names_that_a_killed_process_left_are_no_hindrance(void **state)
{
	struct stat st;

	assert_int_equal(link("lib.so", ".lib.so.1.headstart-0123abcd"), 0);
	assert_int_equal(run_one(&((struct fixture *)*state)->batch, "lib.so", NULL)->status, RELAYOUT_DONE);
	assert_int_equal(access(".lib.so.1.headstart-0123abcd", F_OK), -1);
	assert_int_equal(stat("lib.so", &st), 0);
	assert_int_equal(st.st_nlink, 1);
}

static void a_checksum_beside_any_name_counts(void **state)
{
	const struct relayout_file *file;

	assert_int_equal(link("lib.so", "lib.so.1"), 0);
	assert_int_equal(publish_file(".lib.so.1.hmac", 0644, "", 0), 0);
	file = run_one(&((struct fixture *)*state)->batch, "lib.so", NULL);
	assert_int_equal(file->status, RELAYOUT_REFUSED);
	assert_non_null(strstr(file->reason, "is covered by a checksum"));
}

/* Programs open libx.so.1, and of that the checksum may be. */
static void a_checksum_of_a_shorter_name_counts(void **state)
{
	static const char *const checksums[] = {".libx.so.1.hmac", "libx.so.hmac",
		"fipscheck/.libx.so.1.2.hmac", "fipscheck/libx.so.1.hmac", ".libx.so.1.2.3.hmac"};
	struct fixture *fixture = *state;

	assert_int_equal(mkdir("fipscheck", 0755), 0);
	for (size_t i = 0; i < sizeof(checksums) / sizeof(*checksums); i++) {
		struct relayout_batch batch = {.options = fixture->batch.options};

		copy(original, "libx.so.1.2.3");
		assert_int_equal(publish_file(checksums[i], 0644, "", 0), 0);
		assert_int_equal(relayout_batch_enter(&batch, "/"), 0);
		assert_int_equal(run_one(&batch, "libx.so.1.2.3", NULL)->status, RELAYOUT_REFUSED);
		assert_non_null(strstr(batch.files[0].reason, "is covered by a checksum"));
		relayout_batch_release(&batch);
		assert_int_equal(unlink(checksums[i]), 0);
	}
	assert_int_equal(publish_file(".liby.so.1.hmac", 0644, "", 0), 0);
	assert_int_not_equal(run_one(&fixture->batch, "lib.so", NULL)->status, RELAYOUT_REFUSED);
}

/* Whoever owns the folder has exchanged it since the file was looked at. */
static void no_other_file_takes_its_place(void **state)
{
	struct fixture *fixture = *state;
	struct stat before, after;

	assert_int_equal(mkdir("theirs", 0755), 0);
	assert_int_equal(mkdir("roots", 0755), 0);
	assert_int_equal(rename("lib.so", "theirs/lib.so"), 0);
	copy(original, "roots/lib.so");
	assert_int_equal(relayout_batch_add(&fixture->batch, "theirs/lib.so"), 0);
	fixture->batch.files[0].inside = fixture->profile.files[0].path; /* as the profile has it */
	assert_int_equal(rename("theirs", "aside"), 0);
	assert_int_equal(symlink("roots", "theirs"), 0);
	assert_int_equal(stat("roots/lib.so", &before), 0);
	relayout_batch_run(&fixture->batch, 1, NULL, NULL);
	assert_int_equal(fixture->batch.files[0].status, RELAYOUT_FAILED);
	assert_string_equal(fixture->batch.files[0].reason, "was exchanged for another file");
	assert_int_equal(stat("roots/lib.so", &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(before.st_size, after.st_size);
}

/* A copy beside it would keep its rights when the program itself has been mended. */
static void no_copy_of_a_setuid_program_lies_beside_it(void **state)
{
	struct fixture *fixture = *state;
	struct relayout_batch batch = {
		.options = fixture->batch.options, .force = true, .originals_only = true};

	assert_int_equal(chmod("lib.so", 04755), 0);
	assert_int_equal(relayout_batch_enter(&batch, "/"), 0);
	assert_int_equal(run_one(&batch, "lib.so", "copy")->status, RELAYOUT_REFUSED);
	assert_string_equal(batch.files[0].reason, "is setuid or setgid");
	assert_int_equal(access("copy", F_OK), -1);
	relayout_batch_release(&batch);
	fixture->batch.force = true;
	assert_int_equal(run_one(&fixture->batch, "lib.so", NULL)->status, RELAYOUT_DONE);
}

static void a_name_in_another_folder_must_be_given(void **state)
{
	const struct relayout_file *file;

	assert_int_equal(mkdir("else", 0755), 0);
	assert_int_equal(link("lib.so", "else/lib.so"), 0);
	file = run_one(&((struct fixture *)*state)->batch, "lib.so", NULL);
	assert_int_equal(file->status, RELAYOUT_REFUSED);
	assert_non_null(strstr(file->reason, "hard links"));
}

static void links_do_not_lead_out_of_the_root(void **state)
{
	struct fixture *fixture = *state;
	struct relayout_batch batch = {.options = fixture->batch.options};
	int r;

	assert_int_equal(relayout_batch_enter(&batch, "lib.so"), -ENOTDIR);
	assert_int_equal(relayout_batch_enter(&batch, "none"), -ENOENT);
	assert_int_equal(mkdir("root", 0755), 0);
	assert_int_equal(symlink("/lib.so", "root/link"), 0);
	assert_int_equal(relayout_batch_enter(&batch, "root"), 0);
	r = relayout_batch_add(&batch, "/link");
	if (r == -ENOSYS) {
		relayout_batch_release(&batch);
		print_message("no openat2 (valgrind)\n");
		skip();
	}
	assert_int_equal(r, -ENOENT);
	copy("lib.so", "root/lib.so");
	assert_int_equal(relayout_batch_add(&batch, "/link"), 0);
	assert_string_equal(batch.files[0].inside, "/lib.so");
	relayout_batch_release(&batch);
}

static void a_profile_has_elf_files_that_are_there(void **state)
{
	struct fixture *fixture = *state;
	const char *culprit;
	size_t i;

	assert_int_equal(profile_add_file(&fixture->profile, "/no/such/file", PROFILE_REGULAR, &i), 0);
	assert_int_equal(profile_add_file(&fixture->profile, "/etc/passwd", PROFILE_REGULAR, &i), 0);
	assert_int_equal(relayout_batch_add_profile(&fixture->batch, &culprit), 0);
	assert_int_equal(fixture->batch.n_files, 1);
	assert_string_equal(fixture->batch.files[0].name, "lib.so");
}

static void two_results_are_never_one_file(void **state)
{
	struct relayout_batch *batch = &((struct fixture *)*state)->batch;
	struct relayout_clash clash;

	assert_int_equal(mkdir("out", 0755), 0);
	assert_int_equal(mkdir("else", 0755), 0);
	copy("lib.so", "else/lib.so");
	assert_int_equal(relayout_batch_add(batch, "lib.so"), 0);
	assert_int_equal(relayout_batch_add(batch, "else/lib.so"), 0);
	assert_int_equal(relayout_batch_place(batch, "new", &clash), -ENOTDIR);
	assert_int_equal(relayout_batch_place(batch, "out", &clash), -EEXIST);
	assert_ptr_equal(clash.one, &batch->files[0]);
	assert_ptr_equal(clash.other, &batch->files[1]);
}

static void copies_lie_as_their_files_do(void **state)
{
	struct fixture *fixture = *state;
	const char *culprit;
	char want[128];

	assert_int_equal(relayout_batch_add(&fixture->batch, "lib.so"), 0);
	snprintf(want, sizeof(want), "%s/shadow", fixture->folder);
	assert_int_equal(relayout_batch_place_below(&fixture->batch, want, &culprit), 0);
	relayout_batch_run(&fixture->batch, 0, NULL, NULL);
	assert_int_equal(fixture->batch.files[0].status, RELAYOUT_DONE);
	snprintf(want, sizeof(want), "%s/shadow%s/lib.so", fixture->folder, fixture->folder);
	assert_string_equal(fixture->batch.files[0].output, want);
	assert_int_equal(access(want, F_OK), 0);
}

static void what_a_file_was_is_known_afterwards(void **state)
{
	struct relayout_batch *batch = &((struct fixture *)*state)->batch;
	const struct relayout_file *file;
	struct stat st;

	assert_int_equal(stat("lib.so", &st), 0);
	file = run_one(batch, "lib.so", NULL);
	assert_int_equal(file->status, RELAYOUT_DONE);
	assert_int_equal(file->size_before, st.st_size);
	assert_int_equal(file->mtime, st.st_mtim.tv_sec);
	assert_int_equal(stat("lib.so", &st), 0);
	assert_int_equal(file->size_after, st.st_size);
}

static void a_dry_run_writes_nothing(void **state)
{
	struct relayout_batch *batch = &((struct fixture *)*state)->batch;
	const struct relayout_file *file;
	struct stat before, after;

	assert_int_equal(stat("lib.so", &before), 0);
	batch->dry_run = true;
	file = run_one(batch, "lib.so", "new");
	assert_int_equal(file->status, RELAYOUT_DONE);
	assert_true(file->size_after > file->size_before && file->hot_bytes > 0);
	assert_int_equal(stat("lib.so", &after), 0);
	assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
	assert_int_equal(access("new", F_OK), -1);
}

static void a_pass_that_is_not_wanted_does_nothing(void **state)
{
	struct relayout_batch *batch = &((struct fixture *)*state)->batch;

	batch->options.pass_options.passes = NOTE_PASS_HOT;
	assert_int_equal(run_one(batch, "lib.so", "hot.so")->status, RELAYOUT_DONE);
	assert_passes("hot.so", NOTE_PASS_HOT);
}

static void without_passes_nothing_is_relaid(void **state)
{
	struct relayout_batch *batch = &((struct fixture *)*state)->batch;
	const struct relayout_file *file;

	batch->options.pass_options.passes = 0;
	file = run_one(batch, "lib.so", "none.so");
	assert_int_equal(file->status, RELAYOUT_SKIPPED);
	assert_non_null(strstr(file->reason, "has no page that a start touches"));
	assert_int_equal(access("none.so", F_OK), -1);
}

static void a_file_that_a_start_would_read_longer_is_left(void **state)
{
	struct relayout_batch *batch = &((struct fixture *)*state)->batch;
	const struct relayout_file *file;

	batch->options.takes_losses = false;
	file = run_one(batch, "lib.so", "worse.so");
	assert_int_equal(file->status, RELAYOUT_SKIPPED);
	assert_non_null(strstr(file->reason, "would take a cold start longer to read"));
	assert_int_equal(access("worse.so", F_OK), -1);
}

static void what_is_skipped_is_copied_where_that_is_wanted(void **state)
{
	struct relayout_batch *batch = &((struct fixture *)*state)->batch;
	const struct relayout_file *file;

	batch->copy_skipped = true;
	file = run_one(batch, "program", "same");
	assert_int_equal(file->status, RELAYOUT_SKIPPED);
	assert_non_null(strstr(file->reason, "is not in the profile"));
	assert_true(file->copied);
	assert_int_equal(system("cmp program same"), 0);
}

static void a_relaid_file_is_refused_where_originals_are_wanted(void **state)
{
	struct fixture *fixture = *state;
	struct relayout_batch batch = {.options = fixture->batch.options, .originals_only = true};

	assert_int_equal(run_one(&fixture->batch, "lib.so", NULL)->status, RELAYOUT_DONE);
	assert_int_equal(relayout_batch_enter(&batch, "/"), 0);
	assert_int_equal(run_one(&batch, "lib.so", "again")->status, RELAYOUT_REFUSED);
	assert_non_null(strstr(batch.files[0].reason, "is relaid already"));
	relayout_batch_release(&batch);
}

static void what_is_no_elf_file_is_unfit(void **state)
{
	struct fixture *fixture = *state;
	const struct relayout_file *file;

	assert_int_equal(publish_file("text", 0644, "text\n", 5), 0);
	file = run_one(&fixture->batch, "text", NULL);
	assert_int_equal(file->status, RELAYOUT_REFUSED);
	assert_true(file->unfit);
}

static void only_what_was_relaid_is_summed(void **state)
{
	struct relayout_batch *batch = &((struct fixture *)*state)->batch;
	const struct relayout_file *file;
	struct relayout_totals totals;

	assert_int_equal(relayout_batch_add(batch, "program"), 0); /* is not in the profile */
	assert_int_equal(relayout_batch_add(batch, "lib.so"), 0);
	relayout_batch_run(batch, 2, NULL, NULL);
	totals = relayout_batch_sum(batch);
	file = &batch->files[1];
	assert_int_equal(totals.by_status[RELAYOUT_DONE], 1);
	assert_int_equal(totals.by_status[RELAYOUT_SKIPPED], 1);
	assert_int_equal(totals.hot_bytes, file->hot_bytes);
	assert_memory_equal(&totals.before, &file->before, sizeof(totals.before));
	assert_memory_equal(&totals.after, &file->after, sizeof(totals.after));
	assert_false(relayout_batch_failed(batch, true));
}

static void an_unfit_file_is_a_failure_where_it_was_named(void **state)
{
	struct relayout_batch *batch = &((struct fixture *)*state)->batch;

	assert_int_equal(publish_file("text", 0644, "text\n", 5), 0);
	run_one(batch, "text", NULL);
	assert_false(relayout_batch_failed(batch, false));
	assert_true(relayout_batch_failed(batch, true));
	batch->files[0].unfit = false;
	assert_true(relayout_batch_failed(batch, false));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_names_of_a_file_are_one_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_name_in_another_folder_must_be_given, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			names_that_a_killed_process_left_are_no_hindrance, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_checksum_beside_any_name_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_checksum_of_a_shorter_name_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_other_file_takes_its_place, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			no_copy_of_a_setuid_program_lies_beside_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(links_do_not_lead_out_of_the_root, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_profile_has_elf_files_that_are_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(two_results_are_never_one_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(copies_lie_as_their_files_do, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_a_file_was_is_known_afterwards, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_dry_run_writes_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_pass_that_is_not_wanted_does_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_passes_nothing_is_relaid, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_file_that_a_start_would_read_longer_is_left, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_skipped_is_copied_where_that_is_wanted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_relaid_file_is_refused_where_originals_are_wanted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_no_elf_file_is_unfit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(only_what_was_relaid_is_summed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			an_unfit_file_is_a_failure_where_it_was_named, set_up, tear_down),
	};

	original = argc == 2 ? realpath(argv[1], NULL) : NULL;
	if (!original)
		return 2;
	argc = cmocka_run_group_tests(tests, NULL, NULL);
	free(original);
	return argc;
}
