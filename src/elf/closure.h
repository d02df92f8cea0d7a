/* SPDX-License-Identifier: MIT */
/*
 * The libraries that ld.so maps before a program's first instruction, found as ld.so(8) does: DT_RPATH, the
 * LD_LIBRARY_PATH, DT_RUNPATH, ld.so.cache, the default folders. Nothing of the program is run.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CLOSURE_MAX 4096u /* libraries */

struct elf_closure {
	const char *root;         /* borrowed: a folder in front of all paths; NULL or "": none */
	const char *library_path; /* borrowed: LD_LIBRARY_PATH; NULL: none */
	char **paths;             /* owned: without the root; the objects that were added come first */
	size_t n, capacity;
	char **missing; /* owned: names that were found nowhere */
	size_t n_missing, missing_capacity;
	uint64_t static_tls;  /* bytes: of all objects but programs, see elf/static-tls.h */
	char *largest;        /* owned; the path of the one with the most of it; NULL where none has any */
	uint64_t largest_tls; /* bytes of that one */
	/* Private. */
	char *cache; /* owned: ld.so.cache */
	size_t cache_size;
	uint16_t machine; /* of the first object: libraries of another are passed over */
};

/*
 * Adds an object, an executable or a library, and what it needs. Returns 0; -ENOEXEC where it is no ELF file
 * (or one of 32 bits, which is not followed); or negative errno. Libraries that are not found are not an
 * error.
 */
int elf_closure_add(struct elf_closure *closure, const char *path);

/*
 * Adds what is preloaded: by LD_PRELOAD, whose value is `variable`, and by /etc/ld.so.preload, whose content is `text`. Either
 * may be NULL. What is not found is left out. Returns 0 or -ENOMEM.
 */
int elf_closure_add_preloads(struct elf_closure *closure, const char *variable, const char *text);

void elf_closure_release(struct elf_closure *closure);

static inline void elf_closure_releasep(struct elf_closure *closure)
{
	elf_closure_release(closure);
}
