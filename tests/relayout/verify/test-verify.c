/* SPDX-License-Identifier: MIT */
/*
 * Mutation tests of verify and undo. Each good file, made of every original on the command line by several sets of
 * passes, is changed in one field or byte. Then its checksums are corrected, so that they do not reveal the change.
 * verify has to name a fault each time. Under valgrind, which would take minutes, every eighth change is made.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "elf/view.h"
#include "format/note.h"
#include "relaid.h"
#include "relaid/note.h"
#include "relaid/undo.h"
#include "seal.h"
#include "verify/verify.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A good relaid file. */
struct good {
	const char *path;
	uint8_t *original, *data; /* owned */
	size_t original_size, size;
	struct elf_view view; /* of data */
	struct note_relaid note;
	size_t n_mutants;
};

static size_t step = 1; /* one of so many mutants is tried */

static uint8_t *at(struct good *good, uint64_t offset)
{
	return good->data + offset;
}

/* The offset in the file of the byte that is mapped at an address. */
static uint64_t place(const struct good *good, uint64_t address)
{
	const Elf64_Phdr *load = elf_view_load_at(&good->view, address, 1);

	assert_non_null(load);
	return load->p_offset + (address - load->p_vaddr);
}

static uint64_t dynamic(const struct good *good, int64_t tag)
{
	uint64_t value = 0;

	elf_view_dynamic(&good->view, tag, &value);
	return value;
}

static void assert_found(struct good *good, const char *what, uint64_t offset)
{
	struct verify_report report;
	int r = verify_relaid(good->data, good->size, &report);

	if (r == 0 || report.problem[0] == '\0')
		fail_msg("%s, passes %u: %s at %#" PRIx64 " was changed, and verify finds nothing",
			good->path, good->note.passes, what, offset);
}

/* Overwrites bytes, corrects the checksum of the appended part, and checks that verify finds a fault. */
static void mutate(struct good *good, const char *what, uint64_t offset, const void *bytes, size_t size)
{
	uint8_t *copy;

	if (memcmp(at(good, offset), bytes, size) == 0 || good->n_mutants++ % step != 0)
		return;
	copy = malloc(good->size);
	memcpy(copy, good->data, good->size);
	memcpy(at(good, offset), bytes, size);
	seal_relaid(good->data, good->size, 0);
	assert_found(good, what, offset);
	memcpy(good->data, copy, good->size);
	free(copy);
}

/* Tries several other values of a little-endian field of 2, 4 or 8 bytes. */
static void mutate_field(struct good *good, const char *what, uint64_t offset, size_t size)
{
	static const uint64_t steps[] = {1, 8, 4096, (uint64_t)-8, (uint64_t)-4096, 1ull << 15};
	uint64_t value = 0, other;

	memcpy(&value, at(good, offset), size);
	for (size_t i = 0; i < COUNT(steps); i++) {
		other = value + steps[i];
		mutate(good, what, offset, &other, size);
	}
	other = 0;
	mutate(good, what, offset, &other, size);
	other = UINT64_MAX;
	mutate(good, what, offset, &other, size);
}

static void flip(struct good *good, const char *what, uint64_t offset)
{
	uint8_t other = *at(good, offset) ^ 0x10;

	mutate(good, what, offset, &other, 1);
}

static void mutate_phdrs(struct good *good)
{
	static const struct {
		const char *name;
		size_t offset, size;
	} fields[] = {
		{"p_type", offsetof(Elf64_Phdr, p_type), 4},
		{"p_flags", offsetof(Elf64_Phdr, p_flags), 4},
		{"p_offset", offsetof(Elf64_Phdr, p_offset), 8},
		{"p_vaddr", offsetof(Elf64_Phdr, p_vaddr), 8},
		{"p_paddr", offsetof(Elf64_Phdr, p_paddr), 8},
		{"p_filesz", offsetof(Elf64_Phdr, p_filesz), 8},
		{"p_memsz", offsetof(Elf64_Phdr, p_memsz), 8},
		{"p_align", offsetof(Elf64_Phdr, p_align), 8},
	};

	for (size_t i = 0; i < good->view.n_phdrs; i++)
		for (size_t j = 0; j < COUNT(fields); j++)
			mutate_field(good, fields[j].name,
				good->view.header.e_phoff + i * sizeof(Elf64_Phdr) + fields[j].offset,
				fields[j].size);
}

/*
 * Swaps two neighbours. The note's header may stand anywhere among those that are no PT_LOAD, and these anywhere
 * between PT_LOADs.
 */
