/* SPDX-License-Identifier: MIT */
/*
 * Static thread-local storage under LD_AUDIT.
 *
 * With any auditor glibc sizes the static TLS block before it has seen the program's libraries (elf/rtld.c calls
 * init_tls() before it loads the auditor's own objects, in 2.36 as in 2.42). The libraries linked to the program, libc
 * among them, then take what they need from the surplus that is meant for dlopen(3). If that is too little, the program
 * dies with "cannot allocate memory in static TLS block". glibc >= 2.32 has a tunable for the surplus.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "elf/needs.h"

/*
 * Bytes that always fit. With glibc 2.36 and an auditor without libc, a library of 1,700 bytes starts and one of 2,048
 * does not, each beside libc's 144. An auditor linked to libc takes some 150 more, and the rest is for dlopen(3).
 */
#define STATIC_TLS_SURPLUS 1024u

/* glibc's own default of the tunable, which libraries opened later may take. It stays free for them. */
#define STATIC_TLS_OPTIONAL 512u

#define STATIC_TLS_TUNABLE "glibc.rtld.optional_static_tls"

static inline bool static_tls_fits(uint64_t bytes)
{
	return bytes <= STATIC_TLS_SURPLUS;
}

/*
 * Bytes of static TLS that the libraries of a program take, by elf_closure_add() of the program and
 * elf_closure_add_preloads() of preload (LD_PRELOAD; may be NULL) and of /etc/ld.so.preload. *ret_loader_heeds says
 * whether a dynamic linker that obeys LD_AUDIT loads the program (64-bit, PT_INTERP, not musl's). For a script, its
 * interpreter counts. Returns 0 or negative errno.
 */
int static_tls_of_program(const char *program, const char *preload, const char *library_path, uint64_t *ret,
	bool *ret_loader_heeds);

/*
 * The value of GLIBC_TUNABLES with which a program whose libraries take `bytes` starts under an auditor. Keeps every
 * other tunable of `current` (NULL if not set), and a larger value of this one. The caller frees *ret, which is NULL if
 * nothing has to change. Returns 0 or -ENOMEM.
 */
int static_tls_tunables(const char *current, uint64_t bytes, char **ret);
