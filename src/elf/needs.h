/* SPDX-License-Identifier: MIT */
/*
 * What a program or library requires of the dynamic linker: its loader, its libraries, where to look for them, and how
 * much thread-local storage. The file may be hostile.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_needs {
	bool is_32bit;     /* then only interpreter, machine and is_dynamic are filled in */
	uint16_t machine;  /* EM_X86_64 … */
	bool is_dynamic;   /* has a PT_DYNAMIC */
	bool is_program;   /* ET_EXEC, or DF_1_PIE: libc.so.6, too, has an interpreter */
	bool is_go;        /* has the build-id note of Go's linker */
	char *interpreter; /* owned; NULL if there is none that is absolute */
	char **needed;     /* owned: DT_NEEDED, in order */
	size_t n_needed, needed_capacity;
	char *runpath;        /* owned, or NULL; DT_RUNPATH */
	char *rpath;          /* owned, or NULL; DT_RPATH, which counts only without DT_RUNPATH */
	uint64_t loaded_size; /* bytes of the file that are mapped; a shorter file causes SIGBUS */
	uint64_t tls_size;    /* bytes of its PT_TLS in memory; 0 if there is none */
	uint64_t tls_align;   /* bytes; a power of two, 1 at least */
	/*
	 * Whether its thread-local storage may have to be static: it has DF_STATIC_TLS, or it exports a thread-local
	 * variable. Another object may use such a variable by the initial-exec model, and nothing in this file shows
	 * that.
	 */
	bool static_tls;
};

/*
 * Reads the file by its program headers. Returns 0, -ENOEXEC (no ELF file, a malformed one, or one of the other byte
 * order), -ENOMEM, or negative errno.
 */
int elf_needs_read(int fd, struct elf_needs *ret);
void elf_needs_release(struct elf_needs *needs);

static inline void elf_needs_releasep(struct elf_needs *needs)
{
	elf_needs_release(needs);
}

/* Whether a glibc loader obeys LD_AUDIT for it: it is 64-bit and has an interpreter other than musl's. */
bool elf_needs_heeds_audit(const struct elf_needs *needs);

/* The most that a library takes of the surplus of static TLS (elf/static-tls.h), alignment included; 0 for a program,
 * whose TLS is laid out from the start. */
uint64_t static_tls_of(const struct elf_needs *needs);

/* The sum, or UINT64_MAX if that overflows. */
uint64_t static_tls_add(uint64_t a, uint64_t b);
