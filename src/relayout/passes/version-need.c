/* SPDX-License-Identifier: MIT */
/*
 * DT_VERNEED is a chain of one Elf64_Verneed a library, each with a chain of one Elf64_Vernaux a version, linked by
 * offsets. We write it anew, one record after the other. Offsets of names count from DT_STRTAB and may reach beyond
 * .dynstr. So a name in the tables, which lie above it, needs no copy of the strings, just a DT_STRSZ that covers it.
 */
#include "relayout/passes/version-need.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "relayout/passes/refusal.h"

#define VERSION_NAME   "GLIBC_ABI_DT_RELR"
#define LIBC_NAME      "libc.so." /* glibc's own test (elf/dl-version.c) */
#define INDEX_MASK     0x7fffu    /* of vna_other and vd_ndx: bit 15 is a flag */
#define VERSIONS_LIMIT 0x7fffu    /* each has an index of its own */

/* Both are of one size. */
union record {
	Elf64_Verneed library;
	Elf64_Vernaux version;
};

_Static_assert(sizeof(Elf64_Verneed) == 16 && sizeof(Elf64_Vernaux) == 16, "one record is like another");

struct needs {
	const struct relayout_image *image;
	union record *records; /* owned: each library before its versions */
	size_t n_records, capacity;
	size_t libc;      /* record of libc, or SIZE_MAX */
	unsigned highest; /* index of a version, required or defined */
	bool has_relr;    /* the object requires the version already */
};

static void needs_release(struct needs *needs)
{
	free(needs->records);
}

/* Whether the string at an offset of DT_STRTAB begins with those bytes. */
static bool name_begins(const struct relayout_image *image, uint64_t offset, const char *with, size_t size)
{
	char name[sizeof(VERSION_NAME)];
	uint64_t strings, address;

	return relayout_dynamic_get(image, DT_STRTAB, &strings) &&
		!__builtin_add_overflow(strings, offset, &address) &&
		relayout_image_read(image, address, name, size) == 0 && memcmp(name, with, size) == 0;
}

static bool is_libc(const struct relayout_image *image, uint64_t name)
{
	return name_begins(image, name, LIBC_NAME, strlen(LIBC_NAME));
}

static int push(struct needs *needs, union record record)
{
	if (ARRAY_RESERVE(needs->records, needs->capacity, needs->n_records + 1) < 0)
		return -ENOMEM;
	needs->records[needs->n_records++] = record;
	return 0;
}

static void count_index(struct needs *needs, unsigned index)
{
	if ((index & INDEX_MASK) > needs->highest)
		needs->highest = index & INDEX_MASK;
}

/* Returns 0, -ENOMEM or -EINVAL. */
static int read_versions(struct needs *needs, uint64_t address, unsigned count, bool of_libc)
{
	for (unsigned i = 0; i < count; i++) {
		union record record;
		int r;

		if (relayout_image_read(needs->image, address, &record, sizeof(record)) < 0 ||
			(record.version.vna_next != 0) != (i + 1 < count))
			return -EINVAL;
		if (of_libc &&
			name_begins(
				needs->image, record.version.vna_name, VERSION_NAME, sizeof(VERSION_NAME)))
			needs->has_relr = true;
		count_index(needs, record.version.vna_other);
		address += record.version.vna_next;
		r = push(needs, record);
		if (r < 0)
			return r;
		if (needs->n_records > VERSIONS_LIMIT)
			return -EINVAL;
	}
	return 0;
}

/* Returns 0, -ENOMEM or -EINVAL: the chain does not end where its counts say, or is no chain. */
static int read_libraries(struct needs *needs, uint64_t address, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		union record record;
		bool of_libc;
		int r;

		if (relayout_image_read(needs->image, address, &record, sizeof(record)) < 0 ||
			record.library.vn_version != VER_NEED_CURRENT || record.library.vn_cnt == 0 ||
			(record.library.vn_next != 0) != (i + 1 < count))
			return -EINVAL;
		of_libc = is_libc(needs->image, record.library.vn_file);
		if (needs->libc == SIZE_MAX && of_libc)
			needs->libc = needs->n_records;
		r = push(needs, record);
		if (r == 0)
			r = read_versions(
				needs, address + record.library.vn_aux, record.library.vn_cnt, of_libc);
		if (r < 0)
			return r;
		address += record.library.vn_next;
	}
	return 0;
}

/* Reads the indices of the object's own versions. Returns 0 or -EINVAL. */
static int read_definitions(struct needs *needs)
{
	uint64_t address, count;

	if (!relayout_dynamic_get(needs->image, DT_VERDEF, &address))
		return 0;
	if (!relayout_dynamic_get(needs->image, DT_VERDEFNUM, &count) || count > VERSIONS_LIMIT)
		return -EINVAL;
	for (uint64_t i = 0; i < count; i++) {
		Elf64_Verdef definition;

		if (relayout_image_read(needs->image, address, &definition, sizeof(definition)) < 0 ||
			(definition.vd_next != 0) != (i + 1 < count))
			return -EINVAL;
		count_index(needs, definition.vd_ndx);
		address += definition.vd_next;
	}
	return 0;
}

