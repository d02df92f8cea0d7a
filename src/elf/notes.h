/* SPDX-License-Identifier: MIT */
/* The notes of a PT_NOTE segment (gABI, "Note Section"). They may be hostile. */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_notes {
	const uint8_t *data; /* borrowed */
	uint64_t size;       /* bytes */
	uint64_t align;      /* p_align */
	bool swapped;        /* of another byte order than this machine's */
};

#define ELF_NOTES_MAX     (64u << 10) /* bytes of a PT_NOTE worth searching */
#define ELF_ALL_NOTES_MAX (16u << 20) /* of all PT_NOTEs of a file */

/*
 * Whether to search this segment for a note: it is a PT_NOTE and lies in the file, of `file_size` bytes. *searched, at first 0, counts the
 * bytes of all of them: tens of thousands of headers may describe the same large segment.
 */
bool elf_notes_to_search(const Elf64_Phdr *phdr, uint64_t file_size, uint64_t *searched);

/*
 * Finds the descriptor of the first note of that type and owner, whose name takes 4 bytes with its NUL. Returns a
 * pointer into the data, or NULL; *ret_size is its size, which may be 0.
 */
const uint8_t *elf_notes_find(
	const struct elf_notes *notes, const char owner[4], uint32_t type, size_t *ret_size);

/*
 * Whether all of the notes are such as are found by a program header, so that they can lie elsewhere. A compiler or linker has made these. Of
 * what others put into a section of this type, their code may know the address: that of Qt's plug-ins does. More than ELF_NOTES_MAX bytes
 * stay where they are.
 */
bool elf_notes_can_move(const struct elf_notes *notes);
