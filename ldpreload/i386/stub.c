/* SPDX-License-Identifier: MIT */
/*
 * The preload shim of 32-bit programs: an object that does nothing. The 64-bit and the 32-bit loader both read
 * /etc/ld.so.preload, and $LIB in it leads each to its own folder. Without a file there, every 32-bit program would
 * begin with an error message.
 */
typedef int nothing; /* ISO C wants a declaration */
