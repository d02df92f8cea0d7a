/* SPDX-License-Identifier: MIT */
/* verify finds every wrong statement in a compacted file whose checksum is right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "elf/sections.h"
#include "format/note.h"
#include "relayout/compact/compact.h"
#include "verify/compact/compact.h"
#include "verify/verify.h"

static const char *sample;
static size_t symbols_stayed; /* in so many samples */

struct fixture {
	uint8_t *original;
	size_t original_size;
	struct elf_view view; /* of the original */
	struct compacted compact;
	struct elf_view result_view;
	struct elf_sections sections; /* of the result */
};

/* As many PT_LOADs as the original and its tables need. */
#define NARROW 0

static int make(void **state, size_t max_segments, bool packs)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct pass_options options = {.max_segments = max_segments, .loader_knows_relr = true};
	_cleanup_(relayout_image_releasep) struct relayout_image image = {0};
	_cleanup_(compaction_freep) struct compaction *compaction = NULL;
	struct pass_outcome outcome;
	const char *problem;

	assert_int_equal(read_file(sample, 1 << 24, (char **)&f->original, &f->original_size), 0);
	assert_int_equal(elf_view_init(&f->view, f->original, f->original_size, &problem), 0);
	assert_int_equal(relayout_image_init(&image, &f->view, &problem), 0);
	if (max_segments == NARROW)
		options.max_segments = f->view.n_loads + 1;
	for (size_t i = 0; i < image.n_segments; i++)
		for (size_t page = 0; page < image.segments[i].n_pages; page += 3)
			image.segments[i].pages[page].order = (uint32_t)(1000 - page);
	assert_int_equal(compaction_begin(&compaction, &image, &options, &problem), 0);
	if (packs)
		assert_int_equal(pass_relr(&image, &options, &outcome), 0);
	assert_int_equal(compaction_finish(compaction, 1, &f->compact, &problem), 0);
	assert_int_equal(elf_view_init(&f->result_view, f->compact.data, f->compact.size, &problem), 0);
	assert_int_equal(elf_sections_init(&f->sections, &f->result_view, &problem), 0);
	*state = f;
	return 0;
}

static int setup(void **state)
{
	return make(state, 40, true);
}

static int setup_unpacked(void **state)
{
	return make(state, 40, false);
}

static int setup_narrow(void **state)
{
	return make(state, NARROW, false);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	elf_sections_release(&f->sections);
	elf_view_release(&f->result_view);
	compacted_release(&f->compact);
	elf_view_release(&f->view);
	free(f->original);
	free(f);
	return 0;
}

static int verify(const struct fixture *f, struct verify_report *report)
{
	return verify_compacted(f->original, f->original_size, f->compact.data, f->compact.size, report);
}

/* The file as an attacker would make it, with correct checksums. */
static void sign(const struct fixture *f)
{
	uint64_t at =
		note_offset(&f->result_view.header) + offsetof(struct note_segment, relaid.appended_checksum);
	uint64_t sum = 0;

	memcpy(f->compact.data + at, &sum, sizeof(sum));
	sum = LE64(checksum64(f->compact.data, f->compact.size));
	memcpy(f->compact.data + at, &sum, sizeof(sum));
}

static void assert_refused(const struct fixture *f)
{
	struct verify_report report;

	sign(f);
	assert_int_equal(verify(f, &report), -EBADMSG);
	assert_string_not_equal(report.problem, "");
}

static void set64(uint8_t *data, uint64_t offset, uint64_t value)
{
	value = LE64(value);
	memcpy(data + offset, &value, sizeof(value));
}

static uint64_t value_of(const struct elf_view *view, int64_t tag)
{
	uint64_t value = 0;

	assert_true(elf_view_dynamic(view, tag, &value));
	return value;
}

/* Where in the file an entry of the dynamic section lies. */
static uint64_t dynamic_offset(const struct elf_view *view, size_t entry)
{
	const uint8_t *at =
		elf_view_at(view, view->dynamic_address + entry * sizeof(Elf64_Dyn), sizeof(Elf64_Dyn));

	assert_non_null(at);
	return (uint64_t)(at - view->data);
}

static void set_dynamic(const struct fixture *f, int64_t tag, uint64_t value)
{
	for (size_t i = 0; i < f->result_view.n_used; i++)
		if (f->result_view.dynamic[i].d_tag == tag)
			set64(f->compact.data, dynamic_offset(&f->result_view, i) + offsetof(Elf64_Dyn, d_un),
				value);
}

/* The program header of a type; *ret is its offset in the file. */
static const Elf64_Phdr *find_phdr(const struct elf_view *view, uint32_t type, uint64_t *ret)
{
	const Elf64_Phdr *phdr = elf_view_phdr(view, type);

	assert_non_null(phdr);
	*ret = view->header.e_phoff + (uint64_t)(phdr - view->phdrs) * sizeof(*phdr);
	return phdr;
}

