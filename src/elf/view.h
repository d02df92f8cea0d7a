/* SPDX-License-Identifier: MIT */
/*
 * A bounds-checked view of an ELF file in memory by its program headers, as the loader sees it. 64-bit, little-endian,
 * x86-64 or aarch64, executable (ET_EXEC) or shared object (ET_DYN). The file may be hostile: nothing in the view
 * points outside it, and each segment's file range lies inside the file.
 */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_view {
	const uint8_t *data; /* borrowed: the whole file */
	uint64_t size;       /* bytes of it */
	Elf64_Ehdr header;   /* a copy */
	Elf64_Phdr *phdrs;   /* owned copies */
	size_t n_phdrs;
	Elf64_Phdr *loads; /* owned copies of the PT_LOADs */
	size_t n_loads;    /* > 0 */
	/* Owned copies of the entries of PT_DYNAMIC, also those after the first DT_NULL. */
	Elf64_Dyn *dynamic;
	size_t n_dynamic; /* all of them; 0 if there is no PT_DYNAMIC */
	size_t n_used;    /* those before the first DT_NULL; there is at least one DT_NULL */
	uint64_t dynamic_address;
};

/*
 * Checks and parses the file. Returns 0; -ENOEXEC (an unsupported or malformed file) with *ret_problem, a static string
 * such as "is truncated: the program headers lie beyond the end of the file"; or -ENOMEM. PT_LOADs of the view ascend
 * by address, do not overlap (at byte level), and neither their file ranges nor their addresses overflow; p_align of
 * each is 0, 1 or a power of two, and p_vaddr and p_offset agree modulo 4096 and modulo p_align.
 */
int elf_view_init(struct elf_view *ret, const uint8_t *data, uint64_t size, const char **ret_problem);
void elf_view_release(struct elf_view *view);

static inline void elf_view_releasep(struct elf_view *view)
{
	elf_view_release(view);
}

/* The alignment with which the loader places the object: the largest of its PT_LOADs. */
uint64_t elf_view_largest_alignment(const struct elf_view *view);

/* The PT_LOAD whose file content holds all of [address, address + size), or NULL. size may be 0. */
const Elf64_Phdr *elf_view_load_at(const struct elf_view *view, uint64_t address, uint64_t size);

/* The bytes that the loader would map there (before relocation), or NULL if not all of them come from the file. */
const uint8_t *elf_view_at(const struct elf_view *view, uint64_t address, uint64_t size);

/*
 * Copies the same bytes from as many segments as they lie in: one range of memory may be several pieces of a relaid
 * file. Returns whether all of them come from the file; otherwise the content of `data` is undefined.
 */
bool elf_view_read(const struct elf_view *view, uint64_t address, void *data, uint64_t size);

/* The first dynamic entry of that tag before the first DT_NULL. Returns whether there is one. */
bool elf_view_dynamic(const struct elf_view *view, int64_t tag, uint64_t *ret_value);

/* The first program header of that type, or NULL. */
const Elf64_Phdr *elf_view_phdr(const struct elf_view *view, uint32_t type);

/* The NUL-terminated string at an offset of DT_STRTAB, or NULL if it does not lie wholly inside a segment. */
const char *elf_view_string(const struct elf_view *view, uint64_t offset);

/* R_*_RELATIVE of the machine. */
uint32_t elf_view_relative_type(const struct elf_view *view);

/* The descriptor of the first note of that type and owner (elf/notes.h), inside view->data, or NULL. */
const uint8_t *elf_view_note(
	const struct elf_view *view, const char owner[4], uint32_t type, size_t *ret_size);

/*
 * The descriptor of the NT_GNU_BUILD_ID note (https://fedoraproject.org/wiki/Releases/FeatureBuildId), inside
 * view->data, or NULL.
 */
const uint8_t *elf_view_build_id(const struct elf_view *view, size_t *ret_size);
