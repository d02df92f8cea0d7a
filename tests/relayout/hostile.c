/* SPDX-License-Identifier: MIT */
/*
 * Hostile ELF files: each field of every header, program header, section header, dynamic entry, required
 * version and relocation of good files takes other values, one at a time. Of each such file relayout has to
 * make nothing, or a file that verify takes and of which undo gives the same bytes back.
 *
 *     hostile FILE…
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "elf/view.h"
#include "format/note.h"
#include "relayout-check.h"

#define COUNT(array)  (sizeof(array) / sizeof((array)[0]))
#define SECONDS_MAX   60u /* for one case: one that takes longer hangs */
#define RECORDS_MAX   40u /* of one table of relocations */
#define PASSES_WANTED (NOTE_PASS_HOT | NOTE_PASS_RELR | NOTE_PASS_RELOCS)

struct field {
	const char *table;
	uint64_t offset; /* in the file */
	size_t size;     /* bytes */
};

struct hostile {
	const char *path;
	uint8_t *data; /* owned */
	size_t size;
	struct elf_view view;
	struct field *fields; /* owned */
	size_t n_fields, capacity;
	size_t cases, accepted;
};

static void hostile_release(struct hostile *hostile)
{
	elf_view_release(&hostile->view);
	free(hostile->fields);
	free(hostile->data);
}

static void die(const char *what, const char *detail)
{
	fprintf(stderr, "hostile: %s %s\n", what, detail);
	exit(2);
}

/* The fields of a record, each with its size. */
static void add_record(
	struct hostile *hostile, const char *table, uint64_t offset, const uint8_t *sizes, size_t n_sizes)
{
	for (size_t i = 0; i < n_sizes; i++) {
		if (!range_fits(offset, sizes[i], hostile->size))
			return;
		if (ARRAY_RESERVE(hostile->fields, hostile->capacity, hostile->n_fields + 1) < 0)
			die("no memory for", table);
		hostile->fields[hostile->n_fields++] = (struct field){table, offset, sizes[i]};
		offset += sizes[i];
	}
}

static void add_headers(struct hostile *hostile)
{
	static const uint8_t header[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 7, 2, 2, 4, 8, 8, 8, 4, 2, 2, 2, 2, 2, 2};
	static const uint8_t phdr[] = {4, 4, 8, 8, 8, 8, 8, 8};
	static const uint8_t shdr[] = {4, 4, 8, 8, 8, 8, 4, 4, 8, 8};
	const Elf64_Ehdr *ehdr = &hostile->view.header;

	add_record(hostile, "ELF header", 0, header, COUNT(header));
	for (uint64_t i = 0; i < ehdr->e_phnum; i++)
		add_record(
			hostile, "program header", ehdr->e_phoff + i * sizeof(Elf64_Phdr), phdr, COUNT(phdr));
	for (uint64_t i = 0; i < ehdr->e_shnum; i++)
		add_record(
			hostile, "section header", ehdr->e_shoff + i * sizeof(Elf64_Shdr), shdr, COUNT(shdr));
}

/* The offset in the file of an address. */
static uint64_t place(const struct hostile *hostile, uint64_t address)
{
	const uint8_t *at = elf_view_at(&hostile->view, address, 1);

	return at ? (uint64_t)(at - hostile->data) : UINT64_MAX;
}

static uint64_t dynamic(const struct hostile *hostile, int64_t tag)
{
	uint64_t value = 0;

	elf_view_dynamic(&hostile->view, tag, &value);
	return value;
}

/* The first and the last records of a table. */
static void add_table(struct hostile *hostile, const char *name, uint64_t address, uint64_t size,
	const uint8_t *sizes, size_t n_sizes)
{
	uint64_t record = 0, n;

	for (size_t i = 0; i < n_sizes; i++)
		record += sizes[i];
	n = size / record;
	for (uint64_t i = 0; i < n; i++)
		if (i < RECORDS_MAX / 2 || n - i <= RECORDS_MAX / 2)
			add_record(hostile, name, place(hostile, address + i * record), sizes, n_sizes);
}

static void add_tables(struct hostile *hostile)
{
	static const uint8_t entry[] = {8, 8}, rela[] = {8, 4, 4, 8}, word[] = {8};
	const struct elf_view *view = &hostile->view;

	for (size_t i = 0; i < view->n_dynamic; i++)
		add_record(hostile, "dynamic entry",
			place(hostile, view->dynamic_address + i * sizeof(Elf64_Dyn)), entry, COUNT(entry));
	add_table(hostile, "DT_RELA", dynamic(hostile, DT_RELA), dynamic(hostile, DT_RELASZ), rela,
		COUNT(rela));
	add_table(hostile, "DT_JMPREL", dynamic(hostile, DT_JMPREL), dynamic(hostile, DT_PLTRELSZ), rela,
		COUNT(rela));
	add_table(hostile, "DT_RELR", dynamic(hostile, DT_RELR), dynamic(hostile, DT_RELRSZ), word,
		COUNT(word));
}