static void mutate_order(struct good *good)
{
	for (size_t i = 0; i + 2 < good->view.n_phdrs; i++) {
		const Elf64_Phdr *both = &good->view.phdrs[i];
		Elf64_Phdr swapped[2] = {both[1], both[0]};

		if ((both[0].p_type == PT_LOAD) == (both[1].p_type == PT_LOAD))
			mutate(good, "the order of program headers",
				good->view.header.e_phoff + i * sizeof(Elf64_Phdr), swapped, sizeof(swapped));
	}
}

static void mutate_hot_pages(struct good *good)
{
	uint64_t end = good->note.hot_offset + good->note.hot_size;

	for (uint64_t page = good->note.hot_offset; page < end; page += good->note.granule) {
		flip(good, "the first byte of a hot page", page);
		flip(good, "a byte of a hot page", page + page / 7 % good->note.granule);
		flip(good, "the last byte of a hot page", page + good->note.granule - 1);
	}
}

static void mutate_header(struct good *good)
{
	mutate_field(good, "e_phoff", offsetof(Elf64_Ehdr, e_phoff), 8);
	mutate_field(good, "e_phnum", offsetof(Elf64_Ehdr, e_phnum), 2);
}

static void mutate_note(struct good *good)
{
	static const struct {
		const char *name;
		size_t offset, size;
	} fields[] = {
		{"n_namesz", offsetof(struct note_segment, n_namesz), 4},
		{"n_descsz", offsetof(struct note_segment, n_descsz), 4},
		{"n_type", offsetof(struct note_segment, n_type), 4},
		{"name", offsetof(struct note_segment, name), 8},
		{"version", offsetof(struct note_segment, relaid.version), 4},
		{"original_size", offsetof(struct note_segment, relaid.original_size), 8},
		{"original_checksum", offsetof(struct note_segment, relaid.original_checksum), 8},
		{"original_phoff", offsetof(struct note_segment, relaid.original_phoff), 8},
		{"original_phnum", offsetof(struct note_segment, relaid.original_phnum), 4},
		{"granule", offsetof(struct note_segment, relaid.granule), 4},
		{"tables_offset", offsetof(struct note_segment, relaid.tables_offset), 8},
		{"tables_size", offsetof(struct note_segment, relaid.tables_size), 8},
		{"hot_size", offsetof(struct note_segment, relaid.hot_size), 8},
	};
	uint64_t start = good->view.header.e_phoff - NOTE_REACH;
	uint32_t passes;

	for (size_t i = 0; i < COUNT(fields); i++)
		mutate_field(good, fields[i].name, start + fields[i].offset, fields[i].size);
	if (good->note.hot_size > 0)
		mutate_field(good, "hot_offset", start + offsetof(struct note_segment, relaid.hot_offset), 8);
	for (uint32_t bit = 1; bit != 0; bit <<= 1) {
		passes = good->note.passes ^ bit;
		mutate(good, "passes", start + offsetof(struct note_segment, relaid.passes), &passes, 4);
	}
	passes = 1;
	mutate(good, "the end of tool", start + offsetof(struct note_segment, relaid.tool) + 31, &passes, 1);
}

static void mutate_dynamic(struct good *good)
{
	static const int64_t tags[] = {DT_NEEDED, DT_DEBUG, DT_RELR, DT_SYMBOLIC};
	const struct elf_view *view = &good->view;

	for (size_t i = 0; i < view->n_used; i++) {
		uint64_t entry = place(good, view->dynamic_address + i * sizeof(Elf64_Dyn));

		/* A change on a page that is mapped from the original is a change of the original. */
		if (entry < good->note.hot_offset)
			continue;
		mutate_field(good, "d_tag", entry, 8);
		mutate_field(good, "d_val", entry + 8, 8);
	}
	for (size_t i = view->n_used; i < view->n_dynamic; i++) {
		uint64_t entry = place(good, view->dynamic_address + i * sizeof(Elf64_Dyn));

		if (entry < good->note.hot_offset)
			continue;
		for (size_t j = 0; j < COUNT(tags); j++)
			mutate(good, "a spare d_tag", entry, &tags[j], 8);
		mutate_field(good, "a spare d_val", entry + 8, 8);
	}
}

static void mutate_relocations(struct good *good)
{
	uint64_t relr = dynamic(good, DT_RELR), rela = dynamic(good, DT_RELA), plt = dynamic(good, DT_JMPREL);

	if (good->note.passes & NOTE_PASS_RELR)
		for (uint64_t i = 0; i < dynamic(good, DT_RELRSZ); i += 8)
			mutate_field(good, "a word of DT_RELR", place(good, relr + i), 8);
	if ((good->note.passes & NOTE_PASS_RELOCS) == 0)
		return;
	for (uint64_t i = 0; i < dynamic(good, DT_RELASZ); i += 8 * (1 + i / 1024))
		if (place(good, rela + i) >= good->note.tables_offset)
			mutate_field(good, "a field of DT_RELA", place(good, rela + i), 8);
	for (uint64_t i = 0; i < dynamic(good, DT_PLTRELSZ); i += 8)
		if (place(good, plt + i) >= good->note.tables_offset)
			mutate_field(good, "a field of DT_JMPREL", place(good, plt + i), 8);
}

