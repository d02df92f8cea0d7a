/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of the reader of ELF files: notes in every layout that linkers make, both classes and byte orders,
 * bounds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "elf/file.h"
#include "elf/identity.h"
#include "elf/notes.h"
#include "elf/view.h"
#include "handmade.h"
#include "memory-file.h"

/* A PT_NOTE segment under construction, at HANDMADE_NOTES of the file. */
#define HANDMADE_NOTES 0x600u

struct notes {
	struct handmade elf;
	uint64_t size; /* bytes */
};

/*
 * Adds a note as assemblers do: in a section of its own with that alignment, to which its name and descriptor are
 * padded.
 */
static void add_note(
	struct notes *notes, const char *owner, uint32_t type, uint32_t size, uint64_t align, uint8_t fill)
{
	Elf64_Nhdr note = {.n_namesz = (uint32_t)strlen(owner) + 1, .n_descsz = size, .n_type = type};
	uint8_t *file = (uint8_t *)&notes->elf;
	uint64_t at = (HANDMADE_NOTES + notes->size + align - 1) & ~(align - 1), descriptor;

	descriptor = (at + sizeof(note) + note.n_namesz + align - 1) & ~(align - 1);
	memcpy(file + at, &note, sizeof(note));
	strcpy((char *)file + at + sizeof(note), owner);
	memset(file + descriptor, fill, size);
	notes->size = ((descriptor + size + align - 1) & ~(align - 1)) - HANDMADE_NOTES;
}

static void notes_init(struct notes *notes)
{
	*notes = (struct notes){0};
	handmade_init(&notes->elf);
	memset((uint8_t *)&notes->elf + HANDMADE_NOTES, 0, 0x400);
}

/* Both ways of asking find the build-id that is filled with `fill`, or neither finds one. */
static void both_find(struct notes *notes, uint64_t align, uint8_t fill)
{
	_cleanup_(elf_view_releasep) struct elf_view view = {0};
	_cleanup_close_ int fd = -1;
	uint8_t expected[20], id[32];
	const char *problem;
	const uint8_t *found;
	size_t size = 0;

	memset(expected, fill, sizeof(expected));
	notes->elf.stack = (Elf64_Phdr){PT_NOTE, PF_R, HANDMADE_NOTES, HANDMADE_NOTES, HANDMADE_NOTES,
		notes->size, notes->size, align};
	fd = memory_file(&notes->elf, sizeof(notes->elf));
	assert_int_equal(elf_build_id(fd, id, sizeof(id), &size), 0);
	assert_int_equal(size, 20);
	assert_memory_equal(id, expected, 20);
	assert_int_equal(elf_view_init(&view, (uint8_t *)&notes->elf, sizeof(notes->elf), &problem), 0);
	found = elf_view_build_id(&view, &size);
	assert_non_null(found);
	assert_int_equal(size, 20);
	assert_memory_equal(found, expected, 20);
}

static void build_ids_are_found_in_notes_of_their_own(void **state)
{
	struct notes notes;

	notes_init(&notes);
	add_note(&notes, "GNU", NT_GNU_ABI_TAG, 16, 4, 1);
	add_note(&notes, "stapsdt", 3, 21, 4, 2);
	add_note(&notes, ELF_NOTE_GNU, NT_GNU_BUILD_ID, 20, 4, 7);
	both_find(&notes, 4, 7);
}

static void build_ids_are_found_in_notes_that_are_all_aligned_to_8(void **state)
{
	struct notes notes;

	notes_init(&notes);
	add_note(&notes, "other", 1, 5, 8, 1);
	add_note(&notes, ELF_NOTE_GNU, NT_GNU_PROPERTY_TYPE_0, 16, 8, 2);
	add_note(&notes, ELF_NOTE_GNU, NT_GNU_BUILD_ID, 20, 8, 7);
	both_find(&notes, 8, 7);
}

