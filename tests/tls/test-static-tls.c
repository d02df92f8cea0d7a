/* SPDX-License-Identifier: MIT */
/* Unit tests of static TLS: how much an object takes, which are a program's libraries, and the tunable. */
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
#include "elf/closure.h"
#include "elf/needs.h"
#include "elf/static-tls.h"
#include "handmade.h"
#include "memory-file.h"
#include "tree.h"

#define TUNABLE STATIC_TLS_TUNABLE "="

/* A library that needs another one and has 64 KiB of TLS, which it declares as static. */
static void tls_init(struct handmade *elf)
{
	handmade_init(elf);
	elf->stack = (Elf64_Phdr){PT_TLS, PF_R, 0x2e80, 0x3e80, 0x3e80, 0x10, 0x10000, 64};
	elf->entries[3] = (Elf64_Dyn){DT_NEEDED, {1}};
	elf->entries[4] = (Elf64_Dyn){DT_FLAGS, {DF_STATIC_TLS}};
}

static int needs_of(const struct handmade *elf, struct elf_needs *ret)
{
	_cleanup_close_ int fd = memory_file(elf, sizeof(*elf));

	return elf_needs_read(fd, ret);
}

static void an_object_says_what_it_needs(void **state)
{
	_cleanup_(elf_needs_releasep) struct elf_needs needs = {0};
	struct handmade elf;

	tls_init(&elf);
	assert_int_equal(needs_of(&elf, &needs), 0);
	assert_int_equal(needs.n_needed, 1);
	assert_string_equal(needs.needed[0], "libhand.so.1");
	assert_true(needs.is_dynamic && !needs.is_program && !needs.is_32bit && !needs.is_go);
	assert_null(needs.interpreter);
	assert_int_equal(needs.tls_size, 0x10000);
	assert_true(needs.static_tls);
	assert_int_equal(static_tls_of(&needs), 0x10000 + 63);
}

static void a_program_takes_nothing_of_the_surplus(void **state)
{
	_cleanup_(elf_needs_releasep) struct elf_needs needs = {0};
	struct handmade elf;

	tls_init(&elf);
	elf.header.e_type = ET_EXEC;
	assert_int_equal(needs_of(&elf, &needs), 0);
	assert_int_equal(static_tls_of(&needs), 0);
}

/* Such a library does not say what it exports, so others may use that by the initial-exec model. */
static void without_section_headers_the_worst_is_assumed(void **state)
{
	_cleanup_(elf_needs_releasep) struct elf_needs needs = {0};
	struct handmade elf;

	tls_init(&elf);
	elf.entries[4].d_tag = DT_NULL;
	assert_int_equal(needs_of(&elf, &needs), 0);
	assert_true(needs.static_tls);
}

static void a_table_without_tls_symbols_takes_nothing(void **state)
{
	_cleanup_(elf_needs_releasep) struct elf_needs needs = {0};
	const Elf64_Shdr section = {
		.sh_type = SHT_DYNSYM, .sh_offset = 0x600, .sh_size = 2 * sizeof(Elf64_Sym)};
	Elf64_Sym symbols[2] = {{.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1}};
	struct handmade elf;

	tls_init(&elf);
	elf.entries[4].d_tag = DT_NULL;
	elf.header.e_shoff = 0x700;
	elf.header.e_shnum = 1;
	memcpy((char *)&elf + 0x600, symbols, sizeof(symbols));
	memcpy((char *)&elf + 0x700, &section, sizeof(section));
	assert_int_equal(needs_of(&elf, &needs), 0);
	assert_false(needs.static_tls);
	assert_int_equal(static_tls_of(&needs), 0);
	elf_needs_release(&needs);

	symbols[1] = (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_TLS), .st_shndx = 1};
	memcpy((char *)&elf + 0x600, symbols, sizeof(symbols));
	assert_int_equal(needs_of(&elf, &needs), 0);
	assert_true(needs.static_tls);
}

struct refusal {
	size_t offset, size;
	uint64_t value;
};

#define FIELD(member) offsetof(struct handmade, member), sizeof(((struct handmade *)NULL)->member)

