/* SPDX-License-Identifier: MIT */
/*
 * What a program or library asks of the dynamic linker: which loader, which libraries, where to look for
 * them, how much thread-local storage. The file may be hostile.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_needs {
	bool is_32bit;     /* nothing below is then filled in but interpreter, machine and is_dynamic */
	uint16_t machine;  /* EM_X86_64 … */
	bool is_dynamic;   /* has a PT_DYNAMIC */
	bool is_program;   /* ET_EXEC, or DF_1_PIE: libc.so.6, too, has an interpreter */
	bool is_go;        /* has the build-id note of Go's linker */
	char *interpreter; /* owned; NULL where there is none that is absolute */
	char **needed;     /* owned: DT_NEEDED, in order */
	size_t n_needed, needed_capacity;
	char *runpath;        /* owned, or NULL; DT_RUNPATH */
	char *rpath;          /* owned, or NULL; DT_RPATH, which counts only without DT_RUNPATH */
	uint64_t loaded_size; /* bytes of the file that are mapped: to touch one beyond its end is a SIGBUS */
	uint64_t tls_size;    /* bytes of its PT_TLS in memory; 0 where there is none */
	uint64_t tls_align;   /* bytes; a power of two, 1 at least */
	/*
	 * Whether its thread-local storage may have to be static: it has DF_STATIC_TLS, or it exports a
	 * thread-local variable, which another object may use by the initial-exec model without any mark on
	 * this one.
	 */
	bool static_tls;
};

/*
 * Takes the file apart by its program headers. Returns 0, -ENOEXEC (not an ELF file, or not one that makes
 * sense: other byte orders are not looked into), -ENOMEM, or negative errno.
 */
int elf_needs_read(int fd, struct elf_needs *ret);
void elf_needs_release(struct elf_needs *needs);

static inline void elf_needs_releasep(struct elf_needs *needs)
{
	elf_needs_release(needs);
}

/* Whether a loader of glibc looks at LD_AUDIT for it: 64-bit, with an interpreter, which is not musl's. */
bool elf_needs_heeds_audit(const struct elf_needs *needs);

/* What a library takes of the surplus of static TLS (elf/static-tls.h) at most, alignment included; 0 for a
 * program, whose own is laid out from the start. */
uint64_t static_tls_of(const struct elf_needs *needs);

/* Adds, and stays at UINT64_MAX. */
uint64_t static_tls_add(uint64_t a, uint64_t b);