/* Numbers of versions that others have; any free number would do as well. */
static void mutate_version_number(struct good *good, uint64_t version)
{
	static const uint16_t taken[] = {0, 1, 2, 3, 0x8002, 0xffff};

	for (size_t i = 0; i < COUNT(taken); i++)
		mutate(good, "vna_other of what was added", version + offsetof(Elf64_Vernaux, vna_other),
			&taken[i], 2);
}

static void mutate_version(struct good *good, uint64_t version)
{
	Elf64_Vernaux aux;
	const char *name;

	memcpy(&aux, at(good, version), sizeof(aux));
	name = elf_view_string(&good->view, aux.vna_name);
	mutate_field(good, "vna_hash", version + offsetof(Elf64_Vernaux, vna_hash), 4);
	mutate_field(good, "vna_flags", version + offsetof(Elf64_Vernaux, vna_flags), 2);
	mutate_field(good, "vna_name", version + offsetof(Elf64_Vernaux, vna_name), 4);
	mutate_field(good, "vna_next", version + offsetof(Elf64_Vernaux, vna_next), 4);
	if (name && strcmp(name, "GLIBC_ABI_DT_RELR") == 0)
		mutate_version_number(good, version);
	else
		mutate_field(good, "vna_other", version + offsetof(Elf64_Vernaux, vna_other), 2);
	if (name && place(good, dynamic(good, DT_STRTAB) + aux.vna_name) >= good->note.tables_offset)
		for (size_t i = 0; i <= strlen(name); i++)
			flip(good, "the name of a version",
				place(good, dynamic(good, DT_STRTAB) + aux.vna_name + i));
}

static void mutate_versions(struct good *good)
{
	uint64_t address = dynamic(good, DT_VERNEED);
	Elf64_Verneed need = {.vn_next = 1};

	if ((good->note.passes & NOTE_PASS_RELR) == 0 || place(good, address) < good->note.tables_offset)
		return;
	for (; need.vn_next != 0; address += need.vn_next) {
		uint64_t version = address;
		Elf64_Vernaux aux = {.vna_next = 1};

		memcpy(&need, at(good, place(good, address)), sizeof(need));
		mutate_field(good, "vn_version", place(good, address), 2);
		mutate_field(good, "vn_cnt", place(good, address) + 2, 2);
		mutate_field(good, "vn_file", place(good, address) + 4, 4);
		mutate_field(good, "vn_aux", place(good, address) + 8, 4);
		mutate_field(good, "vn_next", place(good, address) + 12, 4);
		for (version += need.vn_aux; aux.vna_next != 0; version += aux.vna_next) {
			memcpy(&aux, at(good, place(good, version)), sizeof(aux));
			mutate_version(good, place(good, version));
		}
	}
}

/* Whether a relocation writes there: then the loader may ignore what the file has there. */
static bool is_relocated(const struct elf_view *view, uint64_t address)
{
	uint64_t rela = 0, size = 0;

	elf_view_dynamic(view, DT_RELA, &rela);
	elf_view_dynamic(view, DT_RELASZ, &size);
	for (uint64_t i = 0; i < size; i += sizeof(Elf64_Rela)) {
		Elf64_Rela one;

		assert_true(elf_view_read(view, rela + i, &one, sizeof(one)));
		if (one.r_offset == address)
			return true;
	}
	return false;
}

/* A byte of the original under a copied page, with both checksums right. */
static void mutate_original(struct good *good)
{
	_cleanup_(elf_view_releasep) struct elf_view old = {0};
	const char *problem;

	assert_int_equal(elf_view_init(&old, good->original, good->original_size, &problem), 0);
	for (size_t i = 0; i + 1 < good->view.n_loads; i++) {
		const Elf64_Phdr *piece = &good->view.loads[i];
		uint64_t address = (piece->p_vaddr + piece->p_filesz / 2) & ~7ull, offset;
		const Elf64_Phdr *load = elf_view_load_at(&old, address, 8);

		/* Bytes behind the end of the dynamic section may change freely. */
		if (!load || address < piece->p_vaddr || piece->p_offset < good->note.hot_offset ||
			good->note.hot_size == 0 ||
			address - old.dynamic_address < old.n_dynamic * sizeof(Elf64_Dyn))
			continue;
		offset = load->p_offset + (address - load->p_vaddr);
		if (is_relocated(&old, address))
			continue;
		*at(good, offset) ^= 1;
		seal_relaid(good->data, good->size, 1);
		assert_found(good, "the original below a hot page", address);
		good->n_mutants++;
		*at(good, offset) ^= 1;
		seal_relaid(good->data, good->size, 1);
	}
}

