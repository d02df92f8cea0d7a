/* SPDX-License-Identifier: MIT */
/*
 * The libraries that ld.so maps before a program's first instruction, found as ld.so(8) does: DT_RPATH,
 * LD_LIBRARY_PATH, DT_RUNPATH, ld.so.cache, the default folders. Executes nothing of the program.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLOSURE_MAX 4096u /* libraries */

struct elf_closure {
	const char *root;         /* borrowed: a folder in front of all paths; NULL or "": none */
	const char *library_path; /* borrowed: LD_LIBRARY_PATH; NULL: none */
	/* Where it returns false, for a path with the root, nobody looks: what is there counts as missing. NULL permits all. */
	bool (*may_look)(const char *path);
	char **paths; /* owned: without the root; the objects that were added come first */
	size_t n, capacity;
	char **missing; /* owned: names that were not found */
	size_t n_missing, missing_capacity;
	uint64_t static_tls;  /* bytes: of all objects but programs, see elf/static-tls.h */
	char *largest;        /* owned; the path of the one that has the most; NULL if none has any */
	uint64_t largest_tls; /* bytes of that one */
	/* Private. */
	char *cache; /* owned: ld.so.cache */
	size_t cache_size;
	uint16_t machine; /* of the first object: libraries for another are skipped */
	unsigned work;    /* how much has been looked at */
};

/*
 * Adds an executable or a library, and what it needs. Returns 0; -ENOEXEC if it is no ELF file (or a 32-bit one, which
 * is not followed); or negative errno. A library that is not found is no error. Of objects that ask for very much, what some seconds do not
 * suffice for is left out.
 */
int elf_closure_add(struct elf_closure *closure, const char *path);

/*
 * Adds preloaded objects: those of LD_PRELOAD, whose value is `variable`, and of /etc/ld.so.preload, whose content is
 * `text`. Either may be NULL. Skips what is not found. Returns 0 or -ENOMEM.
 */
int elf_closure_add_preloads(struct elf_closure *closure, const char *variable, const char *text);

void elf_closure_release(struct elf_closure *closure);

static inline void elf_closure_releasep(struct elf_closure *closure)
{
	elf_closure_release(closure);
}
