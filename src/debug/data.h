/* SPDX-License-Identifier: MIT */
/*
 * .gnu_debugdata: an ELF file within the file, compressed by xz, that has the symbols of those functions that the file does not
 * export (gdb's manual, "Debugging information in a special section"). Fedora has it in each program. The file may be hostile.
 */
#pragma once

#include "elf/file.h"

/* The caller frees *ret. Returns 0; -ENODATA if the file has none; -ENOEXEC if it is damaged or too large; or negative errno. */
int debug_data_read(struct elf_file *file, uint8_t **ret, size_t *ret_size);