static size_t find_section(const struct elf_sections *sections, uint32_t type)
{
	for (size_t i = 1; i < sections->n; i++)
		if (sections->all[i].sh_type == type)
			return i;
	fail_msg("there is no section of type %#x", type);
	return 0;
}

/* Flips a bit of a byte; verify must find it. */
static void assert_found(const struct fixture *f, uint64_t offset, uint8_t bit, const char *what)
{
	struct verify_report report;

	f->compact.data[offset] ^= bit;
	sign(f);
	if (verify(f, &report) == 0)
		fail_msg("%s at %#llx is not found to be wrong", what, (unsigned long long)offset);
	assert_string_not_equal(report.problem, "");
	f->compact.data[offset] ^= bit;
	sign(f);
}

static void good_file(void **state)
{
	const struct fixture *f = *state;
	struct verify_report report;

	assert_int_equal(verify(f, &report), 0);
	assert_string_equal(report.problem, "");
	assert_int_equal(report.passes & NOTE_PASS_COMPACT, NOTE_PASS_COMPACT);
	assert_int_equal(report.segments, f->compact.n_segments);
	assert_int_equal(verify_relaid(f->compact.data, f->compact.size, &report), -EOPNOTSUPP);
}

static void program_headers(void **state)
{
	static const size_t fields[] = {offsetof(Elf64_Phdr, p_type), offsetof(Elf64_Phdr, p_flags),
		offsetof(Elf64_Phdr, p_offset) + 1, offsetof(Elf64_Phdr, p_vaddr) + 1,
		offsetof(Elf64_Phdr, p_filesz), offsetof(Elf64_Phdr, p_memsz)};
	const struct fixture *f = *state;

	for (size_t i = 0; i < f->result_view.n_phdrs; i++) {
		const Elf64_Phdr *phdr = &f->result_view.phdrs[i];

		if (phdr->p_filesz == 0)
			continue;
		for (size_t field = 0; field < sizeof(fields) / sizeof(*fields); field++)
			assert_found(f, f->result_view.header.e_phoff + i * sizeof(*phdr) + fields[field],
				field == 2 || field == 3 ? 0x10 : 1, "a field of a program header");
	}
}

static void section_headers(void **state)
{
	static const size_t fields[] = {offsetof(Elf64_Shdr, sh_type), offsetof(Elf64_Shdr, sh_flags),
		offsetof(Elf64_Shdr, sh_addr), offsetof(Elf64_Shdr, sh_offset), offsetof(Elf64_Shdr, sh_size),
		offsetof(Elf64_Shdr, sh_link), offsetof(Elf64_Shdr, sh_info),
		offsetof(Elf64_Shdr, sh_entsize)};
	const struct fixture *f = *state;

	for (size_t i = 1; i < f->sections.n; i++) {
		const char *name = elf_section_name(&f->sections, i);

		/* Sections that the original does not have: those of the note and of the packed relocations. */
		if (!elf_section_is_loaded(&f->sections.all[i]) || strcmp(name, ".note.headstart") == 0 ||
			strcmp(name, ".relr.dyn") == 0)
			continue;
		for (size_t field = 0; field < sizeof(fields) / sizeof(*fields); field++)
			assert_found(f,
				f->result_view.header.e_shoff + i * sizeof(Elf64_Shdr) + fields[field], 1,
				name);
	}
}

static void symbols(void **state)
{
	const struct fixture *f = *state;

	for (size_t i = 1; i < f->sections.n; i++) {
		size_t n = 0;

		if (!elf_section_symbols(&f->sections, i, &n))
			continue;
		for (size_t at = 1; at < n; at++)
			for (size_t byte = 0; byte < sizeof(Elf64_Sym); byte++)
				if (byte % 5 == at % 5 || byte == offsetof(Elf64_Sym, st_shndx))
					assert_found(f,
						f->sections.all[i].sh_offset + at * sizeof(Elf64_Sym) + byte,
						1, "a symbol");
	}
}

/* Tries one byte of each page of each section, in memory or not. */
static void contents(void **state)
{
	const struct fixture *f = *state;

	for (size_t i = 1; i < f->sections.n; i++) {
		const Elf64_Shdr *section = &f->sections.all[i];

		if (section->sh_type == SHT_NOBITS || section->sh_type == SHT_NOTE)
			continue;
		for (uint64_t at = section->sh_size / 3; at < section->sh_size; at += 1021)
			assert_found(f, section->sh_offset + at, 4, elf_section_name(&f->sections, i));
	}
}

