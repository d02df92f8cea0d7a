/* SPDX-License-Identifier: MIT */
/*
 * Where the functions of an ELF file begin, without their names: by the symbols that order_image_read() finds, or else by the
 * table for unwinding. The file may be hostile.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct order_entry {
	uint64_t
		offset; /* in the file: within an executable PT_LOAD's part of it, and within a section .text or .text.* */
	uint64_t address; /* as linked */
	uint64_t size;    /* bytes; > 0; not beyond the next entry */
};

struct order_entries {
	struct order_entry *items; /* owned; ascending by offset, each once */
	size_t n, capacity;
};

/*
 * Aliases are one entry. What begins within another function, by its size in the symbol table or by the table for unwinding,
 * is none. `debug_folder` is that of order_image_read(). Returns 0, also if there are no entries; -ENOEXEC with *ret_problem as
 * order_image_read(); or negative errno. *ret is the caller's to release.
 */
int order_entries_read(int fd, const char *debug_folder, struct order_entries *ret, const char **ret_problem);
void order_entries_release(struct order_entries *entries);

static inline void order_entries_releasep(struct order_entries *entries)
{
	order_entries_release(entries);
}
