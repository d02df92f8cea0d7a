/* SPDX-License-Identifier: MIT */
/* Unit tests of the landmarks of an ELF file, which may be hostile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "elf/landmarks.h"
#include "handmade.h"
#include "memory-file.h"

#define STRINGS_AT HANDMADE_SIZE
#define SECTIONS   3

/*
 * A file with these strings and with `n` functions, the names of which begin at the second string and lie `distance` bytes
 * apart.
 */
static int make_file(const char *strings, size_t size, size_t n, size_t distance)
{
	size_t symbols_at = STRINGS_AT + size, sections_at = symbols_at + n * sizeof(Elf64_Sym);
	Elf64_Shdr sections[SECTIONS] = {
		[1] = {.sh_type = SHT_STRTAB, .sh_offset = STRINGS_AT, .sh_size = size},
		[2] = {.sh_type = SHT_SYMTAB,
			.sh_offset = symbols_at,
			.sh_size = n * sizeof(Elf64_Sym),
			.sh_link = 1,
			.sh_entsize = sizeof(Elf64_Sym)},
	};
	size_t file_size = sections_at + sizeof(sections);
	uint8_t *file = calloc(1, file_size);
	struct handmade elf;
	int fd;

	assert_non_null(file);
	handmade_init(&elf);
	elf.header.e_shoff = sections_at;
	elf.header.e_shnum = SECTIONS;
	elf.header.e_shentsize = sizeof(Elf64_Shdr);
	elf.header.e_shstrndx = 1;
	memcpy(file, &elf, sizeof(elf));
	memcpy(file + STRINGS_AT, strings, size);
	for (size_t i = 0; i < n; i++) {
		Elf64_Sym symbol = {.st_name = (uint32_t)(1 + i * distance),
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = 1,
			.st_value = 0x500 + i % 0x1000};

		memcpy(file + symbols_at + i * sizeof(symbol), &symbol, sizeof(symbol));
	}
	memcpy(file + sections_at, sections, sizeof(sections));
	fd = memory_file(file, file_size);
	free(file);
	return fd;
}

static struct elf_landmarks landmarks_of(const char *strings, size_t size, size_t n, size_t distance)
{
	struct elf_landmarks landmarks = {0};
	int fd = make_file(strings, size, n, distance);

	assert_int_equal(elf_landmarks_read(fd, NULL, &landmarks), 0);
	assert_true(elf_landmarks_good(&landmarks));
	close(fd);
	return landmarks;
}

static void named_functions_are_landmarks(void **state)
{
	struct elf_landmarks landmarks = landmarks_of("\0one\0two", sizeof("\0one\0two"), 2, 4);

	assert_int_equal(landmarks.n_marks, 2);
	assert_int_equal(landmarks.marks[0].offset, 0x500);
	assert_int_equal(landmarks.marks[1].offset, 0x501);
	assert_int_not_equal(landmarks.marks[0].key, landmarks.marks[1].key);
	assert_true(elf_landmark_is_name(&landmarks.marks[0]) && elf_landmark_is_name(&landmarks.marks[1]));
	elf_landmarks_release(&landmarks);
}

/* The names of a stripped file lie in another one, which may be damaged. */
static void names_may_have_been_split_off(void **state)
{
	struct elf_landmarks whole = landmarks_of("\0one\0two", sizeof("\0one\0two"), 2, 4), stripped = {0};
	int split = make_file("\0one\0two", sizeof("\0one\0two"), 2, 4), fd;
	struct elf_file symbols;
	struct handmade elf;
	const char *problem;

	handmade_init(&elf);
	fd = memory_file(&elf, sizeof(elf));
	assert_int_equal(elf_landmarks_read(fd, NULL, &stripped), 0);
	assert_int_equal(stripped.n_marks, 0);
	elf_landmarks_release(&stripped);
	assert_int_equal(elf_file_open(&symbols, split, &problem), 0);
	assert_int_equal(elf_landmarks_read(fd, &symbols, &stripped), 0);
	assert_int_equal(stripped.n_marks, whole.n_marks);
	assert_memory_equal(stripped.marks, whole.marks, whole.n_marks * sizeof(*whole.marks));
	elf_landmarks_release(&stripped);
	symbols.size -= 1; /* the last section header is not all there */
	symbols.page_size = 0;
	assert_int_equal(elf_landmarks_read(fd, &symbols, &stripped), 0);
	assert_int_equal(stripped.n_marks, 0);
	elf_landmarks_release(&stripped);
	elf_landmarks_release(&whole);
	close(fd);
	close(split);
}

/* Each name is nearly all of the table: 4 GB together, of which 256 MB are read. */
static void names_that_overlap_are_not_read_without_end(void **state)
{
	size_t size = 1 << 20;
	char *strings = malloc(size);
	struct elf_landmarks landmarks;

	assert_non_null(strings);
	memset(strings, 'a', size);
	strings[0] = strings[size - 1] = 0;
	landmarks = landmarks_of(strings, size, 4096, 1);
	assert_in_range(landmarks.n_marks, 1, 300);
	elf_landmarks_release(&landmarks);
	free(strings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(named_functions_are_landmarks),
		cmocka_unit_test(names_may_have_been_split_off),
		cmocka_unit_test(names_that_overlap_are_not_read_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
