/* SPDX-License-Identifier: MIT */
/* Symbolic links on the way to programs and libraries: reading one from a cold disk is a seek. */
#pragma once

#include <stdbool.h>

/* Calls found() for each symbolic link that resolving the absolute path goes through. Stops at its first error. */
int links_on_path(const char *path, int (*found)(void *context, const char *link), void *context);

/*
 * Reports the links by which the kernel and ld.so find this file and what it needs: the interpreter of a script or ELF
 * program, and the name (DT_SONAME) of a library beside it. `careful`: looks neither at a file nor at a name in it where others than root
 * can change what is there.
 */
int links_of_file(
	const char *path, bool careful, int (*found)(void *context, const char *link), void *context);