/* The notes of a program, each with the alignment of its section. */
static const struct {
	const char *owner;
	uint32_t type, size;
	uint64_t align;
} usual[] = {
	{ELF_NOTE_GNU, NT_GNU_PROPERTY_TYPE_0, 16, 8},
	{ELF_NOTE_GNU, NT_GNU_BUILD_ID, 20, 4},
	{ELF_NOTE_GNU, NT_GNU_ABI_TAG, 16, 4},
	{"FDO", 0xcafe1a7e, 84, 4},
	{"stapsdt", NT_GNU_BUILD_ID, 21, 4},
};

#define N_USUAL (sizeof(usual) / sizeof(usual[0]))

/* Tries every order of the notes that are not added yet. */
static void try_orders(const struct notes *notes, unsigned added)
{
	if (added == (1u << N_USUAL) - 1) {
		struct notes all = *notes;

		both_find(&all, 8, 1 << 1);
		return;
	}
	for (unsigned i = 0; i < N_USUAL; i++) {
		struct notes more = *notes;

		if (added & 1u << i)
			continue;
		add_note(&more, usual[i].owner, usual[i].type, usual[i].size, usual[i].align,
			(uint8_t)(1 << i));
		try_orders(&more, added | 1u << i);
	}
}

/* mold puts all sections of notes into one PT_NOTE, with the largest of their alignments. */
static void build_ids_are_found_among_notes_of_both_alignments(void **state)
{
	struct notes notes;

	notes_init(&notes);
	try_orders(&notes, 0);
}

static bool can_move(const char *owner, uint32_t type, uint64_t align)
{
	struct notes notes;
	struct elf_notes all;

	notes_init(&notes);
	add_note(&notes, ELF_NOTE_GNU, NT_GNU_BUILD_ID, 20, align, 1);
	add_note(&notes, owner, type, 12, align, 2);
	all = (struct elf_notes){(uint8_t *)&notes.elf + HANDMADE_NOTES, notes.size, align, false};
	return elf_notes_can_move(&all);
}

static void only_notes_that_nobody_refers_to_can_move(void **state)
{
	for (uint64_t align = 4; align <= 8; align += 4) {
		assert_true(can_move(ELF_NOTE_GNU, NT_GNU_ABI_TAG, align));
		assert_true(can_move("FDO", 0xcafe1a7e, align));
		assert_false(can_move(ELF_NOTE_GNU, 0x1234, align));
		assert_false(can_move("Own", NT_GNU_BUILD_ID, align));
	}
}

static bool one_note_can_move(uint32_t size)
{
	_cleanup_free_ uint8_t *data = calloc(1, 16 + size);
	const struct elf_notes notes = {data, 16 + size, 4, false};
	const Elf64_Nhdr note = {4, size, NT_GNU_BUILD_ID};

	assert_non_null(data);
	memcpy(data, &note, sizeof(note));
	memcpy(data + sizeof(note), ELF_NOTE_GNU, 4);
	return elf_notes_can_move(&notes);
}

static void notes_that_are_too_long_to_be_searched_stay(void **state)
{
	assert_true(one_note_can_move(ELF_NOTES_MAX - 16));
	assert_false(one_note_can_move(ELF_NOTES_MAX));
}

static const uint8_t *find_any(const uint8_t *data, uint64_t size, uint64_t align, bool swapped)
{
	const struct elf_notes notes = {data, size, align, swapped};
	size_t found;

	return elf_notes_find(&notes, ELF_NOTE_GNU, NT_GNU_BUILD_ID, &found);
}

static void notes_that_make_no_sense_end_the_search(void **state)
{
	static const uint32_t values[] = {0, 1, 3, 4, 0x7fffffff, 0xfffffffc, UINT32_MAX};
	uint8_t notes[64] = {0};

	for (uint64_t n = 0; n <= sizeof(notes); n += 4) {
		for (size_t at = 0; at < 16; at += 4) {
			for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
				memset(notes, 0, sizeof(notes));
				memcpy(notes + at, &values[i], sizeof(values[i]));
				assert_null(find_any(notes, n, 4, false));
				assert_null(find_any(notes, n, 8, false));
				assert_null(find_any(notes, n, 8, true));
			}
		}
	}
}

