/* SPDX-License-Identifier: MIT */
/* The notes of a PT_NOTE segment (gABI, "Note Section"). They may be hostile. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * The descriptor of the first note of that type and owner, whose name takes 4 bytes, its NUL included. `align`
 * is p_align. Returns where it lies in `notes`, or NULL; *ret_size is its bytes, which may be 0.
 */
const uint8_t *elf_notes_find(const uint8_t *notes, uint64_t size, uint64_t align, const char owner[4],
	uint32_t type, size_t *ret_size);