static const struct refusal refusals[] = {
	{FIELD(header.e_ident[0]), 0},
	{FIELD(header.e_ident[EI_CLASS]), 9},
	{FIELD(header.e_ident[EI_DATA]), ELFDATA2MSB},
	{FIELD(header.e_phentsize), 32},
	{FIELD(header.e_phnum), PN_XNUM},
	{FIELD(header.e_phoff), UINT64_MAX - 8},
	{FIELD(header.e_phoff), HANDMADE_SIZE - 100},
	{FIELD(dynamic.p_filesz), UINT64_MAX},
	{FIELD(dynamic.p_offset), INT64_MAX},
	{FIELD(stack.p_align), 3},
	{FIELD(entries[1].d_un.d_val), UINT64_MAX},
	{FIELD(entries[1].d_un.d_val), 0x100000},
	{FIELD(entries[3].d_un.d_val), UINT64_MAX},
	{FIELD(entries[3].d_un.d_val), 0x100},
	{FIELD(text.p_offset), UINT64_MAX - 0x300},
};

static void refuses_what_makes_no_sense(void **state)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		struct elf_needs needs;
		struct handmade elf;

		tls_init(&elf);
		memcpy((char *)&elf + refusals[i].offset, &refusals[i].value, refusals[i].size);
		assert_int_equal(needs_of(&elf, &needs), -ENOEXEC);
	}
}

static void refuses_truncated_files(void **state)
{
	struct handmade elf;

	tls_init(&elf);
	for (size_t size = 0; size < 0x2e00 + 5 * sizeof(Elf64_Dyn); size += size < 512 ? 1 : 101) {
		_cleanup_close_ int fd = memory_file(&elf, size);
		struct elf_needs needs;

		assert_int_equal(elf_needs_read(fd, &needs), -ENOEXEC);
	}
}

static void tunables(const char *current, uint64_t bytes, const char *expected)
{
	_cleanup_free_ char *text = NULL;

	assert_int_equal(static_tls_tunables(current, bytes, &text), 0);
	if (expected)
		assert_string_equal(text, expected);
	else
		assert_null(text);
}

static void tunables_are_extended_and_kept(void **state)
{
	tunables(NULL, 0, NULL);
	tunables(NULL, STATIC_TLS_SURPLUS, NULL);
	tunables(NULL, 65536, TUNABLE "66048");
	tunables("", 65536, TUNABLE "66048");
	tunables("glibc.malloc.check=3", 65536, "glibc.malloc.check=3:" TUNABLE "66048");
	tunables(TUNABLE "100000", 65536, NULL);
	tunables(TUNABLE "0x20000", 65536, NULL);
	tunables("a=1:" TUNABLE "4096:b=2", 65536, "a=1:" TUNABLE "66048:b=2");
	tunables(TUNABLE "0", 100, TUNABLE "640"); /* the room that glibc has by default is missing there */
	tunables(TUNABLE "100000:" TUNABLE "1", 65536, TUNABLE "100000:" TUNABLE "66048");
	tunables("x" TUNABLE "100000", 65536, "x" TUNABLE "100000:" TUNABLE "66048");
}

static void sums_do_not_wrap(void **state)
{
	assert_true(static_tls_add(UINT64_MAX - 1, 2) == UINT64_MAX);
	assert_true(static_tls_add(UINT64_MAX, UINT64_MAX) == UINT64_MAX);
	assert_int_equal(static_tls_add(1, 2), 3);
}

static void write_object(const char *root, const char *path, const struct handmade *elf)
{
	char full[256];
	_cleanup_fclose_ FILE *file = NULL;

	snprintf(full, sizeof(full), "%s%s", root, path);
	file = fopen(full, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(elf, 1, sizeof(*elf), file), sizeof(*elf));
}

#define SPELLINGS 40

/* A library that needs itself, by as many paths: there are more slashes in front of each. */
static void many_spellings_init(struct handmade *elf)
{
	Elf64_Dyn needed[SPELLINGS];

	tls_init(elf);
	memset(elf->strings, '/', SPELLINGS);
	elf->strings[0] = '\0';
	strcpy(elf->strings + SPELLINGS, "/libhand.so.1");
	for (size_t i = 0; i < SPELLINGS; i++)
		needed[i] = (Elf64_Dyn){DT_NEEDED, {i + 1}};
	memcpy(&elf->entries[3], needed, 3 * sizeof(*needed));
	memcpy(elf->rest, needed + 3, sizeof(needed) - 3 * sizeof(*needed));
	elf->dynamic.p_filesz = elf->dynamic.p_memsz = (3 + SPELLINGS) * sizeof(*needed);
}

