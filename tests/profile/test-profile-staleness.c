/* SPDX-License-Identifier: MIT */
/* Unit tests of files on disk: build-id and soname (src/elf), identifying, staleness. The ELF files are made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "elf/identity.h"
#include "fixture.h"
#include "profile/updates/staleness.h"

/* A library of one segment, with a note and a dynamic section. Addresses are offsets + 0x1000. */
struct library {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[3];
	Elf64_Nhdr other;
	char other_name[8]; /* "other" */
	Elf64_Nhdr note;
	char note_name[4]; /* "GNU" */
	uint8_t id[20];
	Elf64_Dyn dynamic[4];
	char strings[24]; /* "libtest.so.1" at 1 */
};

#define NATIVE_ORDER    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)
#define ADDRESS(member) (0x1000 + offsetof(struct library, member))
#define SIZE(member)    sizeof(((struct library *)NULL)->member)

static struct library library(uint8_t id)
{
	struct library lib = {
		.ehdr =
			{
				.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, NATIVE_ORDER,
					EV_CURRENT},
				.e_type = ET_DYN,
				.e_machine = EM_X86_64,
				.e_version = EV_CURRENT,
				.e_phoff = offsetof(struct library, phdrs),
				.e_ehsize = sizeof(Elf64_Ehdr),
				.e_phentsize = sizeof(Elf64_Phdr),
				.e_phnum = 3,
			},
		.phdrs =
			{
				{.p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = sizeof(struct library)},
				{.p_type = PT_NOTE,
					.p_offset = offsetof(struct library, other),
					.p_align = 4,
					.p_filesz = ADDRESS(dynamic) - ADDRESS(other)},
				{.p_type = PT_DYNAMIC,
					.p_offset = offsetof(struct library, dynamic),
					.p_filesz = SIZE(dynamic)},
			},
		.other = {.n_namesz = 6, .n_type = NT_GNU_BUILD_ID},
		.other_name = "other",
		.note = {.n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID},
		.note_name = "GNU",
		.dynamic =
			{
				{.d_tag = DT_STRTAB, .d_un.d_ptr = ADDRESS(strings)},
				{.d_tag = DT_STRSZ, .d_un.d_val = SIZE(strings)},
				{.d_tag = DT_SONAME, .d_un.d_val = 1},
			},
		.strings = "\0libtest.so.1",
	};

	memset(lib.id, id, sizeof(lib.id));
	return lib;
}

struct folder {
	char path[64];
	char file[80];
};

static int make_folder(void **state)
{
	struct folder *folder = calloc(1, sizeof(*folder));

	strcpy(folder->path, "/tmp/headstart-stale-XXXXXX");
	assert_non_null(mkdtemp(folder->path));
	snprintf(folder->file, sizeof(folder->file), "%s/file", folder->path);
	*state = folder;
	return 0;
}

static int remove_folder(void **state)
{
	struct folder *folder = *state;

	unlink(folder->file);
	rmdir(folder->file);
	assert_int_equal(rmdir(folder->path), 0);
	free(folder);
	return 0;
}

static void write_file(const struct folder *folder, const void *data, size_t size)
{
	_cleanup_close_ int fd = open(folder->file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write_full(fd, data, size), 0);
}

