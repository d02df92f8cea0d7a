/* SPDX-License-Identifier: MIT */
/* Unit tests of the reader of ELF files: notes as linkers lay them, both classes and byte orders, bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "elf/file.h"
#include "elf/identity.h"
#include "elf/notes.h"
#include "elf/view.h"
#include "handmade.h"

static int file_of(const void *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write_full(fd, data, size), 0);
	return fd;
}

/* A PT_NOTE segment under construction, at HANDMADE_NOTES of the file. */
#define HANDMADE_NOTES 0x600u

struct notes {
	struct handmade elf;
	uint64_t size; /* bytes */
};

/* Adds one as assemblers do: in a section of its own of that alignment, which the name and the descriptor are
 * padded to. */
static void add_note(struct notes *notes, const char *owner, uint32_t type, uint32_t size, uint64_t align, uint8_t fill)
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

/* Both ways of asking find the build-id that is filled with `fill`, or neither finds any. */
static void both_find(struct notes *notes, uint64_t align, uint8_t fill)
{
	_cleanup_(elf_view_releasep) struct elf_view view = {0};
	_cleanup_close_ int fd = -1;
	uint8_t expected[20], id[32];
	const char *problem;
	const uint8_t *found;
	size_t size = 0;

	memset(expected, fill, sizeof(expected));
	notes->elf.stack = (Elf64_Phdr){
		PT_NOTE, PF_R, HANDMADE_NOTES, HANDMADE_NOTES, HANDMADE_NOTES, notes->size, notes->size, align};
	fd = file_of(&notes->elf, sizeof(notes->elf));
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

/* mold 2.37 puts the sections of all notes into one PT_NOTE, which has the largest of their alignments. */
static void build_ids_are_found_among_notes_of_both_alignments(void **state)
{
	struct notes notes;

	notes_init(&notes);
	add_note(&notes, ELF_NOTE_GNU, NT_GNU_PROPERTY_TYPE_0, 16, 8, 1);
	add_note(&notes, "FDO", 0xcafe1a7e, 84, 4, 2);
	add_note(&notes, ELF_NOTE_GNU, NT_GNU_BUILD_ID, 20, 4, 7);
	both_find(&notes, 8, 7);

	notes_init(&notes);
	add_note(&notes, "FDO", 0xcafe1a7e, 84, 4, 2);
	add_note(&notes, ELF_NOTE_GNU, NT_GNU_PROPERTY_TYPE_0, 16, 8, 1); /* after four bytes of nothing */
	add_note(&notes, "stapsdt", 3, 21, 4, 2);
	add_note(&notes, ELF_NOTE_GNU, NT_GNU_BUILD_ID, 20, 4, 8);
	both_find(&notes, 8, 8);
}

static void notes_that_make_no_sense_end_the_search(void **state)
{
	static const uint32_t values[] = {0, 1, 3, 4, 0x7fffffff, 0xfffffffc, UINT32_MAX};
	uint8_t notes[64] = {0};
	size_t size;

	for (uint64_t n = 0; n <= sizeof(notes); n += 4) {
		for (size_t at = 0; at < 16; at += 4) {
			for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
				memset(notes, 0, sizeof(notes));
				memcpy(notes + at, &values[i], sizeof(values[i]));
				assert_null(elf_notes_find(notes, n, 4, ELF_NOTE_GNU, NT_GNU_BUILD_ID, &size));
				assert_null(elf_notes_find(notes, n, 8, ELF_NOTE_GNU, NT_GNU_BUILD_ID, &size));
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_ids_are_found_in_notes_of_their_own),
		cmocka_unit_test(build_ids_are_found_in_notes_that_are_all_aligned_to_8),
		cmocka_unit_test(build_ids_are_found_among_notes_of_both_alignments),
		cmocka_unit_test(notes_that_make_no_sense_end_the_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