static void add_versions(struct hostile *hostile)
{
	static const uint8_t need[] = {2, 2, 4, 4, 4}, version[] = {4, 2, 2, 4, 4};
	uint64_t address = dynamic(hostile, DT_VERNEED);

	for (uint64_t i = 0; i < dynamic(hostile, DT_VERNEEDNUM); i++) {
		Elf64_Verneed library;
		uint64_t at = place(hostile, address), aux;

		memcpy(&library, hostile->data + at, sizeof(library));
		add_record(hostile, "required library", at, need, COUNT(need));
		aux = at + library.vn_aux;
		for (unsigned j = 0; j < library.vn_cnt; j++) {
			Elf64_Vernaux one;

			memcpy(&one, hostile->data + aux, sizeof(one));
			add_record(hostile, "required version", aux, version, COUNT(version));
			aux += one.vna_next;
		}
		address += library.vn_next;
	}
}

/* Other values for a field; the field may have one of them already. */
static uint64_t other_value(const struct hostile *hostile, uint64_t value, size_t which)
{
	const uint64_t values[] = {0, 1, 7, UINT64_MAX, INT64_MAX, 1ull << 63, value + 1, value - 1,
		value + 8, value - 8, value + 24, value + 0x1000, value - 0x1000, value ^ 0x10,
		value ^ 1ull << 32, value * 2, hostile->size, hostile->size - value,
		hostile->view.dynamic_address, 0x10000};

	return values[which];
}

#define N_VALUES 20

static void try_passes(struct hostile *hostile, const struct field *field, uint64_t value, uint32_t passes)
{
	char problem[RELAYOUT_CHECK_MAX];
	bool accepted;

	alarm(SECONDS_MAX);
	if (!relayout_check(
		    hostile->data, hostile->size, passes, (unsigned)hostile->cases, &accepted, problem)) {
		fprintf(stderr,
			"FAIL: %s, %s at %#" PRIx64 ", %zu bytes, value %#" PRIx64
			", passes %u, seed %zu: %s\n",
			hostile->path, field->table, field->offset, field->size, value, passes,
			hostile->cases, problem);
		exit(1);
	}
	hostile->cases++;
	hostile->accepted += accepted;
}

static void try_case(struct hostile *hostile, const struct field *field, uint64_t value)
{
	uint8_t before[8];

	memcpy(before, hostile->data + field->offset, field->size);
	if (memcmp(before, &value, field->size) == 0)
		return;
	memcpy(hostile->data + field->offset, &value, field->size);
	try_passes(hostile, field, value, PASSES_WANTED);
	try_passes(hostile, field, value, PASSES_WANTED | NOTE_PASS_COMPACT);
	memcpy(hostile->data + field->offset, before, field->size);
}

static void try_file(const char *path, size_t *cases)
{
	_cleanup_(hostile_release) struct hostile hostile = {.path = path};
	const char *problem = "";

	if (read_file(path, 1 << 24, (char **)&hostile.data, &hostile.size) < 0)
		die("cannot read", path);
	if (elf_view_init(&hostile.view, hostile.data, hostile.size, &problem) < 0)
		die(path, problem);
	add_headers(&hostile);
	add_tables(&hostile);
	add_versions(&hostile);
	for (size_t i = 0; i < hostile.n_fields; i++) {
		const struct field *field = &hostile.fields[i];
		uint64_t value = 0;

		memcpy(&value, hostile.data + field->offset, field->size < 8 ? field->size : 8);
		for (size_t which = 0; which < N_VALUES; which++)
			try_case(&hostile, field, other_value(&hostile, value, which));
	}
	printf("%s: %zu cases, %zu of them accepted\n", path, hostile.cases, hostile.accepted);
	if (hostile.accepted == 0 || hostile.accepted == hostile.cases)
		die("all cases end alike for", path);
	*cases += hostile.cases;
}

int main(int argc, char **argv)
{
	size_t cases = 0;

	for (int i = 1; i < argc; i++)
		try_file(argv[i], &cases);
	printf("%zu cases\n", cases);
	return cases == 0;
}