static void headers(void **state)
{
	const struct fixture *f = *state;

	assert_found(f, offsetof(Elf64_Ehdr, e_entry), 1, "e_entry");
	assert_found(f, offsetof(Elf64_Ehdr, e_phoff), 8, "e_phoff");
	assert_found(f, offsetof(Elf64_Ehdr, e_phnum), 1, "e_phnum");
	assert_found(f, offsetof(Elf64_Ehdr, e_shnum), 1, "e_shnum");
	assert_found(f, offsetof(Elf64_Ehdr, e_shstrndx), 1, "e_shstrndx");
	assert_found(f, offsetof(Elf64_Ehdr, e_shoff), 64, "e_shoff");
}

/* Also where the note does not say that they were moved. */
static void moved_relocations(void **state)
{
	static const int64_t tags[] = {DT_RELA, DT_JMPREL};
	const struct fixture *f = *state;
	uint64_t passes_at =
		note_offset(&f->result_view.header) + offsetof(struct note_segment, relaid.passes);

	assert_found(f, passes_at, NOTE_PASS_RELOCS, "a pass that the note does not name");
	f->compact.data[passes_at] ^= NOTE_PASS_RELOCS;
	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++) {
		const uint8_t *table =
			elf_view_at(&f->result_view, value_of(&f->result_view, tags[i]), sizeof(Elf64_Rela));

		assert_non_null(table);
		assert_found(f, (uint64_t)(table - f->compact.data) + offsetof(Elf64_Rela, r_addend), 1,
			"a relocation");
	}
}

/* The loader looks for symbols where DT_SYMTAB says, verify where the section is. */
static void symbols_elsewhere_than_their_section(void **state)
{
	const struct fixture *f = *state;
	const Elf64_Phdr *tables = &f->result_view.loads[f->result_view.n_loads - 1];

	if (value_of(&f->view, DT_SYMTAB) != value_of(&f->result_view, DT_SYMTAB))
		return; /* they were in the way of the program headers */
	symbols_stayed++;
	set_dynamic(f, DT_SYMTAB, tables->p_vaddr);
	assert_refused(f);
}

/* A table that has made room for the program headers is said to be where it was. */
static void table_under_the_program_headers(void **state)
{
	const struct fixture *f = *state;
	uint64_t address = value_of(&f->view, DT_GNU_HASH);
	uint64_t header =
		f->result_view.header.e_shoff + find_section(&f->sections, SHT_GNU_HASH) * sizeof(Elf64_Shdr);

	assert_true(value_of(&f->result_view, DT_GNU_HASH) != address);
	set_dynamic(f, DT_GNU_HASH, address);
	set64(f->compact.data, header + offsetof(Elf64_Shdr, sh_addr), address);
	set64(f->compact.data, header + offsetof(Elf64_Shdr, sh_offset), address - f->view.loads[0].p_vaddr);
	assert_refused(f);
}

static void larger_dynamic_section(void **state)
{
	const struct fixture *f = *state;
	uint64_t at;
	const Elf64_Phdr *phdr = find_phdr(&f->result_view, PT_DYNAMIC, &at);
	uint64_t size = phdr->p_filesz + 8 * sizeof(Elf64_Dyn); /* of the GOT behind it */

	set64(f->compact.data, at + offsetof(Elf64_Phdr, p_filesz), size);
	set64(f->compact.data, at + offsetof(Elf64_Phdr, p_memsz), size);
	assert_refused(f);
}

/* The result still has one, but nothing is in it. */
static void original_without_dynamic_section(void **state)
{
	const struct fixture *f = *state;
	uint64_t at;
	const uint32_t none = PT_NULL;

	find_phdr(&f->view, PT_DYNAMIC, &at);
	memcpy(f->original + at, &none, sizeof(none));
	set64(f->compact.data,
		note_offset(&f->result_view.header) + offsetof(struct note_segment, relaid.original_checksum),
		checksum64(f->original, f->original_size));
	set64(f->compact.data, dynamic_offset(&f->result_view, 0), DT_NULL);
	assert_refused(f);
}

#define DAMAGED(test, how) cmocka_unit_test_setup_teardown(test, how, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_file),
		cmocka_unit_test(headers),
		cmocka_unit_test(program_headers),
		cmocka_unit_test(section_headers),
		cmocka_unit_test(symbols),
		cmocka_unit_test(contents),
		DAMAGED(moved_relocations, setup_unpacked),
		DAMAGED(symbols_elsewhere_than_their_section, setup_narrow),
		DAMAGED(table_under_the_program_headers, setup_unpacked),
		DAMAGED(larger_dynamic_section, setup),
		DAMAGED(original_without_dynamic_section, setup),
	};
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		sample = argv[i];
		failed += cmocka_run_group_tests_name(argv[i], tests, setup, teardown);
	}
	return argc < 2 || failed || symbols_stayed == 0;
}