/* Whether both ways of asking find the build-id of a file: of `n` PT_NOTEs of so many bytes without one, and then one with it. */
static bool both_find_after(size_t n, uint64_t size, uint64_t last_size)
{
	struct {
		Elf64_Nhdr note;
		char owner[4];
		uint8_t id[20];
	} build_id = {{4, 20, NT_GNU_BUILD_ID}, ELF_NOTE_GNU, {0}};
	uint64_t headers = sizeof(struct handmade), other = headers + (n + 2) * sizeof(Elf64_Phdr);
	uint64_t last = other + size, file_size = last + last_size;
	_cleanup_free_ uint8_t *data = calloc(1, file_size);
	_cleanup_(elf_view_releasep) struct elf_view view = {0};
	_cleanup_close_ int fd = -1;
	struct handmade *elf = (struct handmade *)data;
	Elf64_Phdr *phdrs = (Elf64_Phdr *)(data + headers);
	size_t found_size = 0;
	const char *problem;
	bool found, found_in_file;
	uint8_t id[20];

	assert_non_null(data);
	handmade_init(elf);
	elf->header.e_phoff = headers;
	elf->header.e_phnum = (Elf64_Half)(n + 2);
	phdrs[0] = elf->text;
	for (size_t i = 1; i <= n; i++)
		phdrs[i] = (Elf64_Phdr){.p_type = PT_NOTE, .p_offset = other, .p_filesz = size};
	phdrs[n + 1] = (Elf64_Phdr){.p_type = PT_NOTE, .p_offset = last, .p_filesz = last_size};
	memcpy(data + last, &build_id, sizeof(build_id));
	assert_int_equal(elf_view_init(&view, data, file_size, &problem), 0);
	found = elf_view_build_id(&view, &found_size) != NULL;
	fd = memory_file(data, file_size);
	found_in_file = elf_build_id(fd, id, sizeof(id), &found_size) == 0;
	assert_int_equal(found, found_in_file);
	return found;
}

static void no_more_notes_are_searched_than_linkers_make(void **state)
{
	const size_t most = ELF_ALL_NOTES_MAX / ELF_NOTES_MAX;

	assert_true(both_find_after(0, 0, ELF_NOTES_MAX));
	assert_false(both_find_after(0, 0, ELF_NOTES_MAX + 4));
	assert_true(both_find_after(1, ELF_NOTES_MAX + 4, 36));
	assert_true(both_find_after(most - 1, ELF_NOTES_MAX, 36));
	assert_false(both_find_after(most, ELF_NOTES_MAX, 36));
}

/* A number in the byte order of the file. */
static uint64_t in_order(uint64_t value, size_t size, bool big)
{
	return big ? __builtin_bswap64(value) >> (64 - 8 * size) : value;
}

#define PUT(field, value) ((field) = (__typeof__(field))in_order((value), sizeof(field), big))

/*
 * Every kind of file has these: one segment, a dynamic section, a build-id. The fields have the same names in both
 * classes.
 */
