/* SPDX-License-Identifier: MIT */
/*
 * verify, of compacted files: memory. What is mapped of each PT_LOAD of the original must be mapped with the
 * same bytes and rights, but for what is gone; the result maps nothing else but its tables, and nothing of
 * the file twice.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/compact/parts.h"

static int put(const Elf64_Phdr *load, uint8_t *bytes, uint64_t address, const void *data, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++)
		if (address + i >= load->p_vaddr && address + i - load->p_vaddr < load->p_filesz)
			bytes[address + i - load->p_vaddr] = ((const uint8_t *)data)[i];
	return 0;
}

/* Symbols refer to other sections; whether rightly, verify_compact_sections() sees. */
static void expect_symbols(const struct verify_compact *compact, const Elf64_Phdr *load, uint8_t *bytes)
{
	const struct verify *verify = compact->verify;
	uint64_t address = 0;

	if (!elf_view_dynamic(verify->new, DT_SYMTAB, &address))
		return;
	for (size_t i = 1; i < compact->new.n; i++) {
		const Elf64_Shdr *section = &compact->new.all[i];

		if (section->sh_type != SHT_DYNSYM || section->sh_addr != address)
			continue;
		for (uint64_t at = 0; at < section->sh_size; at += sizeof(Elf64_Sym)) {
			const size_t field = offsetof(Elf64_Sym, st_shndx);

			put(load, bytes, address + at + field,
				verify->new->data + section->sh_offset + at + field, sizeof(Elf64_Section));
		}
	}
}

static bool is_in_section(const struct verify_compact *compact, uint64_t address)
{
	for (size_t i = 1; i < compact->old.n; i++) {
		const Elf64_Shdr *section = &compact->old.all[i];

		if (elf_section_is_loaded(section) && address >= section->sh_addr &&
			address - section->sh_addr < section->sh_size)
			return true;
	}
	return false;
}

static bool is_header(const struct elf_view *view, uint64_t offset)
{
	const Elf64_Ehdr *header = &view->header;

	return offset < sizeof(*header) ||
		(offset >= header->e_phoff && offset - header->e_phoff < view->n_phdrs * sizeof(Elf64_Phdr));
}

/* Program headers and the note may take the place of headers, of what is gone, and of what no section describes. */
static int check_room(struct verify_compact *compact, const Elf64_Phdr *load, uint64_t from, uint64_t size)
{
	for (uint64_t at = from; at < from + size && at < load->p_filesz; at++)
		if (!is_header(compact->verify->old, at) && is_in_section(compact, load->p_vaddr + at) &&
			!verify_is_gone(compact, load->p_vaddr + at, 1))
			return verify_wrong(compact->verify,
				"has its program headers at %#" PRIx64
				", where the original has something else",
				load->p_vaddr + at);
	return 0;
}

static int expect_header(struct verify_compact *compact, const Elf64_Phdr *load, uint8_t *bytes)
{
	const struct verify *verify = compact->verify;
	Elf64_Ehdr header = verify->old->header, new = verify->new->header;
	uint64_t size = new.e_phnum * sizeof(Elf64_Phdr) + sizeof(struct note_segment);

	if (load->p_offset != 0)
		return 0;
	header.e_phoff = new.e_phoff;
	header.e_phnum = new.e_phnum;
	header.e_shoff = new.e_shoff;
	header.e_shnum = new.e_shnum;
	header.e_shstrndx = new.e_shstrndx;
	put(load, bytes, load->p_vaddr, &header, sizeof(header));
	put(load, bytes, load->p_vaddr + header.e_phoff, verify->new->data + header.e_phoff, size);
	return check_room(compact, load, header.e_phoff, size);
}

/* What the original's PT_LOAD should be in the result. */
static int expect(struct verify_compact *compact, const Elf64_Phdr *load, uint8_t **ret)
{
	const struct verify *verify = compact->verify;
	_cleanup_free_ uint8_t *bytes = malloc(load->p_filesz + 1);
	int r;

	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, verify->old->data + load->p_offset, load->p_filesz);
	for (size_t i = 0; i < verify->n_packed; i++) {
		uint64_t addend = LE64(verify->packed[i].addend);

		put(load, bytes, verify->packed[i].address, &addend, sizeof(addend));
	}
	put(load, bytes, verify->new->dynamic_address, verify->new->dynamic,
		verify->new->n_dynamic * sizeof(Elf64_Dyn));
	expect_symbols(compact, load, bytes);
	r = expect_header(compact, load, bytes);
	if (r == 0)
		*ret = TAKE_PTR(bytes);
	return r;
}

static int compare_piece(
	struct verify_compact *compact, const Elf64_Phdr *load, const uint8_t *bytes, const Elf64_Phdr *piece)
{
	struct verify *verify = compact->verify;
	const uint8_t *found = verify->new->data + piece->p_offset;
	const uint8_t *expected = bytes + (piece->p_vaddr - load->p_vaddr);

