/* SPDX-License-Identifier: MIT */
/*
 * Checks an ELF file once, so that no later code has to: gABI chapters 4 and 5, and what glibc's ld.so (elf/dl-load.c)
 * and the kernel (fs/binfmt_elf.c) demand of program headers.
 */
#include "elf/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/cleanup.h"
#include "elf/file.h"
#include "elf/notes.h"

#define SMALLEST_PAGE 4096u

/* What is wrong with the ELF header, or NULL. */
static const char *header_problem(const Elf64_Ehdr *header)
{
	if (header->e_ident[EI_CLASS] == ELFCLASS32)
		return "is a 32-bit ELF file";
	if (header->e_ident[EI_DATA] != ELFDATA2LSB ||
		(header->e_machine != EM_X86_64 && header->e_machine != EM_AARCH64))
		return "is made for another machine than x86-64 or aarch64";
	if (header->e_ident[EI_VERSION] != EV_CURRENT || header->e_version != EV_CURRENT)
		return "is of an unknown version of ELF";
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return "is neither a program nor a shared library";
	if (header->e_phnum == 0)
		return "has no program headers";
	if (header->e_ehsize < sizeof(Elf64_Ehdr))
		return "has headers of an unknown size";
	return NULL;
}

static const char *segment_problem(const Elf64_Phdr *phdr, uint64_t file_size)
{
	uint64_t end;

	if (phdr->p_type == PT_NULL)
		return NULL;
	if (!range_fits(phdr->p_offset, phdr->p_filesz, file_size))
		return "is truncated: a segment lies beyond the end of the file";
	if (__builtin_add_overflow(phdr->p_vaddr, phdr->p_memsz, &end))
		return "has a segment beyond the end of the address space";
	if (phdr->p_type != PT_LOAD)
		return NULL;
	if (phdr->p_filesz > phdr->p_memsz)
		return "has a segment that is larger in the file than in memory";
	if (phdr->p_align & (phdr->p_align - 1))
		return "has a segment whose alignment is not a power of two";
	if ((phdr->p_vaddr - phdr->p_offset) % SMALLEST_PAGE != 0 ||
		(phdr->p_align && ((phdr->p_vaddr - phdr->p_offset) & (phdr->p_align - 1))))
		return "has a segment whose address and file offset do not agree with its alignment";
	return NULL;
}

static int take_loads(struct elf_view *view, const char **ret_problem)
{
	uint64_t end = 0;

	view->loads = calloc(view->n_phdrs, sizeof(Elf64_Phdr));
	if (!view->loads)
		return -ENOMEM;
	for (size_t i = 0; i < view->n_phdrs; i++) {
		const Elf64_Phdr *phdr = &view->phdrs[i];
		const char *problem = segment_problem(phdr, view->size);

		if (!problem && phdr->p_type == PT_LOAD) {
			if (phdr->p_vaddr < end)
				problem = "has segments that overlap or do not ascend by address";
			end = phdr->p_vaddr + phdr->p_memsz;
			view->loads[view->n_loads++] = *phdr;
		}
		if (problem) {
			*ret_problem = problem;
			return -ENOEXEC;
		}
	}
	if (view->n_loads == 0) {
		*ret_problem = "has no segment to load";
		return -ENOEXEC;
	}
	return 0;
}

/* Finds the dynamic section by its address, as the loader does. */
static int take_dynamic(struct elf_view *view, const char **ret_problem)
{
	const Elf64_Phdr *place = NULL;

	for (size_t i = 0; i < view->n_phdrs; i++) {
		if (view->phdrs[i].p_type != PT_DYNAMIC)
			continue;
		if (place) {
			*ret_problem = "has more than one dynamic section";
			return -ENOEXEC;
		}
		place = &view->phdrs[i];
	}
	if (!place)
		return 0;
	view->dynamic_address = place->p_vaddr;
	view->n_dynamic = place->p_filesz / sizeof(Elf64_Dyn);
	view->dynamic = calloc(view->n_dynamic + 1, sizeof(Elf64_Dyn));
	if (!view->dynamic)
		return -ENOMEM;
	if (!elf_view_read(view, place->p_vaddr, view->dynamic, view->n_dynamic * sizeof(Elf64_Dyn))) {
		*ret_problem = "has a dynamic section outside its segments";
		return -ENOEXEC;
	}
	while (view->n_used < view->n_dynamic && view->dynamic[view->n_used].d_tag != DT_NULL)
		view->n_used++;
	if (view->n_used == view->n_dynamic) {
		*ret_problem = "has a dynamic section without an end";
		return -ENOEXEC;
	}
	return 0;
}