/* Each is another library, as for the loader's first look; but what is listed already is not read again whenever one is named. */
static void a_library_under_many_names_is_not_read_for_ever(void **state)
{
	_cleanup_(elf_closure_releasep) struct elf_closure closure = {0};
	char root[] = "/tmp/headstart-closure.XXXXXX", path[256];
	struct handmade elf;

	assert_non_null(mkdtemp(root));
	many_spellings_init(&elf);
	write_object(root, "/libhand.so.1", &elf);
	closure.root = root;
	assert_int_equal(elf_closure_add(&closure, "/libhand.so.1"), 0);
	assert_int_equal(closure.n, SPELLINGS);
	assert_in_range(closure.work, SPELLINGS * SPELLINGS, 3 * SPELLINGS * 256);
	snprintf(path, sizeof(path), "%s/libhand.so.1", root);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(root), 0);
}

static const char *refused;

static bool may_look(const char *path)
{
	return strcmp(path, refused) != 0;
}

/* The library is in two of the default folders. */
static void what_may_not_be_looked_at_is_missing(void **state)
{
	static const char *const folders[] = {"lib", "usr", "usr/lib"};
	_cleanup_(elf_closure_releasep) struct elf_closure closure = {0}, other = {0};
	char root[] = "/tmp/headstart-closure.XXXXXX";
	struct handmade elf;

	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		assert_int_equal(mkdir(tree_path(root, folders[i]), 0755), 0);
	tls_init(&elf);
	write_object(root, "/lib/libhand.so.1", &elf);
	write_object(root, "/usr/lib/libhand.so.1", &elf);
	elf.header.e_type = ET_EXEC;
	write_object(root, "/program", &elf);
	closure.root = other.root = root;
	closure.may_look = other.may_look = may_look;
	refused = tree_path(root, "lib/libhand.so.1");
	assert_int_equal(elf_closure_add(&closure, "/program"), 0);
	assert_int_equal(closure.n, 2);
	assert_string_equal(closure.paths[1], "/usr/lib/libhand.so.1");
	refused = tree_path(root, "program");
	assert_int_equal(elf_closure_add(&other, "/program"), -EACCES);
	assert_int_equal(other.n, 0);
	assert_int_equal(tree_remove(root), 0);
}

/* program -> libhand.so.1 in a default folder of another root. The library needs itself. */
static void libraries_are_found_below_the_root(void **state)
{
	_cleanup_(elf_closure_releasep) struct elf_closure closure = {0}, preloads = {0};
	char root[] = "/tmp/headstart-closure.XXXXXX", path[256];
	struct handmade elf;

	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/lib", root);
	assert_int_equal(mkdir(path, 0755), 0);
	tls_init(&elf);
	write_object(root, "/lib/libhand.so.1", &elf);
	elf.header.e_type = ET_EXEC;
	write_object(root, "/program", &elf);
	closure.root = root;
	assert_int_equal(elf_closure_add(&closure, "/program"), 0);
	assert_int_equal(elf_closure_add(&closure, "/nothing"), -ENOENT);
	assert_int_equal(elf_closure_add_preloads(&closure, "libhand.so.1:libnone.so /lib/libhand.so.1",
				 "\tlibnone.so\nlibhand.so.1 # twice"),
		0);
	assert_int_equal(closure.n, 2);
	assert_string_equal(closure.paths[1], "/lib/libhand.so.1");
	assert_int_equal(closure.n_missing, 0);
	assert_int_equal(closure.static_tls, 0x10000 + 63);
	assert_string_equal(closure.largest, "/lib/libhand.so.1");
	preloads.root = root;
	assert_int_equal(elf_closure_add_preloads(&preloads, NULL, "# libhand.so.1\n"), 0);
	assert_int_equal(preloads.n, 0);
	assert_int_equal(elf_closure_add_preloads(&preloads, "libnone.so", "libhand.so.1 # a comment"), 0);
	assert_int_equal(preloads.n, 1);
	for (const char *name = "/lib/libhand.so.1"; name; name = name[1] == 'l' ? "/program" : NULL) {
		snprintf(path, sizeof(path), "%s%s", root, name);
		assert_int_equal(unlink(path), 0);
	}
	snprintf(path, sizeof(path), "%s/lib", root);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_says_what_it_needs),
		cmocka_unit_test(a_program_takes_nothing_of_the_surplus),
		cmocka_unit_test(without_section_headers_the_worst_is_assumed),
		cmocka_unit_test(a_table_without_tls_symbols_takes_nothing),
		cmocka_unit_test(refuses_what_makes_no_sense),
		cmocka_unit_test(refuses_truncated_files),
		cmocka_unit_test(tunables_are_extended_and_kept),
		cmocka_unit_test(sums_do_not_wrap),
		cmocka_unit_test(what_may_not_be_looked_at_is_missing),
		cmocka_unit_test(libraries_are_found_below_the_root),
		cmocka_unit_test(a_library_under_many_names_is_not_read_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