	if (piece->p_flags != load->p_flags)
		return verify_wrong(verify, "maps %#" PRIx64 " with other rights", piece->p_vaddr);
	if (memcmp(expected, found, piece->p_filesz) == 0)
		return 0;
	for (uint64_t i = 0; i < piece->p_filesz; i++)
		if (expected[i] != found[i] && !verify_is_gone(compact, piece->p_vaddr + i, 1))
			return verify_wrong(verify, "has %#x at address %#" PRIx64 " instead of %#x",
				found[i], piece->p_vaddr + i, expected[i]);
	return 0;
}

/* Whether memory of the original need not be there: it is gone, or padding. */
static bool may_vanish(const struct verify_compact *compact, uint64_t address, uint64_t size)
{
	for (uint64_t at = address; at < address + size; at++) {
		const uint8_t *byte = elf_view_at(compact->verify->old, at, 1);

		if (!verify_is_gone(compact, at, 1) && (!byte || *byte != 0 || is_in_section(compact, at)))
			return false;
	}
	return true;
}

/* The pieces of one PT_LOAD, which begin with new->loads[*at]. */
static int compare_load(struct verify_compact *compact, const Elf64_Phdr *load, size_t *at)
{
	struct verify *verify = compact->verify;
	_cleanup_free_ uint8_t *bytes = NULL;
	uint64_t here = load->p_vaddr, end = load->p_vaddr + load->p_memsz;
	uint64_t content_end = load->p_vaddr + load->p_filesz;
	int r = expect(compact, load, &bytes);

	for (; r == 0 && *at < verify->new->n_loads; (*at)++) {
		const Elf64_Phdr *piece = &verify->new->loads[*at];
		uint64_t piece_end = piece->p_vaddr + piece->p_memsz;
		bool is_last = piece_end == end;

		if (piece->p_vaddr >= end)
			break;
		if (piece->p_vaddr < here || piece_end > end || piece->p_vaddr > content_end ||
			(is_last ? piece->p_vaddr + piece->p_filesz != content_end
				 : piece->p_filesz != piece->p_memsz) ||
			(!is_last && piece_end > content_end))
			return verify_wrong(
				verify, "maps %#" PRIx64 " otherwise than the original", piece->p_vaddr);
		if (!may_vanish(compact, here, piece->p_vaddr - here))
			return verify_wrong(verify, "no longer maps %#" PRIx64, here);
		r = compare_piece(compact, load, bytes, piece);
		here = piece_end;
	}
	if (r == 0 && !may_vanish(compact, here, end - here))
		return verify_wrong(verify, "no longer maps %#" PRIx64, here);
	return r;
}

static int by_offset(const void *a, const void *b)
{
	const Elf64_Phdr *x = a, *y = b;

	return (x->p_offset > y->p_offset) - (x->p_offset < y->p_offset);
}

/* No page of the file is mapped by two PT_LOADs. */
static int check_doubles(struct verify_compact *compact)
{
	struct verify *verify = compact->verify;
	size_t n = verify->new->n_loads;
	_cleanup_free_ Elf64_Phdr *loads = calloc(n, sizeof(*loads));
	uint64_t mask = verify->note->granule - 1, end = 0;

	if (!loads)
		return -ENOMEM;
	memcpy(loads, verify->new->loads, n * sizeof(*loads));
	qsort(loads, n, sizeof(*loads), by_offset);
	for (size_t i = 0; i < n; i++) {
		if (loads[i].p_filesz == 0)
			continue;
		if ((loads[i].p_offset & ~mask) < end)
			return verify_wrong(
				verify, "maps offset %#" PRIx64 " of the file twice", loads[i].p_offset);
		end = (loads[i].p_offset + loads[i].p_filesz + mask) & ~mask;
	}
	return 0;
}

int verify_compact_memory(struct verify_compact *compact)
{
	struct verify *verify = compact->verify;
	const struct elf_view *before = verify->old, *after = verify->new;
	size_t at = 0;

	if (elf_view_largest_alignment(after) != elf_view_largest_alignment(before))
		return verify_wrong(verify, "asks for another alignment than the original");
	for (size_t i = 0; i < before->n_loads; i++) {
		int r = compare_load(compact, &before->loads[i], &at);

		if (r < 0)
			return r;
	}
	if (at + 1 < after->n_loads ||
		(at < after->n_loads &&
			(after->loads[at].p_flags != PF_R ||
				after->loads[at].p_memsz != after->loads[at].p_filesz)))
		return verify_wrong(verify, "maps more than the original and tables");
	compact->tables = at < after->n_loads ? &after->loads[at] : NULL;
	return check_doubles(compact);
}