static bool needs_libc(const struct relayout_image *image)
{
	for (size_t i = 0; i < image->n_dynamic && image->dynamic[i].d_tag != DT_NULL; i++)
		if (image->dynamic[i].d_tag == DT_NEEDED && is_libc(image, image->dynamic[i].d_un.d_val))
			return true;
	return false;
}

static int read_needs(struct needs *needs, const char **ret_refusal)
{
	const struct relayout_image *image = needs->image;
	uint64_t address, count, versym;
	int r;

	if (!needs_libc(image))
		return pass_refuse(ret_refusal,
			"the object does not need libc, so that a loader without DT_RELR would "
			"not be told of it");
	if (!relayout_dynamic_get(image, DT_VERNEED, &address) ||
		!relayout_dynamic_get(image, DT_VERSYM, &versym))
		return pass_refuse(ret_refusal,
			"the object requires no version of libc, so that a loader without "
			"DT_RELR would not be told of it");
	if (!relayout_dynamic_get(image, DT_VERNEEDNUM, &count))
		return pass_refuse(ret_refusal, "the object has a DT_VERNEED without DT_VERNEEDNUM");
	r = read_libraries(needs, address, count);
	if (r == 0)
		r = read_definitions(needs);
	if (r == -EINVAL || (r == 0 && needs->highest >= INDEX_MASK))
		return pass_refuse(ret_refusal, "the object's versions make no sense");
	if (r == 0 && needs->libc == SIZE_MAX)
		return pass_refuse(ret_refusal,
			"the object requires no version of libc, so that a loader without "
			"DT_RELR would not be told of it");
	return r;
}

/* The hash of a version's name (gABI, "Hash Table"). */
static uint32_t elf_hash(const char *name)
{
	uint32_t hash = 0;

	for (; *name; name++) {
		hash = (hash << 4) + (uint8_t)*name;
		hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
	}
	return hash;
}

/* Adds the version before libc's others. */
static int add_version(struct needs *needs, uint32_t name)
{
	union record version = {.version = {
					.vna_hash = elf_hash(VERSION_NAME),
					.vna_other = (Elf64_Half)(needs->highest + 1),
					.vna_name = name,
				}};
	union record *at;
	int r;

	r = push(needs, version);
	if (r < 0)
		return r;
	at = &needs->records[needs->libc + 1];
	memmove(at + 1, at, (needs->n_records - needs->libc - 2) * sizeof(*at));
	*at = version;
	needs->records[needs->libc].library.vn_cnt++;
	return 0;
}

/* Links each record to the one that follows it in the table. */
static void link_records(struct needs *needs)
{
	size_t i = 0;

	while (i < needs->n_records) {
		Elf64_Verneed *library = &needs->records[i].library;
		size_t next = i + 1 + library->vn_cnt;

		library->vn_aux = sizeof(*library);
		library->vn_next = next < needs->n_records ? (Elf64_Word)((next - i) * sizeof(*library)) : 0;
		for (i++; i < next; i++)
			needs->records[i].version.vna_next = i + 1 < next ? sizeof(union record) : 0;
	}
}

/* Adds the name to the tables, as an offset from DT_STRTAB. */
static int add_name(struct relayout_image *image, uint32_t *ret_offset, const char **ret_refusal)
{
	uint64_t strings, size, address;
	int r;

	if (!relayout_dynamic_get(image, DT_STRTAB, &strings) ||
		!relayout_dynamic_get(image, DT_STRSZ, &size))
		return pass_refuse(ret_refusal, "the object has no string table");
	r = relayout_image_add_table(image, VERSION_NAME, sizeof(VERSION_NAME), 1, &address);
	if (r < 0)
		return r;
	if (address < strings || address - strings > UINT32_MAX - sizeof(VERSION_NAME))
		return pass_refuse(ret_refusal, "the object's string table is 4 GiB or more below its end");
	*ret_offset = (uint32_t)(address - strings);
	if (size < *ret_offset + sizeof(VERSION_NAME))
		r = relayout_dynamic_set(image, DT_STRSZ, *ret_offset + sizeof(VERSION_NAME));
	return r;
}

int version_need_relr(struct relayout_image *image, const char **ret_refusal)
{
	_cleanup_(needs_release) struct needs needs = {
		.image = image, .libc = SIZE_MAX, .highest = VER_NDX_GLOBAL};
	uint64_t address;
	uint32_t name;
	int r;

	r = read_needs(&needs, ret_refusal);
	if (r < 0 || needs.has_relr)
		return r;
	r = add_name(image, &name, ret_refusal);
	if (r == 0)
		r = add_version(&needs, name);
	if (r < 0)
		return r;
	link_records(&needs);
	r = relayout_image_add_table(
		image, needs.records, needs.n_records * sizeof(*needs.records), sizeof(uint64_t), &address);
	if (r < 0)
		return r;
	return relayout_dynamic_set(image, DT_VERNEED, address);
}