static int build_id(const struct folder *folder, const void *data, size_t size, uint8_t *id, size_t *ret_size)
{
	_cleanup_close_ int fd = -1;

	write_file(folder, data, size);
	fd = open(folder->file, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return elf_build_id(fd, id, 32, ret_size);
}

static void build_ids_are_found(void **state)
{
	struct library lib = library(7);
	uint8_t id[32];
	size_t size = 0;

	assert_int_equal(build_id(*state, &lib, sizeof(lib), id, &size), 0);
	assert_int_equal(size, 20);
	assert_memory_equal(id, lib.id, 20);
	/* A name for which there is no room is cut. */
	lib.note.n_descsz = offsetof(struct library, strings) - offsetof(struct library, id);
	lib.phdrs[1].p_filesz = offsetof(struct library, strings) - lib.phdrs[1].p_offset;
	assert_int_equal(build_id(*state, &lib, sizeof(lib), id, &size), 0);
	assert_int_equal(size, 32);
}

static void files_without_build_id_have_none(void **state)
{
	struct library lib = library(7);
	uint8_t id[32];
	size_t size;

	assert_int_equal(build_id(*state, "#!/bin/sh\n", 10, id, &size), -ENOEXEC);
	assert_int_equal(build_id(*state, "", 0, id, &size), -ENOEXEC);
	assert_int_equal(build_id(*state, "!<arch>\n", 8, id, &size), -ENOEXEC);
	lib.note.n_descsz = 0;
	assert_int_equal(build_id(*state, &lib, sizeof(lib), id, &size), -ENODATA);
	lib = library(7);
	lib.phdrs[1].p_type = PT_NULL;
	assert_int_equal(build_id(*state, &lib, sizeof(lib), id, &size), -ENODATA);
}

static void hostile_notes_are_passed_over(void **state)
{
	struct library lib = library(7);
	uint8_t id[32];
	size_t size;

	lib.note.n_descsz = UINT32_MAX;
	assert_int_equal(build_id(*state, &lib, sizeof(lib), id, &size), -ENODATA);
	lib = library(7);
	lib.other.n_namesz = UINT32_MAX;
	assert_int_equal(build_id(*state, &lib, sizeof(lib), id, &size), -ENODATA);
	lib = library(7);
	lib.phdrs[1].p_offset = UINT64_MAX - 8;
	assert_int_equal(build_id(*state, &lib, sizeof(lib), id, &size), -ENODATA);
	lib = library(7);
	lib.phdrs[1].p_filesz = UINT64_MAX;
	assert_int_equal(build_id(*state, &lib, sizeof(lib), id, &size), -ENODATA);
	for (size_t n = 0; n < offsetof(struct library, dynamic); n++)
		assert_true(build_id(*state, &lib, n, id, &size) < 0);
}

static int soname(const struct folder *folder, const struct library *lib, char **ret)
{
	_cleanup_close_ int fd = -1;

	write_file(folder, lib, sizeof(*lib));
	fd = open(folder->file, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return elf_soname(fd, ret);
}

static void sonames_are_found(void **state)
{
	_cleanup_free_ char *name = NULL;
	struct library lib = library(7);

	assert_int_equal(soname(*state, &lib, &name), 0);
	assert_string_equal(name, "libtest.so.1");
}

static void hostile_sonames_are_refused(void **state)
{
	char *name = NULL;
	struct library lib = library(7);

	lib.dynamic[2].d_tag = DT_DEBUG;
	assert_int_equal(soname(*state, &lib, &name), -ENODATA);
	lib = library(7);
	lib.phdrs[2].p_type = PT_NULL;
	assert_int_equal(soname(*state, &lib, &name), -ENODATA);
	lib = library(7);
	lib.dynamic[2].d_un.d_val = sizeof(lib.strings);
	assert_int_equal(soname(*state, &lib, &name), -ENOEXEC);
	lib = library(7);
	lib.dynamic[1].d_un.d_val = 4; /* the table ends in the name */
	assert_int_equal(soname(*state, &lib, &name), -ENOEXEC);
	lib = library(7);
	lib.dynamic[0].d_un.d_ptr = UINT64_MAX;
	assert_int_equal(soname(*state, &lib, &name), -ENOEXEC);
	lib = library(7);
	lib.phdrs[0].p_offset = UINT64_MAX;
	assert_int_equal(soname(*state, &lib, &name), -ENOEXEC);
	lib = library(7);
	lib.phdrs[2].p_filesz = UINT64_MAX;
	assert_int_equal(soname(*state, &lib, &name), -ENOEXEC);
	assert_null(name);
}

static int interpreter(const struct folder *folder, const struct library *lib, char *path, size_t size)
{
	_cleanup_close_ int fd = -1;

	write_file(folder, lib, sizeof(*lib));
	fd = open(folder->file, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return elf_interpreter(fd, path, size);
}

static void loaders_are_found(void **state)
{
	_cleanup_close_ int fd = open("/bin/sh", O_RDONLY | O_CLOEXEC);
	struct library lib = library(7);
	char path[64];

	assert_int_equal(elf_interpreter(fd, path, sizeof(path)), 0);
	assert_int_equal(access(path, X_OK), 0);
	assert_int_equal(elf_interpreter(fd, path, 4), -ENODATA);
	assert_int_equal(interpreter(*state, &lib, path, sizeof(path)), -ENODATA);
	lib.phdrs[2].p_type = PT_INTERP; /* the name here is not an absolute path */
	assert_int_equal(interpreter(*state, &lib, path, sizeof(path)), -ENODATA);
	lib.phdrs[2].p_filesz = UINT64_MAX;
	assert_int_equal(interpreter(*state, &lib, path, sizeof(path)), -ENODATA);
	lib.phdrs[2].p_filesz = sizeof(path) - 1;
	lib.phdrs[2].p_offset = UINT64_MAX - 8;
	assert_true(interpreter(*state, &lib, path, sizeof(path)) < 0);
}

/* The file as a recording would describe it. */
static struct profile_file identified(const struct folder *folder, enum profile_kind kind)
{
	struct profile_file file = {.path = (char *)folder->file, .kind = kind};

	assert_int_equal(profile_file_identify(&file), 0);
	return file;
}

static void set_time(const struct folder *folder, time_t seconds)
{
	struct timespec times[2] = {{seconds, 0}, {seconds, 0}};

	assert_int_equal(utimensat(AT_FDCWD, folder->file, times, 0), 0);
}

static void elf_files_are_judged_by_build_id_and_size(void **state)
{
	struct folder *folder = *state;
	struct library lib = library(7);
	struct profile_file file;

	write_file(folder, &lib, sizeof(lib));
	set_time(folder, 1000);
	file = identified(folder, PROFILE_REGULAR);
	assert_int_equal(file.size, sizeof(lib));
	assert_int_equal(file.mtime, 1000 * INT64_C(1000000000));
	assert_int_equal(file.build_id_size, 20);
	assert_int_equal(profile_file_staleness(&file, 1), PROFILE_FRESH);
	set_time(folder, 2000);
	assert_int_equal(profile_file_staleness(&file, 1), PROFILE_FRESH);
	lib = library(8);
	write_file(folder, &lib, sizeof(lib));
	set_time(folder, 1000);
	assert_int_equal(profile_file_staleness(&file, 1), PROFILE_CHANGED);
	lib = library(7);
	write_file(folder, &lib, sizeof(lib) - 1);
	assert_int_equal(profile_file_staleness(&file, 1), PROFILE_CHANGED);
	memset(&lib, 0, sizeof(lib));
	write_file(folder, &lib, sizeof(lib));
	assert_int_equal(profile_file_staleness(&file, 1), PROFILE_CHANGED);
}

static void other_files_are_judged_by_size_and_here_by_time(void **state)
{
	struct folder *folder = *state;
	struct profile_file file;

	write_file(folder, "hello", 5);
	set_time(folder, 1000);
	file = identified(folder, PROFILE_REGULAR);
	assert_int_equal(file.build_id_size, 0);
	assert_int_equal(profile_file_staleness(&file, 1), PROFILE_FRESH);
	set_time(folder, 2000);
	assert_int_equal(profile_file_staleness(&file, 1), PROFILE_CHANGED);
	assert_int_equal(profile_file_staleness(&file, 0), PROFILE_FRESH);
	write_file(folder, "hello!", 6);
	assert_int_equal(profile_file_staleness(&file, 0), PROFILE_CHANGED);
	unlink(folder->file);
	assert_int_equal(profile_file_staleness(&file, 0), PROFILE_GONE);
	assert_int_equal(mkfifo(folder->file, 0600), 0);
	assert_int_equal(profile_file_staleness(&file, 0), PROFILE_GONE);
	assert_int_equal(profile_file_identify(&file), -EINVAL);
}

static void folders_and_links_are_fresh_while_they_are_there(void **state)
{
	struct folder *folder = *state;
	struct profile_file file;

	assert_int_equal(mkdir(folder->file, 0700), 0);
	file = identified(folder, PROFILE_DIRECTORY);
	set_time(folder, 1000);
	assert_int_equal(profile_file_staleness(&file, 1), PROFILE_FRESH);
	rmdir(folder->file);
	assert_int_equal(profile_file_staleness(&file, 1), PROFILE_GONE);
	assert_int_equal(symlink("nowhere", folder->file), 0);
	assert_int_equal(profile_file_staleness(&file, 1), PROFILE_GONE);
	file = identified(folder, PROFILE_SYMLINK);
	assert_int_equal(profile_file_staleness(&file, 1), PROFILE_FRESH);
	unlink(folder->file);
	assert_int_equal(profile_file_identify(&file), -ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(build_ids_are_found),
		TEST(files_without_build_id_have_none),
		TEST(hostile_notes_are_passed_over),
		TEST(sonames_are_found),
		TEST(hostile_sonames_are_refused),
		TEST(loaders_are_found),
		TEST(elf_files_are_judged_by_build_id_and_size),
		TEST(other_files_are_judged_by_size_and_here_by_time),
		TEST(folders_and_links_are_fresh_while_they_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
