/* SPDX-License-Identifier: MIT */
/*
 * Where code begins that can be unwound: the sorted table of .eh_frame_hdr (LSB, "Exception Frames"), which stripped files
 * have, too. It has the functions, but also parts that the compiler split off, and the PLT. The file may be hostile.
 */
#pragma once

#include "elf/file.h"

/*
 * The addresses in the table, as linked and in its order. *ret is the caller's to free; NULL and 0 if there is no table, or
 * one in an encoding that linkers do not write. The file has its program headers. Returns 0, -ENOMEM or negative errno.
 */
int elf_unwind_starts(struct elf_file *file, uint64_t **ret, size_t *ret_n);

/* A piece of code that is unwound as one: a function, or a part of one. */
struct elf_unwind_piece {
	uint64_t start; /* address, as linked */
	uint64_t size;  /* bytes; 0: not known */
};

/* The same with how far each reaches, ascending by address. */
int elf_unwind_pieces(struct elf_file *file, struct elf_unwind_piece **ret, size_t *ret_n);
