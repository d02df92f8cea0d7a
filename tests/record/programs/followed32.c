/* SPDX-License-Identifier: MIT */
/*
 * A 32-bit program without libc: followed32 FILE reads page 100 of FILE, and touches page 200 through a mapping. With another argument it
 * then sleeps for half a second, with two others for long. Exits with 0.
 */
#define PAGE 4096

static long call(long number, long a, long b, long c, long d, long e)
{
	long result;

	/* The sixth argument, of mmap2 and pread64, is 0 in both. */
	__asm__ volatile("push %%ebp; xor %%ebp, %%ebp; int $0x80; pop %%ebp"
			 : "=a"(result)
			 : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
			 : "memory");
	return result;
}

__attribute__((used)) static void begin(long *stack)
{
	volatile long duration[2] = {stack[0] > 3 ? 1000 : 0, 500000000}; /* not in a file */
	static char buffer[100];
	long fd = call(5, stack[2], 0, 0, 0, 0);                                 /* open */
	long n = call(180, fd, (long)buffer, sizeof(buffer), 100 * PAGE, 0);     /* pread64 */
	volatile char *at = (volatile char *)call(192, 0, 256 * PAGE, 1, 2, fd); /* mmap2 */

	buffer[0] = at[200 * PAGE];
	call(91, (long)at, 256 * PAGE, 0, 0, 0); /* munmap */
	if (stack[0] > 2)
		call(267, 0, 0, (long)duration, 0, 0); /* clock_nanosleep, of which x86-64 says readlinkat */
	call(1, n != sizeof(buffer), 0, 0, 0, 0);      /* exit */
}

__asm__(".globl _start\n_start: mov %esp, %eax; push %eax; call begin");
