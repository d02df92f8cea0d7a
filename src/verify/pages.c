/* SPDX-License-Identifier: MIT */
/*
 * verify: the bytes. Every page of the file that the loader maps of the original, as a whole, must be mapped with the
 * same bytes, except: addends of packed relocations; the dynamic section; and the two fields of the ELF header, on the
 * page at the beginning of the file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/parts.h"

struct pages {
	struct verify *verify;
	uint8_t *expected, *found; /* owned: a page each */
	size_t packed;             /* index into verify->packed: those before lie below the current page */
};

static void pages_releasep(struct pages *pages)
{
	free(pages->expected);
	free(pages->found);
}

/* Reads the page at an offset of a file; beyond its end there are zeros. */
static void read_page(const struct elf_view *view, uint64_t offset, uint8_t *page, uint64_t granule)
{
	uint64_t n = offset < view->size ? view->size - offset : 0;

	if (n > granule)
		n = granule;
	memcpy(page, view->data + offset, n);
	memset(page + n, 0, granule - n);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Writes bytes that belong at an address onto the page, as far as they lie on it and inside the segment's content. */
static void overlay(struct pages *pages, const Elf64_Phdr *load, uint64_t page_address, uint64_t address,
	const void *data, uint64_t size)
{
	uint64_t start = larger(larger(address, load->p_vaddr), page_address);
	uint64_t end = smaller(smaller(address + size, load->p_vaddr + load->p_filesz),
		page_address + pages->verify->note->granule);

	if (start < end)
		memcpy(pages->expected + (start - page_address), (const uint8_t *)data + (start - address),
			end - start);
}

/* Expects the addends of packed relocations; one may begin on the page before. */
static void expect_addends(struct pages *pages, const Elf64_Phdr *load, uint64_t page_address)
{
	const struct verify *verify = pages->verify;
	uint64_t end = page_address + verify->note->granule;

	while (pages->packed < verify->n_packed &&
		verify->packed[pages->packed].address + sizeof(uint64_t) <= page_address)
		pages->packed++;
	for (size_t i = pages->packed; i < verify->n_packed && verify->packed[i].address < end; i++) {
		uint64_t addend = LE64(verify->packed[i].addend);

		overlay(pages, load, page_address, verify->packed[i].address, &addend, sizeof(addend));
	}
}

static void expect_header(struct pages *pages)
{
	const Elf64_Ehdr *header = &pages->verify->new->header;

	memcpy(pages->expected + offsetof(Elf64_Ehdr, e_phoff), &header->e_phoff, sizeof(header->e_phoff));
	memcpy(pages->expected + offsetof(Elf64_Ehdr, e_phnum), &header->e_phnum, sizeof(header->e_phnum));
}

/* Compares a page of the original's PT_LOAD `old` with that of the piece that maps it. */
static int compare_page(struct pages *pages, const Elf64_Phdr *old, const Elf64_Phdr *piece, uint64_t address)
{
	struct verify *verify = pages->verify;
	uint64_t granule = verify->note->granule;
	uint64_t old_offset = old->p_offset + (address - old->p_vaddr);
	uint64_t new_offset = piece->p_offset + (address - piece->p_vaddr);

	read_page(verify->old, old_offset, pages->expected, granule);
	read_page(verify->new, new_offset, pages->found, granule);
	expect_addends(pages, old, address);
	/* The dynamic section was compared entry by entry. */
	overlay(pages, old, address, verify->new->dynamic_address, verify->new->dynamic,
		verify->new->n_dynamic * sizeof(Elf64_Dyn));
	if (old_offset == 0 && new_offset == 0)
		expect_header(pages);
	if (memcmp(pages->expected, pages->found, granule) == 0)
		return 0;
	for (uint64_t i = 0; i < granule; i++)
		if (pages->expected[i] != pages->found[i])
			return verify_wrong(verify, "has %#x at address %#" PRIx64 " instead of %#x",
				pages->found[i], address + i, pages->expected[i]);
	return 0;
}

static int compare_piece(struct pages *pages, const Elf64_Phdr *old, const Elf64_Phdr *piece)
{
	uint64_t granule = pages->verify->note->granule, first = piece->p_vaddr & ~(granule - 1);
	uint64_t end = piece->p_vaddr - first + piece->p_filesz;

	for (uint64_t at = 0; at < end; at += granule) {
		int r = compare_page(pages, old, piece, first + at);

		if (r < 0)
			return r;
	}
	return 0;
}

/* verify_headers() has checked that the pieces of each PT_LOAD follow each other, in the order of the PT_LOADs. */
int verify_pages(struct verify *verify)
{
	_cleanup_(pages_releasep) struct pages pages = {
		.verify = verify,
		.expected = malloc(verify->note->granule),
		.found = malloc(verify->note->granule),
	};
	const Elf64_Phdr *piece = verify->new->loads;

	if (!pages.expected || !pages.found)
		return -ENOMEM;
	for (size_t i = 0; i < verify->old->n_loads; i++) {
		const Elf64_Phdr *load = &verify->old->loads[i];
		uint64_t left = load->p_filesz;

		do {
			int r = compare_piece(&pages, load, piece);

			if (r < 0)
				return r;
			left -= piece++->p_filesz;
		} while (left > 0);
	}
	return 0;
}