int elf_view_init(struct elf_view *ret, const uint8_t *data, uint64_t size, const char **ret_problem)
{
	_cleanup_(elf_view_releasep) struct elf_view view = {.data = data, .size = size};
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	const char *problem = NULL;
	int r = elf_file_in_memory(&file, data, size, &problem);

	if (r == 0) {
		view.header = file.header;
		problem = header_problem(&file.header);
		r = problem ? -ENOEXEC : elf_file_take_phdrs(&file, &problem);
	}
	if (r == 0) {
		view.phdrs = TAKE_PTR(file.phdrs);
		view.n_phdrs = file.n_phdrs;
		r = take_loads(&view, &problem);
	}
	if (r == 0)
		r = take_dynamic(&view, &problem);
	if (r < 0) {
		*ret_problem = problem;
		return r;
	}
	*ret = view;
	view = (struct elf_view){0};
	return 0;
}

void elf_view_release(struct elf_view *view)
{
	free(view->phdrs);
	free(view->loads);
	free(view->dynamic);
	*view = (struct elf_view){0};
}

uint64_t elf_view_largest_alignment(const struct elf_view *view)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < view->n_loads; i++)
		if (view->loads[i].p_align > largest)
			largest = view->loads[i].p_align;
	return largest;
}

const Elf64_Phdr *elf_view_load_at(const struct elf_view *view, uint64_t address, uint64_t size)
{
	size_t low = 0, high = view->n_loads;

	while (high - low > 1) { /* the last that begins at or below the address */
		size_t middle = low + (high - low) / 2;

		if (view->loads[middle].p_vaddr <= address)
			low = middle;
		else
			high = middle;
	}
	if (address < view->loads[low].p_vaddr ||
		!range_fits(address - view->loads[low].p_vaddr, size, view->loads[low].p_filesz))
		return NULL;
	return &view->loads[low];
}

const uint8_t *elf_view_at(const struct elf_view *view, uint64_t address, uint64_t size)
{
	const Elf64_Phdr *load = elf_view_load_at(view, address, size);

	return load ? view->data + load->p_offset + (address - load->p_vaddr) : NULL;
}

bool elf_view_read(const struct elf_view *view, uint64_t address, void *data, uint64_t size)
{
	uint8_t *to = data;

	while (size > 0) {
		const Elf64_Phdr *load = elf_view_load_at(view, address, 1);
		uint64_t n;

		if (!load)
			return false;
		n = load->p_vaddr + load->p_filesz - address;
		if (n > size)
			n = size;
		memcpy(to, view->data + load->p_offset + (address - load->p_vaddr), n);
		to += n;
		address += n;
		size -= n;
	}
	return true;
}

bool elf_view_dynamic(const struct elf_view *view, int64_t tag, uint64_t *ret_value)
{
	for (size_t i = 0; i < view->n_used; i++) {
		if (view->dynamic[i].d_tag == tag) {
			*ret_value = view->dynamic[i].d_un.d_val;
			return true;
		}
	}
	return false;
}

const Elf64_Phdr *elf_view_phdr(const struct elf_view *view, uint32_t type)
{
	for (size_t i = 0; i < view->n_phdrs; i++)
		if (view->phdrs[i].p_type == type)
			return &view->phdrs[i];
	return NULL;
}

const char *elf_view_string(const struct elf_view *view, uint64_t offset)
{
	uint64_t table, address, size;
	const Elf64_Phdr *load;
	const uint8_t *text;

	if (!elf_view_dynamic(view, DT_STRTAB, &table) || !elf_view_dynamic(view, DT_STRSZ, &size) ||
		offset >= size || __builtin_add_overflow(table, offset, &address))
		return NULL;
	load = elf_view_load_at(view, address, 1);
	if (!load)
		return NULL;
	size -= offset;
	if (size > load->p_filesz - (address - load->p_vaddr))
		size = load->p_filesz - (address - load->p_vaddr);
	text = view->data + load->p_offset + (address - load->p_vaddr);
	return memchr(text, '\0', size) ? (const char *)text : NULL;
}

uint32_t elf_view_relative_type(const struct elf_view *view)
{
	return view->header.e_machine == EM_X86_64 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE;
}

const uint8_t *elf_view_note(
	const struct elf_view *view, const char owner[4], uint32_t type, size_t *ret_size)
{
	const uint8_t *found = NULL;
	uint64_t searched = 0;

	for (size_t i = 0; i < view->n_phdrs && !found; i++) {
		const Elf64_Phdr *phdr = &view->phdrs[i];
		struct elf_notes notes = {.size = phdr->p_filesz, .align = phdr->p_align};

		if (!elf_notes_to_search(phdr, view->size, &searched))
			continue;
		notes.data = view->data + phdr->p_offset;
		found = elf_notes_find(&notes, owner, type, ret_size);
	}
	return found;
}

const uint8_t *elf_view_build_id(const struct elf_view *view, size_t *ret_size)
{
	const uint8_t *id = elf_view_note(view, ELF_NOTE_GNU, NT_GNU_BUILD_ID, ret_size);

	return id && *ret_size > 0 ? id : NULL;
}
