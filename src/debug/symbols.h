/* SPDX-License-Identifier: MIT */
/* The symbol table that was split from a stripped file: that of its debug file, or that in its .gnu_debugdata. Both may be hostile. */
#pragma once

#include "elf/file.h"

struct debug_symbols {
	struct elf_file file; /* has the symbol table; borrows the two below */
	int fd;               /* owned; -1: it is in memory */
	uint8_t *data;        /* owned */
};

/*
 * Opens what was split from the file open at fd. *ret is the caller's to release on success, else untouched. Returns 0; -ENODATA
 * if the file has a symbol table itself, or none was found; -ENOMEM; or negative errno. Root leaves a debug file alone that not
 * everybody can read: what is learnt of it is for others, too.
 */
int debug_symbols_open(int fd, struct debug_symbols *ret);
void debug_symbols_release(struct debug_symbols *symbols);

static inline void debug_symbols_releasep(struct debug_symbols *symbols)
{
	debug_symbols_release(symbols);
}
