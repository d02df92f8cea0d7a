/* SPDX-License-Identifier: MIT */
/* A 32-bit program without libc: exits with 7. */
void _start(void);

void _start(void)
{
	__asm__ volatile("int $0x80" : : "a"(1), "b"(7));
}
