/* SPDX-License-Identifier: MIT */
/* verify finds every wrong statement in a compacted file whose checksum is right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "elf/sections.h"
#include "format/note.h"
#include "relayout/compact/compact.h"
#include "verify/compact/compact.h"
#include "verify/verify.h"

static const char *sample;

struct fixture {
	uint8_t *original;
	size_t original_size;
	struct elf_view view; /* of the original */
	struct compacted compact;
	struct elf_view result_view;
	struct elf_sections sections; /* of the result */
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct pass_options options = {.max_segments = 40, .loader_knows_relr = true};
	_cleanup_(relayout_image_releasep) struct relayout_image image = {0};
	_cleanup_(compaction_freep) struct compaction *compaction = NULL;
	struct pass_outcome outcome;
	const char *problem;

	assert_int_equal(read_file(sample, 1 << 24, (char **)&f->original, &f->original_size), 0);
	assert_int_equal(elf_view_init(&f->view, f->original, f->original_size, &problem), 0);
	assert_int_equal(relayout_image_init(&image, &f->view, &problem), 0);
	for (size_t i = 0; i < image.n_segments; i++)
		for (size_t page = 0; page < image.segments[i].n_pages; page += 3)
			image.segments[i].pages[page].order = (uint32_t)(1000 - page);
	assert_int_equal(compaction_begin(&compaction, &image, &options, &problem), 0);
	assert_int_equal(pass_relr(&image, &options, &outcome), 0);
	assert_int_equal(compaction_finish(compaction, 1, &f->compact, &problem), 0);
	assert_int_equal(elf_view_init(&f->result_view, f->compact.data, f->compact.size, &problem), 0);
	assert_int_equal(elf_sections_init(&f->sections, &f->result_view, &problem), 0);
	*state = f;
	return 0;
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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_file),
		cmocka_unit_test(headers),
		cmocka_unit_test(program_headers),
		cmocka_unit_test(section_headers),
		cmocka_unit_test(symbols),
		cmocka_unit_test(contents),
	};
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		sample = argv[i];
		failed += cmocka_run_group_tests_name(argv[i], tests, setup, teardown);
	}
	return argc < 2 || failed;
}
