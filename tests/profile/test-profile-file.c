/* SPDX-License-Identifier: MIT */
/* Unit tests of the profile on disk: writing and reading back, and every way in which a file can be wrong. */
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
#include "elf/landmarks.h"
#include "fixture.h"
#include "profile/file/disk-layout.h"
#include "profile/file/profile-file.h"
#include "profile/metadata.h"
#include "replace/publish.h"
#include "seal.h"

/* Offsets on disk: profile/file/disk-layout.h. */
enum {
	AT_VERSION = 8,
	AT_PAGE_SIZE = 12,
	AT_FILE_SIZE = 16,
	AT_RECORDED = 24,
	AT_RUNS = 32,
	AT_TOUCHES = 36,
	AT_BACKEND = 40,
	AT_BIAS = 44,
	AT_FILE_COUNT = 48,
	AT_RANGE_COUNT = 52,
	AT_EXEC_COUNT = 56,
	AT_STRINGS_SIZE = 60,
	AT_ASKED = 64,
	AT_STATUS = 72,
	AT_ARGUMENT_COUNT = 76,
	AT_PART_COUNT = 80,
	AT_MARK_COUNT = 84,
	AT_FILE_SYSTEM_COUNT = 88,
	AT_BLOCK_RANGE_COUNT = 92,
	AT_FIRST_TOUCHES = 96,
	AT_FILES = 112,
	FILE_ORDER = 16,
	FILE_RANGE_COUNT = 20,
	FILE_KIND = 24,
	FILE_BUILD_ID_SIZE = 28,
	FILE_BUILD_ID = 32,
	FILE_PART_COUNT = 64,
	FILE_MARK_COUNT = 68,
	FILE_ENTRY = 72,
	AT_RANGES = AT_FILES + 5 * FILE_ENTRY, /* of fixture_small(): those of the program come first */
	RANGE_DOUBT = 16,
	RANGE_ENTRY = 20,
	AT_PARTS = AT_RANGES + 6 * RANGE_ENTRY, /* two, and three landmarks */
	PART_ENTRY = 12,
	AT_MARKS = AT_PARTS + 2 * PART_ENTRY,
	MARK_ENTRY = 8,
	AT_FILE_SYSTEMS =
		AT_MARKS + 3 * MARK_ENTRY, /* two, the second of which has three of the four ranges */
	FILE_SYSTEM_ENTRY = 16,
	AT_BLOCK_RANGES = AT_FILE_SYSTEMS + 2 * FILE_SYSTEM_ENTRY,
	BLOCK_RANGE_ENTRY = 8,
	AT_EXECS = AT_BLOCK_RANGES + 4 * BLOCK_RANGE_ENTRY,
	AT_STRINGS = AT_EXECS + 2 * 4,
};

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
	assert_int_equal(a->landmarks != NULL, b->landmarks != NULL);
	if (!a->landmarks)
		return;
	assert_int_equal(a->landmarks->n_parts, b->landmarks->n_parts);
	assert_memory_equal(
		a->landmarks->parts, b->landmarks->parts, a->landmarks->n_parts * sizeof(struct elf_part));
	assert_int_equal(a->landmarks->n_marks, b->landmarks->n_marks);
	assert_memory_equal(a->landmarks->marks, b->landmarks->marks,
		a->landmarks->n_marks * sizeof(struct elf_landmark));
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
	assert_string_equal(a->folder, b->folder);
	assert_string_equal(a->rule, b->rule);
	assert_string_equal(a->asked_path, b->asked_path);
	assert_int_equal(a->asked, b->asked);
	assert_int_equal(a->status, b->status);
	assert_int_equal(a->n_arguments, b->n_arguments);
	for (size_t i = 0; i < a->n_arguments; i++)
		assert_string_equal(a->arguments[i], b->arguments[i]);
	assert_int_equal(a->n_files, b->n_files);
	for (size_t i = 0; i < a->n_files; i++)
		assert_same_file(&a->files[i], &b->files[i]);
	assert_int_equal(a->n_file_systems, b->n_file_systems);
	for (size_t i = 0; i < a->n_file_systems; i++) {
		const struct profile_file_system *x = &a->file_systems[i], *y = &b->file_systems[i];

		assert_int_equal(x->id, y->id);
		assert_int_equal(x->n_ranges, y->n_ranges);
		assert_memory_equal(x->ranges, y->ranges, x->n_ranges * sizeof(*x->ranges));
	}
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
	enum profile_fault fault;
	struct stat st;

	written.bias = PROFILE_BIAS_LOST | PROFILE_BIAS_TIMEOUT;
	written.files[1].ranges[0].doubt = (struct profile_doubt){1, 2};
	assert_non_null(mkdtemp(folder));
	assert_true(asprintf(&path, "%s/a.profile", folder) > 0);
	assert_int_equal(profile_save(&written, path, 0644), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(profile_load(path, &read, &fault), 0);
	assert_same(&written, &read);
	unlink(path);
	assert_int_equal(publish_file(path, 0600, "x", 1), 0);
	assert_int_equal(profile_load(path, &read, &fault), -EBADMSG);
	assert_int_equal(fault, PROFILE_FOREIGN);
	unlink(path);
	assert_int_equal(profile_load(path, &read, &fault), -ENOENT);
	assert_int_equal(profile_load(folder, &read, &fault), -EISDIR);
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

/* fixture_small() on disk. */
struct image {
	unsigned char *data; /* owned */
	size_t size;
};

static struct image small_image(void)
{
	_cleanup_(profile_releasep) struct profile profile = fixture_small();
	struct image image;
	void *data;

	assert_int_equal(profile_serialize(&profile, &data, &image.size), 0);
	image.data = data;
	return image;
}

static enum profile_fault parse(const struct image *image, size_t size)
{
	_cleanup_(profile_releasep) struct profile profile = {0};
	void *exact = malloc(size ? size : 1);
	enum profile_fault fault;

	memcpy(exact, image->data, size);
	fault = profile_parse(exact, size, &profile);
	if (fault != PROFILE_GOOD)
		assert_null(profile.program);
	free(exact);
	return fault;
}

static void every_truncation_is_refused(void **state)
{
	struct image image = small_image();

	for (size_t size = 0; size < image.size; size++)
		assert_int_equal(parse(&image, size), size < 8 ? PROFILE_FOREIGN : PROFILE_TRUNCATED);
	for (size_t size = image.size - 1; size > 8; size--) {
		seal_profile(image.data, size);
		assert_int_not_equal(parse(&image, size), PROFILE_GOOD);
	}
	free(image.data);
}

static void every_changed_bit_is_noticed(void **state)
{
	struct image image = small_image();

	for (size_t bit = 0; bit < image.size * 8; bit++) {
		image.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
		assert_int_not_equal(parse(&image, image.size), PROFILE_GOOD);
		image.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	assert_int_equal(parse(&image, image.size), PROFILE_GOOD);
	free(image.data);
}

static void bytes_after_the_end_are_refused(void **state)
{
	struct image image = small_image();

	image.data = realloc(image.data, image.size + 8);
	memset(image.data + image.size, 0, 8);
	assert_int_equal(parse(&image, image.size + 8), PROFILE_DAMAGED);
	seal_profile(image.data, image.size + 8);
	assert_int_equal(parse(&image, image.size + 8), PROFILE_DAMAGED);
	free(image.data);
}

/* Returns the error for a good profile in which one 32-bit field is changed and the checksum corrected. */
static void poke(size_t at, uint32_t value, enum profile_fault expected)
{
	struct image image = small_image();

	value = LE32(value);
	memcpy(image.data + at, &value, sizeof(value));
	seal_profile(image.data, image.size);
	if (parse(&image, image.size) != expected)
		fail_msg("%u at %zu: %d, not %d", LE32(value), at, parse(&image, image.size), expected);
	free(image.data);
}

static void every_field_of_the_header_is_checked(void **state)
{
	const size_t counts[] = {AT_FILE_COUNT, AT_RANGE_COUNT, AT_EXEC_COUNT, AT_STRINGS_SIZE, AT_PART_COUNT,
		AT_MARK_COUNT, AT_FILE_SYSTEM_COUNT, AT_BLOCK_RANGE_COUNT};
	const uint32_t wrong[] = {0, 1, 7, 1u << 26, UINT32_MAX};

	poke(0, 0, PROFILE_FOREIGN);
	poke(AT_PAGE_SIZE, 0, PROFILE_DAMAGED);
	poke(AT_PAGE_SIZE, 4097, PROFILE_DAMAGED);
	poke(AT_PAGE_SIZE, 16384, PROFILE_GOOD);
	poke(AT_RECORDED, 7, PROFILE_GOOD);
	poke(AT_RUNS, 0, PROFILE_DAMAGED);
	poke(AT_TOUCHES, 20, PROFILE_DAMAGED);
	poke(AT_TOUCHES, 0, PROFILE_DAMAGED);
	poke(AT_TOUCHES, UINT32_MAX, PROFILE_GOOD);
	poke(AT_BACKEND, 77, PROFILE_GOOD);
	poke(AT_BIAS, UINT32_MAX, PROFILE_GOOD);
	poke(AT_ASKED, 7, PROFILE_GOOD);
	poke(AT_STATUS, UINT32_MAX, PROFILE_GOOD);
	poke(AT_ARGUMENT_COUNT, 1, PROFILE_DAMAGED);
	poke(AT_ARGUMENT_COUNT, 3, PROFILE_DAMAGED);
	poke(AT_ARGUMENT_COUNT, UINT32_MAX, PROFILE_DAMAGED);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		for (size_t j = 0; j < sizeof(wrong) / sizeof(*wrong); j++)
			poke(counts[i], wrong[j], PROFILE_DAMAGED);
}

static void every_table_is_checked(void **state)
{
	const size_t folder = AT_FILES, app = AT_FILES + FILE_ENTRY;

	poke(folder + FILE_ORDER, 2, PROFILE_DAMAGED);
	poke(folder + FILE_ORDER, UINT32_MAX, PROFILE_DAMAGED);
	poke(folder + FILE_KIND, PROFILE_SYMLINK + 1, PROFILE_DAMAGED);
	poke(folder + FILE_RANGE_COUNT, 1, PROFILE_DAMAGED);
	poke(app + FILE_RANGE_COUNT, 1, PROFILE_DAMAGED);
	poke(app + FILE_RANGE_COUNT, UINT32_MAX, PROFILE_DAMAGED);
	poke(app + FILE_KIND, PROFILE_DIRECTORY, PROFILE_DAMAGED);
	poke(app + FILE_BUILD_ID_SIZE, 19, PROFILE_DAMAGED);
	poke(app + FILE_BUILD_ID_SIZE, 33, PROFILE_DAMAGED);
	poke(app + FILE_BUILD_ID_SIZE, UINT32_MAX, PROFILE_DAMAGED);
	poke(app + FILE_BUILD_ID + 28, 1, PROFILE_DAMAGED);
	poke(AT_RANGES, 7, PROFILE_DAMAGED); /* overlaps the second */
	poke(AT_RANGES, UINT32_MAX, PROFILE_DAMAGED);
	poke(AT_RANGES + 4, 0, PROFILE_DAMAGED);
	poke(AT_RANGES + 4, UINT32_MAX, PROFILE_DAMAGED);
	poke(AT_RANGES + 8, 18, PROFILE_DAMAGED);
	poke(AT_RANGES + 8, UINT32_MAX, PROFILE_DAMAGED);
	poke(AT_RANGES + 12, 0, PROFILE_DAMAGED);
	poke(AT_RANGES + 12, 2, PROFILE_DAMAGED);
	poke(app + FILE_PART_COUNT, 1, PROFILE_DAMAGED);
	poke(app + FILE_PART_COUNT, UINT32_MAX, PROFILE_DAMAGED);
	poke(app + FILE_MARK_COUNT, 2, PROFILE_DAMAGED);
	poke(app + FILE_MARK_COUNT, UINT32_MAX, PROFILE_DAMAGED);
	poke(AT_PARTS, UINT32_MAX, PROFILE_GOOD);    /* its name */
	poke(AT_PARTS + 4, 0x1001, PROFILE_DAMAGED); /* overlaps the second */
	poke(AT_PARTS + 4, UINT32_MAX, PROFILE_DAMAGED);
	poke(AT_PARTS + 8, 0, PROFILE_DAMAGED);
	poke(AT_PARTS + 8, UINT32_MAX, PROFILE_DAMAGED);
	poke(AT_PARTS + PART_ENTRY + 8, UINT32_MAX - 0x5000, PROFILE_GOOD);
	poke(AT_PARTS + PART_ENTRY + 8, UINT32_MAX - 0x4fff, PROFILE_DAMAGED);
	poke(AT_MARKS, 22, PROFILE_DAMAGED); /* the same as the second */
	poke(AT_MARKS, 23, PROFILE_DAMAGED);
	poke(AT_MARKS + 4, 0x1011, PROFILE_DAMAGED);
	poke(AT_MARKS + 2 * MARK_ENTRY + 4, UINT32_MAX, PROFILE_GOOD);
	poke(AT_FILE_SYSTEMS, 6, PROFILE_GOOD);    /* its id */
	poke(AT_FILE_SYSTEMS, 7, PROFILE_DAMAGED); /* that of the second */
	poke(AT_FILE_SYSTEMS, 8, PROFILE_DAMAGED);
	poke(AT_FILE_SYSTEMS + 4, 1, PROFILE_DAMAGED);
	poke(AT_FILE_SYSTEMS + 8, 0, PROFILE_DAMAGED);
	poke(AT_FILE_SYSTEMS + 8, 2, PROFILE_DAMAGED);
	poke(AT_FILE_SYSTEMS + 8, UINT32_MAX, PROFILE_DAMAGED);
	poke(AT_FILE_SYSTEMS + 12, UINT32_MAX, PROFILE_DAMAGED);
	poke(AT_BLOCK_RANGES, 0, PROFILE_GOOD);
	poke(AT_BLOCK_RANGES, UINT32_MAX, PROFILE_DAMAGED);
	poke(AT_BLOCK_RANGES + 4, 0, PROFILE_DAMAGED);
	poke(AT_BLOCK_RANGES + 4, 2, PROFILE_DAMAGED);
	poke(AT_BLOCK_RANGES + BLOCK_RANGE_ENTRY + 4, 99, PROFILE_GOOD);
	poke(AT_BLOCK_RANGES + BLOCK_RANGE_ENTRY + 4, 100, PROFILE_DAMAGED); /* touches the next */
	poke(AT_BLOCK_RANGES + BLOCK_RANGE_ENTRY, 150, PROFILE_DAMAGED);
	poke(AT_EXECS, 1, PROFILE_DAMAGED);
	poke(AT_EXECS + 4, 22, PROFILE_DAMAGED);
	poke(AT_EXECS + 4, 21, PROFILE_GOOD);
}

static void every_string_is_checked(void **state)
{
	struct image image = small_image();

	/* If a string loses its NUL, all strings after it shift, and the last one exceeds the table. */
	for (size_t at = AT_STRINGS; at < image.size - 8; at++)
		if (image.data[at] == '\0')
			poke(at & ~(size_t)3, 0x78787878, PROFILE_DAMAGED);
	free(image.data);
	poke(AT_STRINGS + strlen("app --start") + 1, 0x2f787878, PROFILE_DAMAGED); /* the program */
}

/* What a recording was at first is kept, and cannot have had more touches than it has now. */
static void what_it_was_at_first_is_kept_and_checked(void **state)
{
	_cleanup_(profile_releasep) struct profile read = {0}, small = fixture_small();
	struct image image;

	small.first_touches = small.touches;
	small.first_pages = 7;
	assert_int_equal(profile_serialize(&small, (void **)&image.data, &image.size), 0);
	assert_int_equal(profile_parse(image.data, image.size, &read), PROFILE_GOOD);
	assert_int_equal(read.first_touches, small.touches);
	assert_int_equal(read.first_pages, 7);
	poke(AT_FIRST_TOUCHES, small.touches, PROFILE_GOOD);
	poke(AT_FIRST_TOUCHES, small.touches + 1, PROFILE_DAMAGED);
	free(image.data);
}

static void doubts_are_checked(void **state)
{
	poke(AT_RANGES + RANGE_DOUBT, 0xffff0001, PROFILE_GOOD);
	poke(AT_RANGES + RANGE_DOUBT, 0x0101, PROFILE_DAMAGED);
	poke(AT_RANGES + RANGE_DOUBT, 0x0002, PROFILE_DAMAGED);
}

/* Their headers have other sizes, so the version alone must decide. */
static void other_versions_are_refused(void **state)
{
	struct image image = small_image();

	poke(AT_VERSION, UINT32_MAX, PROFILE_NEWER);
	for (uint32_t version = 0; version < PROFILE_VERSION; version++)
		poke(AT_VERSION, version, PROFILE_OLDER);
	image.data[AT_VERSION] = 1;
	assert_int_equal(parse(&image, AT_PAGE_SIZE), PROFILE_OLDER);
	image.data[AT_VERSION] = PROFILE_VERSION + 1;
	assert_int_equal(parse(&image, AT_PAGE_SIZE), PROFILE_NEWER);
	free(image.data);
}

static void each_fault_is_one_sentence(void **state)
{
	for (enum profile_fault fault = PROFILE_GOOD; fault <= PROFILE_DAMAGED; fault++)
		for (enum profile_fault other = PROFILE_GOOD; other < fault; other++)
			assert_string_not_equal(profile_fault_text(fault), profile_fault_text(other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(what_could_not_be_read_is_not_written),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(every_changed_bit_is_noticed),
		cmocka_unit_test(bytes_after_the_end_are_refused),
		cmocka_unit_test(every_field_of_the_header_is_checked),
		cmocka_unit_test(every_table_is_checked),
		cmocka_unit_test(every_string_is_checked),
		cmocka_unit_test(doubts_are_checked),
		cmocka_unit_test(what_it_was_at_first_is_kept_and_checked),
		cmocka_unit_test(other_versions_are_refused),
		cmocka_unit_test(each_fault_is_one_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
