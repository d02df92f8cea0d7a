/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of reading the note: each way in which it can be wrong has its own sentence. test-note FILE, an
 * original.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "format/note.h"
#include "relaid.h"
#include "relaid/note.h"
#include "relaid/undo.h"
#include "seal.h"
#include "verify/verify.h"

static const char *path;

struct file {
	uint8_t *original, *data; /* owned */
	size_t original_size, size;
	Elf64_Ehdr header; /* of data */
	uint64_t note;     /* where the note lies */
};

static int set_up(void **state)
{
	struct file *file = calloc(1, sizeof(*file));
	const char *problem = "";

	assert_non_null(file);
	assert_int_equal(read_file(path, 1 << 24, (char **)&file->original, &file->original_size), 0);
	assert_int_equal(relaid_make(file->original, file->original_size, NOTE_PASS_HOT | NOTE_PASS_RELOCS, 1,
				 &file->data, &file->size, &problem),
		0);
	memcpy(&file->header, file->data, sizeof(file->header));
	file->note = file->header.e_phoff - sizeof(struct note_segment);
	*state = file;
	return 0;
}

static int tear_down(void **state)
{
	struct file *file = *state;

	free(file->original);
	free(file->data);
	free(file);
	return 0;
}

static void assert_problem(const uint8_t *data, size_t size, int want, const char *words)
{
	struct note_relaid note;
	const char *problem = NULL;
	int r = note_find(data, size, &note, &problem);

	if (r != want || !strstr(problem, words))
		fail_msg("%d, '%s' instead of %d, '%s'", r, problem ? problem : "", want, words);
}

/* Overwrites bytes of the file; then note_find() must say the words. */
static void poke(struct file *file, uint64_t at, const void *bytes, size_t size, int want, const char *words)
{
	uint8_t before[8];

	memcpy(before, file->data + at, size);
	memcpy(file->data + at, bytes, size);
	assert_problem(file->data, file->size, want, words);
	memcpy(file->data + at, before, size);
}

#define POKE_FIELD(file, field, value, words)                                                                \
	do {                                                                                                 \
		__typeof__(((struct note_relaid *)0)->field) poked_ = (value);                               \
		poke(file, (file)->note + offsetof(struct note_segment, relaid.field), &poked_,              \
			sizeof(poked_), -EBADMSG, words);                                                    \
	} while (0)

static void a_good_note_is_read(void **state)
{
	struct file *file = *state;
	struct note_relaid note;
	const char *problem;

	assert_int_equal(note_find(file->data, file->size, &note, &problem), 0);
	assert_int_equal(note.version, NOTE_VERSION);
	assert_int_equal(note.original_size, file->original_size);
	assert_int_equal(note.original_checksum, checksum64(file->original, file->original_size));
	assert_int_equal(note.hot_offset + note.hot_size, file->size);
	assert_int_equal(note_check_sums(file->data, file->size, &note, &problem), 0);
}

static void what_was_never_relaid_is_told_from_what_was_changed(void **state)
{
	struct file *file = *state;

	assert_problem(file->original, file->original_size, -ENODATA, "no note");
	assert_problem((const uint8_t *)"", 0, -ENODATA, "not a 64-bit ELF file");
	assert_problem(file->original, sizeof(Elf64_Ehdr) - 1, -ENODATA, "not a 64-bit ELF file");
	poke(file, EI_CLASS, "\1", 1, -ENODATA, "not a 64-bit ELF file");
	poke(file, file->note + offsetof(struct note_segment, name), "H", 1, -ENODATA, "no note");
	assert_problem(file->data, file->size - 1, -EBADMSG, "truncated: the hot region");
	assert_problem(file->data, file->note, -ENODATA, "not a 64-bit ELF file");
}