#define DEFINE_SAMPLE(bits)                                                                                  \
	struct sample_##bits {                                                                               \
		Elf##bits##_Ehdr header;                                                                     \
		Elf##bits##_Phdr load, dynamic, note;                                                        \
		Elf##bits##_Nhdr build_id;                                                                   \
		char owner[4];                                                                               \
		uint8_t id[20];                                                                              \
		Elf##bits##_Dyn entries[4];                                                                  \
		char strings[16];                                                                            \
	};                                                                                                   \
	static void sample_init_##bits(struct sample_##bits *sample, bool big)                               \
	{                                                                                                    \
		*sample = (struct sample_##bits){.owner = ELF_NOTE_GNU, .strings = "\0libsample.so"};        \
		memcpy(sample->header.e_ident, ELFMAG, SELFMAG);                                             \
		sample->header.e_ident[EI_CLASS] = ELFCLASS##bits;                                           \
		sample->header.e_ident[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;                           \
		PUT(sample->header.e_type, ET_DYN);                                                          \
		PUT(sample->header.e_machine, EM_PPC64);                                                     \
		PUT(sample->header.e_phoff, offsetof(struct sample_##bits, load));                           \
		PUT(sample->header.e_phentsize, sizeof(Elf##bits##_Phdr));                                   \
		PUT(sample->header.e_phnum, 3);                                                              \
		PUT(sample->load.p_type, PT_LOAD);                                                           \
		PUT(sample->load.p_vaddr, 0x10000);                                                          \
		PUT(sample->load.p_filesz, sizeof(*sample));                                                 \
		PUT(sample->dynamic.p_type, PT_DYNAMIC);                                                     \
		PUT(sample->dynamic.p_offset, offsetof(struct sample_##bits, entries));                      \
		PUT(sample->dynamic.p_filesz, sizeof(sample->entries));                                      \
		PUT(sample->note.p_type, PT_NOTE);                                                           \
		PUT(sample->note.p_offset, offsetof(struct sample_##bits, build_id));                        \
		PUT(sample->note.p_filesz, sizeof(sample->build_id) + 24);                                   \
		PUT(sample->build_id.n_namesz, 4);                                                           \
		PUT(sample->build_id.n_descsz, 20);                                                          \
		PUT(sample->build_id.n_type, NT_GNU_BUILD_ID);                                               \
		memset(sample->id, 7, sizeof(sample->id));                                                   \
		PUT(sample->entries[0].d_tag, DT_SONAME);                                                    \
		PUT(sample->entries[0].d_un.d_val, 1);                                                       \
		PUT(sample->entries[1].d_tag, DT_STRTAB);                                                    \
		PUT(sample->entries[1].d_un.d_val, 0x10000 + offsetof(struct sample_##bits, strings));       \
		PUT(sample->entries[2].d_tag, DT_STRSZ);                                                     \
		PUT(sample->entries[2].d_un.d_val, sizeof(sample->strings));                                 \
	}

DEFINE_SAMPLE(32)
DEFINE_SAMPLE(64)

static void check_sample(const void *data, size_t size)
{
	_cleanup_close_ int fd = memory_file(data, size);
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	_cleanup_free_ char *soname = NULL;
	const char *problem;
	uint8_t id[20] = {0};
	size_t id_size = 0;

	assert_int_equal(elf_soname(fd, &soname), 0);
	assert_string_equal(soname, "libsample.so");
	assert_int_equal(elf_build_id(fd, id, sizeof(id), &id_size), 0);
	assert_int_equal(id_size, 20);
	assert_int_equal(id[19], 7);
	assert_int_equal(elf_file_in_memory(&file, data, size, &problem), 0);
	assert_int_equal(elf_file_take_phdrs(&file, &problem), 0);
	assert_int_equal(file.header.e_machine, EM_PPC64);
	assert_int_equal(file.n_phdrs, 3);
	assert_true(file.phdrs[0].p_vaddr == 0x10000 && file.phdrs[0].p_filesz == size);
}

static void both_classes_and_byte_orders_are_read(void **state)
{
	for (int big = 0; big < 2; big++) {
		struct sample_32 narrow;
		struct sample_64 wide;

		sample_init_32(&narrow, big);
		check_sample(&narrow, sizeof(narrow));
		sample_init_64(&wide, big);
		check_sample(&wide, sizeof(wide));
	}
}

/* Memory and pread(2) give the same bytes, also across pages, and none beyond the end. */
static void both_ways_of_reading_agree(void **state)
{
	static uint8_t data[3 * ELF_FILE_PAGE + 100], got[2][sizeof(data)];
	_cleanup_(elf_file_releasep) struct elf_file memory = {0}, opened = {0};
	_cleanup_close_ int fd = -1;
	const char *problem;
	struct handmade elf;

	handmade_init(&elf);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 31 + i / 256);
	memcpy(data, &elf, 64);
	fd = memory_file(data, sizeof(data));
	assert_int_equal(elf_file_in_memory(&memory, data, sizeof(data), &problem), 0);
	assert_int_equal(elf_file_open(&opened, fd, &problem), 0);
	for (uint64_t at = 0; at <= sizeof(data) + 8; at += 61) {
		static const uint64_t sizes[] = {0, 1, 8, 100, 4096, 4097, 9000, UINT64_MAX};

		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			bool fits = at <= sizeof(data) && sizes[i] <= sizeof(data) - at;

			assert_int_equal(elf_file_read(&memory, at, got[0], sizes[i]), fits ? 0 : -ENOEXEC);
			assert_int_equal(elf_file_read(&opened, at, got[1], sizes[i]), fits ? 0 : -ENOEXEC);
			assert_true(!fits || memcmp(got[0], data + at, sizes[i]) == 0);
			assert_true(!fits || memcmp(got[1], data + at, sizes[i]) == 0);
		}
	}
}

static void a_file_that_is_truncated_meanwhile_is_refused(void **state)
{
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	_cleanup_close_ int fd = -1;
	struct handmade elf;
	const char *problem;
	uint8_t data[5000];
	char *text = NULL;

	handmade_init(&elf);
	fd = memory_file(&elf, sizeof(elf));
	assert_int_equal(elf_file_open(&file, fd, &problem), 0);
	assert_int_equal(ftruncate(fd, 0x2000), 0);
	assert_int_equal(elf_file_read(&file, 0x2000, data, 8), -ENOEXEC);
	assert_int_equal(elf_file_read(&file, 0x1ffc, data, 8), -ENOEXEC);
	assert_int_equal(elf_file_read(&file, 0x1000, data, 5000), -ENOEXEC);
	assert_int_equal(elf_file_string(&file, 0x3000, 100, &text), -ENOEXEC);
	assert_null(text);
	assert_int_equal(elf_file_read(&file, 0x1000, data, 4096), 0);
}

static void strings_end_where_they_may(void **state)
{
	static char data[3 * ELF_FILE_PAGE];
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	_cleanup_close_ int fd = -1;
	struct handmade elf;
	const char *problem;
	char *text = NULL;

	handmade_init(&elf);
	memset(data, 'x', sizeof(data));
	memcpy(data, &elf, 64);
	data[ELF_FILE_PAGE + 3] = '\0';
	fd = memory_file(data, sizeof(data));
	assert_int_equal(elf_file_open(&file, fd, &problem), 0);
	assert_int_equal(elf_file_string(&file, ELF_FILE_PAGE - 3, 7, &text), 0);
	assert_string_equal(text, "xxxxxx");
	free(text);
	text = NULL;
	assert_int_equal(elf_file_string(&file, ELF_FILE_PAGE - 3, 6, &text), -ENOEXEC);
	assert_int_equal(elf_file_string(&file, ELF_FILE_PAGE + 4, UINT64_MAX, &text), -ENOEXEC);
	assert_int_equal(elf_file_string(&file, sizeof(data) - 3, 100, &text), -ENOEXEC);
	assert_int_equal(elf_file_string(&file, sizeof(data), 100, &text), -ENOEXEC);
	assert_int_equal(elf_file_string(&file, UINT64_MAX, 100, &text), -ENOEXEC);
	assert_int_equal(elf_file_string(&file, 0, 0, &text), -ENOEXEC);
	assert_null(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_ids_are_found_in_notes_of_their_own),
		cmocka_unit_test(build_ids_are_found_in_notes_that_are_all_aligned_to_8),
		cmocka_unit_test(build_ids_are_found_among_notes_of_both_alignments),
		cmocka_unit_test(notes_that_make_no_sense_end_the_search),
		cmocka_unit_test(no_more_notes_are_searched_than_linkers_make),
		cmocka_unit_test(only_notes_that_nobody_refers_to_can_move),
		cmocka_unit_test(notes_that_are_too_long_to_be_searched_stay),
		cmocka_unit_test(both_classes_and_byte_orders_are_read),
		cmocka_unit_test(both_ways_of_reading_agree),
		cmocka_unit_test(a_file_that_is_truncated_meanwhile_is_refused),
		cmocka_unit_test(strings_end_where_they_may),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