static void mutate_padding(struct good *good)
{
	uint64_t tables_end = good->note.tables_offset + good->note.tables_size;

	for (uint64_t i = good->note.original_size; i < good->note.tables_offset; i += 1 + i / 8)
		flip(good, "padding before the tables", i);
	for (uint64_t i = tables_end; i < good->note.hot_offset; i += 1 + i / 8)
		flip(good, "padding after the tables", i);
}

/* Undo restores the original. If any byte is changed, missing or added, it writes nothing. */
static void undo_is_exact(struct good *good)
{
	_cleanup_free_ uint8_t *copy = NULL, *longer = calloc(1, good->size + 1);
	const char *problem;
	struct undo undo;

	assert_int_equal(undo_prepare(good->data, good->size, &undo, &problem), 0);
	assert_int_equal(undo.size, good->original_size);
	assert_int_equal(undo_copy(good->data, &undo, &copy), 0);
	assert_memory_equal(copy, good->original, good->original_size);
	for (uint64_t i = 0; i < good->size; i += 1 + i / 64) {
		*at(good, i) ^= 1;
		assert_true(undo_prepare(good->data, good->size, &undo, &problem) < 0);
		*at(good, i) ^= 1;
	}
	for (uint64_t i = 0; i < good->size; i += 1 + i / 16)
		assert_true(undo_prepare(good->data, i, &undo, &problem) < 0);
	memcpy(longer, good->data, good->size);
	assert_int_equal(undo_prepare(longer, good->size + 1, &undo, &problem), -EBADMSG);
}

static void report_is_right(struct good *good)
{
	struct verify_report report;

	if (verify_relaid(good->data, good->size, &report) != 0)
		fail_msg("%s, passes %u: %s", good->path, good->note.passes, report.problem);
	assert_int_equal(report.original_size, good->original_size);
	assert_int_equal(report.size, good->size);
	assert_int_equal(report.hot_pages, good->note.hot_size / good->note.granule);
	assert_true(report.pages >= report.hot_pages);
	assert_true(report.segments > report.segments_before);
	assert_int_equal(report.segments, good->view.n_loads);
	if (good->note.passes & NOTE_PASS_RELR) {
		assert_true(report.packed > 0 && report.dynamic_changed > 0);
		assert_true(report.relocations < report.relocations_before);
	} else {
		assert_int_equal(report.packed, 0);
	}
}

static void good_release(struct good *good)
{
	elf_view_release(&good->view);
	free(good->original);
	free(good->data);
}

static void test_file(const char *path, uint32_t passes, unsigned seed)
{
	_cleanup_(good_release) struct good good = {.path = path};
	const char *problem = "";

	if (read_file(path, 1 << 24, (char **)&good.original, &good.original_size) < 0)
		fail_msg("cannot read %s", path);
	if (relaid_make(good.original, good.original_size, passes, seed, &good.data, &good.size, &problem) <
		0)
		fail_msg("cannot relayout %s: %s", path, problem);
	assert_int_equal(elf_view_init(&good.view, good.data, good.size, &problem), 0);
	assert_int_equal(note_find(good.data, good.size, &good.note, &problem), 0);
	report_is_right(&good);
	undo_is_exact(&good);
	mutate_header(&good);
	mutate_phdrs(&good);
	mutate_order(&good);
	mutate_hot_pages(&good);
	mutate_note(&good);
	mutate_dynamic(&good);
	mutate_relocations(&good);
	mutate_versions(&good);
	mutate_original(&good);
	mutate_padding(&good);
	report_is_right(&good);
	assert_true(good.n_mutants > 500);
}

static char **paths;

static void every_change_of_hot_pages_is_found(void **state)
{
	for (char **path = paths; *path; path++)
		test_file(*path, NOTE_PASS_HOT, 1);
}

static void every_change_of_packed_relocations_is_found(void **state)
{
	for (char **path = paths; *path; path++)
		test_file(*path, NOTE_PASS_RELR | NOTE_PASS_RELOCS, 2);
}

static void every_change_of_all_passes_is_found(void **state)
{
	for (char **path = paths; *path; path++)
		test_file(*path, NOTE_PASS_HOT | NOTE_PASS_RELR | NOTE_PASS_RELOCS, 3);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_change_of_hot_pages_is_found),
		cmocka_unit_test(every_change_of_packed_relocations_is_found),
		cmocka_unit_test(every_change_of_all_passes_is_found),
	};

	if (argc < 2)
		return 2;
	paths = argv + 1;
	if (getenv("HEADSTART_TEST_VALGRIND"))
		step = 8;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
