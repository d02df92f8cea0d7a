/* SPDX-License-Identifier: MIT */
/* The symbols that were split from a file into a debug file, such as those that Debian's -dbg packages install. */
#pragma once

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads the symbol table of ROOT/usr/lib/debug/.build-id/XX/REST.debug (gdb, "Separate Debug Files") for a build-id of
 * `size` bytes. `root` has no slash at its end: "" for the system. The file may be hostile: only the size of the table
 * is checked, and it lies wholly in the file. The caller frees *ret. Returns 0; -ENOENT if there is no such file, or
 * none with symbols; -ENOMEM; or negative errno.
 */
int elf_debug_symbols(const char *root, const uint8_t *build_id, size_t size, Elf64_Sym **ret, size_t *ret_n);
