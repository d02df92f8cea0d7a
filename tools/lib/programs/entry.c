/* SPDX-License-Identifier: MIT */
/*
 * The entry point of the static programs, before that of libc.
 *
 * Problem: from a cold cache a static program reads nearly all of itself, in the order in which the start-up of libc
 * jumps about in it. On the hdd model that takes 24 seeks and 212 ms, of which 86 ms are the path to the file.
 *
 * So this first asks the kernel for the whole program, in order. A smaller libc would help too, but this needs none.
 * Nothing of libc is initialized yet: no TLS, no stack protector, no relocated IFUNC.
 */
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "syscall.h"

#define PAGE  4096u
#define CHUNK (128u << 10) /* bytes: the kernel would cut off a longer request at read_ahead_kb */

/* Defined by the linker: the beginning of the first segment, and the end of the file's content. */
extern const char __executable_start[] __attribute__((visibility("hidden")));
extern const char _edata[] __attribute__((visibility("hidden")));

void entry_read_ahead(void);

__attribute__((used)) void entry_read_ahead(void)
{
	uintptr_t at = (uintptr_t)__executable_start & ~(uintptr_t)(PAGE - 1);
	uintptr_t end = (uintptr_t)_edata;

	for (; at < end; at += CHUNK)
		raw_syscall(SYS_madvise, (long)at, (long)(end - at < CHUNK ? end - at : CHUNK), MADV_WILLNEED,
			0, 0, 0);
}

/* Passes the kernel's state of registers and stack (psABI: process initialization) on to libc's _start. */
#if defined(__x86_64__)
__asm__(".text\n"
	".globl headstart_entry\n"
	".type headstart_entry, @function\n"
	"headstart_entry:\n"
	"	push %rdx\n"
	"	push %rdx\n" /* twice: the stack stays aligned to 16 */
	"	call entry_read_ahead\n"
	"	pop %rdx\n"
	"	pop %rdx\n"
	"	jmp _start\n"
	".size headstart_entry, .-headstart_entry\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl headstart_entry\n"
	".type headstart_entry, %function\n"
	"headstart_entry:\n"
	"	stp x0, x30, [sp, #-16]!\n"
	"	bl entry_read_ahead\n"
	"	ldp x0, x30, [sp], #16\n"
	"	b _start\n"
	".size headstart_entry, .-headstart_entry\n");
#endif
