/* SPDX-License-Identifier: MIT */
/* Unit tests of .gnu_debuglink and .gnu_debugdata in files of both classes and byte orders, complete and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "debug/data.h"
#include "debug/file.h"
#include "debug/link.h"
#include "debug/symbols.h"

#define NAMES   0x200u /* where the names of the sections lie */
#define CONTENT 0x300u /* where the content of the second section lies */
#define SIZE    0x600u

/* A file with three sections: none, their names, and one with a name and content of its own. */
struct made {
	uint8_t bytes[SIZE];
	bool wide, big;
};

static void put(struct made *made, size_t at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++)
		made->bytes[at + i] = (uint8_t)(value >> 8 * (made->big ? size - 1 - i : i));
}

#define PUT(made, base, type, name, value)                                                                   \
	put(made, (base) + ((made)->wide ? offsetof(Elf64_##type, name) : offsetof(Elf32_##type, name)),     \
		(made)->wide ? sizeof(((Elf64_##type *)NULL)->name) : sizeof(((Elf32_##type *)NULL)->name),  \
		value)

static size_t section_at(const struct made *made, size_t i)
{
	return 0x100 + i * (made->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
}

static void put_section(struct made *made, size_t i, uint32_t name, uint32_t type, size_t at, size_t size)
{
	size_t base = section_at(made, i);

	PUT(made, base, Shdr, sh_name, name);
	PUT(made, base, Shdr, sh_type, type);
	PUT(made, base, Shdr, sh_offset, at);
	PUT(made, base, Shdr, sh_size, size);
}

static struct made make(bool wide, bool big, const char *name, const void *content, size_t size)
{
	struct made made = {.wide = wide, .big = big};

	memcpy(made.bytes, ELFMAG, SELFMAG);
	made.bytes[EI_CLASS] = wide ? ELFCLASS64 : ELFCLASS32;
	made.bytes[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
	PUT(&made, 0, Ehdr, e_type, ET_DYN);
	PUT(&made, 0, Ehdr, e_shoff, section_at(&made, 0));
	PUT(&made, 0, Ehdr, e_shentsize, wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	PUT(&made, 0, Ehdr, e_shnum, 3);
	PUT(&made, 0, Ehdr, e_shstrndx, 1);
	put_section(&made, 1, 0, SHT_STRTAB, NAMES, strlen(name) + 2);
	put_section(&made, 2, 1, SHT_PROGBITS, CONTENT, size);
	strcpy((char *)made.bytes + NAMES + 1, name);
	assert_true(size <= SIZE - CONTENT);
	memcpy(made.bytes + CONTENT, content, size);
	return made;
}

static int find(const struct made *made, const char *name, Elf64_Shdr *ret)
{
	struct elf_file file;
	const char *problem;

	assert_int_equal(elf_file_in_memory(&file, made->bytes, SIZE, &problem), 0);
	return elf_file_section_named(&file, name, ret);
}

static void sections_are_found_by_name(void **state)
{
	for (int variant = 0; variant < 4; variant++) {
		struct made made = make(variant & 1, variant & 2, ".wanted", "content", 7);
		Elf64_Shdr section = {0};

		assert_int_equal(find(&made, ".wanted", &section), 0);
		assert_int_equal(section.sh_offset, CONTENT);
		assert_int_equal(section.sh_size, 7);
		assert_int_equal(find(&made, ".want", &section), -ENODATA);
		assert_int_equal(find(&made, ".wanted.more", &section), -ENODATA);
		assert_int_equal(find(&made, ".a-name-that-no-section-can-be-found-by", &section), -ENODATA);
		put_section(&made, 2, 1, SHT_NOBITS, CONTENT, 7);
		assert_int_equal(find(&made, ".wanted", &section), -ENODATA);
		put_section(&made, 2, 1, SHT_PROGBITS, SIZE - 6, 7);
		assert_int_equal(find(&made, ".wanted", &section), -ENOEXEC);
		put_section(&made, 2, 2, SHT_PROGBITS, CONTENT, 7); /* a name that begins one later */
		assert_int_equal(find(&made, ".wanted", &section), -ENODATA);
		put_section(&made, 2, UINT32_MAX, SHT_PROGBITS, CONTENT, 7);
		assert_int_equal(find(&made, ".wanted", &section), -ENODATA);
		PUT(&made, 0, Ehdr, e_shstrndx, 3);
		assert_int_equal(find(&made, ".wanted", &section), -ENODATA);
		PUT(&made, 0, Ehdr, e_shnum, 0xfff0);
		assert_int_equal(find(&made, ".wanted", &section), -ENOEXEC);
	}
}

/* A folder with a program and its debug file. */
struct folder {
	char path[64], program[96], debug[96];
};

static void folder_removep(struct folder *folder)
{
	unlink(folder->program);
	unlink(folder->debug);
	rmdir(folder->path);
}

static void write_new(const char *path, const void *data, size_t size)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write_full(fd, data, size), 0);
}

static void folder_make(struct folder *folder)
{
	strcpy(folder->path, "/tmp/headstart-test.XXXXXX");
	assert_non_null(mkdtemp(folder->path));
	snprintf(folder->program, sizeof(folder->program), "%s/program", folder->path);
	snprintf(folder->debug, sizeof(folder->debug), "%s/debug", folder->path);
	write_new(folder->debug, "123456789", 9); /* its CRC-32 is known */
}

static int open_link(const struct folder *folder, const struct made *made)
{
	static const struct debug_id none = {0};
	_cleanup_close_ int fd = -1;
	struct elf_file file;
	const char *problem;

	write_new(folder->program, made->bytes, SIZE);
	fd = open(folder->program, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(&file, fd, &problem), 0);
	return debug_link_open(&file, &none, "", "/nowhere");
}

static void checksum_has_the_byte_order_of_the_file(void **state)
{
	_cleanup_(folder_removep) struct folder folder;

	folder_make(&folder);
	for (int variant = 0; variant < 4; variant++) {
		struct made made = make(variant & 1, variant & 2, ".gnu_debuglink", "debug\0\0\0....", 12);
		int fd;

		put(&made, CONTENT + 8, 4, 0xcbf43926);
		fd = open_link(&folder, &made);
		assert_true(fd >= 0);
		close(fd);
		made.big = !made.big;
		put(&made, CONTENT + 8, 4, 0xcbf43926);
		assert_int_equal(open_link(&folder, &made), -ENOENT);
	}
}

/* A section that ends anywhere before its end names nothing. */
static void incomplete_links_are_refused(void **state)
{
	_cleanup_(folder_removep) struct folder folder;
	struct made made = make(true, false, ".gnu_debuglink", "debug\0\0\0\x26\x39\xf4\xcb", 12);
	int fd;

	folder_make(&folder);
	for (size_t size = 0; size < 12; size++) {
		put_section(&made, 2, 1, SHT_PROGBITS, CONTENT, size);
		assert_int_equal(open_link(&folder, &made), -ENOEXEC);
	}
	put_section(&made, 2, 1, SHT_PROGBITS, CONTENT, 12);
	fd = open_link(&folder, &made);
	assert_true(fd >= 0);
	close(fd);
}

/* The second file is what the link of the first leads to. Returns whether it counts as the debug file. */
static bool is_debug_file_of(struct made *program, const struct made *debug)
{
	_cleanup_(folder_removep) struct folder folder;
	_cleanup_close_ int fd = -1, found = -1;
	struct elf_file file;
	const char *problem;

	folder_make(&folder);
	write_new(folder.debug, debug->bytes, SIZE);
	put(program, CONTENT + 8, 4, lzma_crc32(debug->bytes, SIZE, 0));
	write_new(folder.program, program->bytes, SIZE);
	fd = open(folder.program, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(&file, fd, &problem), 0);
	found = debug_file_open(&file, "", "/nowhere");
	assert_true(found >= 0 || found == -ENOENT);
	return found >= 0;
}

static void debug_files_are_for_the_same_processor(void **state)
{
	for (int variant = 0; variant < 4; variant++) {
		struct made program =
			make(variant & 1, variant & 2, ".gnu_debuglink", "debug\0\0\0\0\0\0", 12);
		struct made same = make(variant & 1, variant & 2, ".nothing", "", 0);
		struct made narrower = make(!(variant & 1), variant & 2, ".nothing", "", 0);
		struct made swapped = make(variant & 1, !(variant & 2), ".nothing", "", 0);
		struct made other = same;

		PUT(&other, 0, Ehdr, e_machine, EM_AARCH64);
		assert_true(is_debug_file_of(&program, &same));
		assert_false(is_debug_file_of(&program, &narrower));
		assert_false(is_debug_file_of(&program, &swapped));
		assert_false(is_debug_file_of(&program, &other));
		memset(other.bytes, 0, SIZE);
		assert_false(is_debug_file_of(&program, &other));
	}
}

static int read_data(const struct made *made, uint8_t **ret, size_t *ret_size)
{
	struct elf_file file;
	const char *problem;

	assert_int_equal(elf_file_in_memory(&file, made->bytes, SIZE, &problem), 0);
	return debug_data_read(&file, ret, ret_size);
}

static void data_is_decompressed_if_it_is_complete(void **state)
{
	uint8_t text[100000], packed[0x300];
	size_t packed_size = 0, size;
	struct made made;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i / 1000);
	assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, text, sizeof(text), packed,
				 &packed_size, sizeof(packed)),
		LZMA_OK);
	made = make(true, false, ".gnu_debugdata", packed, packed_size);
	for (size_t cut = 0; cut <= packed_size; cut++) {
		_cleanup_free_ uint8_t *data = NULL;

		put_section(&made, 2, 1, SHT_PROGBITS, CONTENT, cut);
		assert_int_equal(read_data(&made, &data, &size), cut < packed_size ? -ENOEXEC : 0);
		if (cut < packed_size)
			continue;
		assert_int_equal(size, sizeof(text));
		assert_memory_equal(data, text, size);
	}
	for (size_t at = 0; at < packed_size; at++) {
		_cleanup_free_ uint8_t *data = NULL;

		made.bytes[CONTENT + at] ^= 0x40;
		assert_int_equal(read_data(&made, &data, &size), -ENOEXEC); /* its checksums differ */
		made.bytes[CONTENT + at] ^= 0x40;
	}
}

/* What debug_symbols_open() returns for a program in `folder`. */
static int open_symbols(const struct folder *folder, const struct made *program)
{
	_cleanup_close_ int fd = -1;
	struct debug_symbols symbols;
	int r;

	write_new(folder->program, program->bytes, SIZE);
	fd = open(folder->program, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	r = debug_symbols_open(fd, &symbols);
	if (r == 0) {
		assert_int_equal(symbols.file.header.e_type, ET_DYN);
		debug_symbols_release(&symbols);
	}
	return r;
}

static void symbols_are_in_the_debug_file_or_in_the_program(void **state)
{
	_cleanup_(folder_removep) struct folder folder;
	struct made split = make(true, false, ".nothing", "", 0), program;
	uint8_t packed[0x300];
	size_t packed_size = 0;

	folder_make(&folder);
	assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, split.bytes, SIZE, packed,
				 &packed_size, sizeof(packed)),
		LZMA_OK);
	program = make(true, false, ".gnu_debugdata", packed, packed_size);
	assert_int_equal(open_symbols(&folder, &program), 0);
	program.bytes[CONTENT + packed_size / 2] ^= 1;
	assert_int_equal(open_symbols(&folder, &program), -ENODATA);
	write_new(folder.debug, split.bytes, SIZE);
	program = make(true, false, ".gnu_debuglink", "debug\0\0\0\0\0\0", 12);
	assert_int_equal(open_symbols(&folder, &program), -ENODATA); /* another checksum */
	put(&program, CONTENT + 8, 4, lzma_crc32(split.bytes, SIZE, 0));
	assert_int_equal(chmod(folder.debug, 0644), 0);
	assert_int_equal(open_symbols(&folder, &program), 0);
	assert_int_equal(chmod(folder.debug, 0600), 0);
	assert_int_equal(open_symbols(&folder, &program), geteuid() == 0 ? -ENODATA : 0);
	put_section(&program, 2, 1, SHT_SYMTAB, CONTENT, 12); /* it has symbols itself */
	assert_int_equal(open_symbols(&folder, &program), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_are_found_by_name),
		cmocka_unit_test(checksum_has_the_byte_order_of_the_file),
		cmocka_unit_test(incomplete_links_are_refused),
		cmocka_unit_test(debug_files_are_for_the_same_processor),
		cmocka_unit_test(symbols_are_in_the_debug_file_or_in_the_program),
		cmocka_unit_test(data_is_decompressed_if_it_is_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
