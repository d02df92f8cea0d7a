/* SPDX-License-Identifier: MIT */
/*
 * The preload shim of 32-bit programs: an object that does nothing. /etc/ld.so.preload is read by the loaders of both, and
 * $LIB in it leads each to a folder of its own; without a file there every 32-bit program would begin with an error
 * message.
 */
typedef int nothing; /* ISO C wants a declaration */