static void each_wrong_field_has_its_sentence(void **state)
{
	struct file *file = *state;
	uint64_t far = UINT64_MAX - 65535; /* whole pages, of any size */
	uint32_t size = 119;

	poke(file, file->note + offsetof(struct note_segment, n_descsz), &size, sizeof(size), -EBADMSG,
		"another version");
	POKE_FIELD(file, version, 2, "another version");
	POKE_FIELD(file, passes, 1 << 31, "another version");
	POKE_FIELD(file, granule, 2048, "impossible page size");
	POKE_FIELD(file, granule, 12288, "impossible page size");
	POKE_FIELD(file, granule, 131072, "impossible page size");
	POKE_FIELD(file, original_size, 63, "outside of itself");
	POKE_FIELD(file, original_phoff, far, "outside of itself");
	POKE_FIELD(file, original_phnum, 65535, "outside of itself");
	POKE_FIELD(file, original_size, file->size, "after the original");
	POKE_FIELD(file, tables_offset, file->header.e_phoff, "on a page after");
	POKE_FIELD(file, tables_offset, far, "the tables that its note names");
	POKE_FIELD(file, tables_size, far, "the tables that its note names");
	POKE_FIELD(file, tables_size, 8, "end with the program headers");
	POKE_FIELD(file, hot_offset, 8, "not whole pages");
	POKE_FIELD(file, hot_offset, 0, "not whole pages");
	POKE_FIELD(file, hot_offset, far, "the hot region that its note names");
	POKE_FIELD(file, hot_size, 4095, "not whole pages");
	POKE_FIELD(file, hot_size, far, "the hot region that its note names");
	POKE_FIELD(file, hot_size, 0, "something was appended");
	poke(file, file->note + offsetof(struct note_segment, relaid.tool) + 31, "x", 1, -EBADMSG,
		"has no end");
}

static void the_header_of_the_note_is_looked_at(void **state)
{
	struct file *file = *state;
	uint64_t at = file->header.e_phoff + (file->header.e_phnum - 1) * sizeof(Elf64_Phdr), size = 148;
	Elf64_Phdr note;

	memcpy(&note, file->data + at, sizeof(note));
	assert_int_equal(note.p_type, PT_NOTE);
	poke(file, at + offsetof(Elf64_Phdr, p_filesz), &size, 8, -EBADMSG, "another size");
	size = 8;
	poke(file, at + offsetof(Elf64_Phdr, p_filesz), &size, 8, -ENODATA, "no note");
	/* A second note. */
	memcpy(file->data + at - sizeof(note), &note, sizeof(note));
	assert_problem(file->data, file->size, -EBADMSG, "more than one note");
}

static void a_note_elsewhere_is_none_of_ours(void **state)
{
	struct file *file = *state;
	uint64_t at = file->header.e_phoff + (file->header.e_phnum - 1) * sizeof(Elf64_Phdr);
	uint64_t elsewhere = file->original_size - sizeof(struct note_segment);

	memcpy(file->data + elsewhere, file->data + file->note, sizeof(struct note_segment));
	poke(file, at + offsetof(Elf64_Phdr, p_offset), &elsewhere, 8, -EBADMSG, "elsewhere");
}

static void both_checksums_are_checked(void **state)
{
	struct file *file = *state;
	struct note_relaid note;
	const char *problem;

	assert_int_equal(note_find(file->data, file->size, &note, &problem), 0);
	file->data[file->size - 1] ^= 1;
	assert_int_equal(note_check_sums(file->data, file->size, &note, &problem), -EBADMSG);
	assert_non_null(strstr(problem, "appended"));
	file->data[file->size - 1] ^= 1;
	file->data[file->original_size - 1] ^= 1;
	assert_int_equal(note_check_sums(file->data, file->size, &note, &problem), -EBADMSG);
	assert_non_null(strstr(problem, "the original in it"));
}

static void a_compacted_file_has_no_original(void **state)
{
	struct file *file = *state;
	struct verify_report report;
	struct undo undo;
	const char *problem;
	uint32_t passes = NOTE_PASS_COMPACT;

	memcpy(file->data + file->note + offsetof(struct note_segment, relaid.passes), &passes,
		sizeof(passes));
	seal_relaid(file->data, file->size, 0);
	assert_int_equal(undo_prepare(file->data, file->size, &undo, &problem), -EOPNOTSUPP);
	assert_non_null(strstr(problem, "--compact"));
	assert_int_equal(verify_relaid(file->data, file->size, &report), -EOPNOTSUPP);
	assert_non_null(strstr(report.problem, "--compact"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(a_good_note_is_read),
		TEST(what_was_never_relaid_is_told_from_what_was_changed),
		TEST(each_wrong_field_has_its_sentence),
		TEST(the_header_of_the_note_is_looked_at),
		TEST(a_note_elsewhere_is_none_of_ours),
		TEST(both_checksums_are_checked),
		TEST(a_compacted_file_has_no_original),
	};

	if (argc != 2)
		return 2;
	path = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
