/* SPDX-License-Identifier: MIT */
/* What the worst library in /etc/ld.so.preload would be: it kills every program that loads it. */
__attribute__((constructor)) static void kill_program(void)
{
	__builtin_trap();
}
