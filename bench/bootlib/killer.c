/* SPDX-License-Identifier: MIT */
/* The worst possible library in /etc/ld.so.preload: it kills every program that loads it. */
__attribute__((constructor)) static void kill_program(void)
{
	__builtin_trap();
}
