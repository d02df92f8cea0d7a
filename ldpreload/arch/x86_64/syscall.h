/* SPDX-License-Identifier: MIT */
/* The system call instruction of x86-64 (System V psABI, A.2.1). */
#pragma once

/* Always passes six arguments: the kernel ignores those that a call does not take. Returns the result or -errno. */
static inline long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}
