/* SPDX-License-Identifier: MIT */
/*
 * The shares come from recordings of cold starts of LibreOffice (two ways), Firefox, emacs, java, node, git and bash of
 * Debian 12: of the pieces of 128 KiB of a segment, those in which some page was touched. 577 libraries and executables;
 * docs/decisions/whole-mode.md has the table, and what a model of the devices makes of it.
 */
#include "prefetch/whole-mode/worth.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/cleanup.h"
#include "elf/file.h"

#define SIZES       6
#define HEADERS_MAX 128 /* program headers of an object that is looked into */

/* What the program computes meanwhile hides a part of a transfer, but of its own reads nothing. */
#define SAVED_TENTHS 13

enum kind { KIND_TABLES, KIND_CODE, KIND_CONSTANTS, KIND_WRITABLE, KINDS };

/* Files smaller than this, in bytes; the last size is larger. */
static const uint64_t sizes[SIZES - 1] = {256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20};

/* Per cent, by the size of the file. */
static const uint8_t shares[KINDS][SIZES] = {
	[KIND_TABLES] = {100, 100, 99, 85, 95, 65}, /* headers, symbols, hashes, relocations */
	[KIND_CODE] = {100, 76, 57, 35, 55, 60},
	[KIND_CONSTANTS] = {77, 41, 34, 22, 10, 40}, /* and unwind tables */
	[KIND_WRITABLE] = {100, 100, 100, 100, 100, 100},
};

unsigned worth_least(const struct device_model *model, bool seeks)
{
	uint64_t transfer = model->bytes_per_ms ? WORTH_PIECE * UINT64_C(1000) / model->bytes_per_ms : 0;
	uint64_t saved = model->latency_us;

	if (seeks)
		saved += model->seek_us;
	saved = saved * SAVED_TENTHS / 10;
	return transfer + saved ? (unsigned)(transfer * 100 / (transfer + saved)) : 0;
}

static enum kind kind_of(const Elf64_Phdr *segment)
{
	if (segment->p_flags & PF_W)
		return KIND_WRITABLE;
	if (segment->p_flags & PF_X)
		return KIND_CODE;
	return segment->p_offset == 0 ? KIND_TABLES : KIND_CONSTANTS;
}

static unsigned share_of(uint64_t file_size, enum kind kind)
{
	size_t size = 0;

	while (size < SIZES - 1 && file_size >= sizes[size])
		size++;
	return shares[kind][size];
}

/* Reads the program headers. Returns whether there are any. */
static bool open_object(int fd, uint64_t file_size, struct elf_file *file)
{
	const char *problem;

	if (elf_file_open(file, fd, &problem) < 0)
		return false;
	if (file->size > file_size)
		file->size = file_size;
	return file->wide && file->header.e_phnum <= HEADERS_MAX && elf_file_take_phdrs(file, &problem) == 0;
}

static bool is_worth(const struct elf_file *file, const Elf64_Phdr *segment, unsigned least)
{
	return segment->p_type == PT_LOAD && segment->p_filesz > 0 &&
		range_fits(segment->p_offset, segment->p_filesz, file->size) &&
		share_of(file->size, kind_of(segment)) >= least;
}

size_t worth_parts(int fd, uint64_t file_size, unsigned least, struct object_part parts[], size_t room)
{
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	size_t n = 0;

	if (!open_object(fd, file_size, &file))
		return 0;
	for (enum kind kind = KIND_TABLES; kind < KIND_WRITABLE; kind++)
		for (size_t i = 0; i < file.n_phdrs && n < room; i++)
			if (kind_of(&file.phdrs[i]) == kind && is_worth(&file, &file.phdrs[i], least))
				parts[n++] =
					(struct object_part){file.phdrs[i].p_offset, file.phdrs[i].p_filesz};
	return n;
}

static int compare_offsets(const void *a, const void *b)
{
	const struct object_part *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Joins parts, ascending by offset, over short gaps. Returns how many are left. */
static size_t join(struct object_part parts[], size_t n)
{
	size_t last = 0;

	for (size_t i = 1; i < n; i++) {
		uint64_t end = parts[last].offset + parts[last].length;
		uint64_t new_end = parts[i].offset + parts[i].length;

		if (parts[i].offset >= end && parts[i].offset - end >= DEVICE_FAR)
			parts[++last] = parts[i];
		else if (new_end > end)
			parts[last].length = new_end - parts[last].offset;
	}
	return n ? last + 1 : 0;
}

size_t worth_pass(int fd, uint64_t file_size, unsigned least, struct object_part parts[], size_t room)
{
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	size_t n = 0;

	if (!open_object(fd, file_size, &file))
		return 0;
	for (size_t i = 0; i < file.n_phdrs; i++) {
		if (!is_worth(&file, &file.phdrs[i], least))
			continue;
		if (n == room)
			return 0;
		parts[n++] = (struct object_part){file.phdrs[i].p_offset, file.phdrs[i].p_filesz};
	}
	if (n > 1)
		qsort(parts, n, sizeof(*parts), compare_offsets);
	return join(parts, n);
}
